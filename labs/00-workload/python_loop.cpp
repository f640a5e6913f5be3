
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <system_error>

#include "00-workload/triple_loop.hpp"
#include "00-workload/triple_loop_py.hpp"

namespace hf::workload {
namespace {

/// A file that is gone again at the end of the scope.
class ScratchFile {
 public:
  ScratchFile() : path_((std::filesystem::temp_directory_path() / "workload-XXXXXX").string()) {
    const int descriptor = mkstemp(path_.data());
    file_ = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  }
  ~ScratchFile() {
    close();
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  bool write(std::span<const float> numbers) {
    return file_ != nullptr && std::fwrite(numbers.data(), sizeof(float), numbers.size(), file_) == numbers.size();
  }
  void close() {
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::FILE* file_;
};

/// What a command prints; empty where it fails.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), count);
  return pclose(pipe) == 0 ? text : "";
}

}  // namespace

std::string python_version() {
  std::istringstream words(output_of("python3 --version"));
  std::string name, version;
  words >> name >> version;
  return version;
}

std::optional<PythonRows> triple_loop_in_python(std::span<const float> a, std::span<const float> b, std::size_t rows,
                                                std::size_t n) {
  ScratchFile file;
  if (!file.write(a.first(rows * n)) || !file.write(b)) return std::nullopt;
  file.close();
  const std::string command = std::string("python3 -c '") + triple_loop_py + "' '" + file.path() + "' " +
                              std::to_string(rows) + " " + std::to_string(n);
  std::istringstream lines(output_of(command));
  PythonRows result;
  for (double seconds; lines >> seconds;) {
    result.seconds.push_back(seconds);
    for (std::size_t j = 0; j < n; ++j) {
      double number = 0;
      if (!(lines >> number)) return std::nullopt;
      result.c.push_back(number);
    }
  }
  if (result.seconds.size() != rows || rows == 0) return std::nullopt;
  return result;
}

}  // namespace hf::workload

#include "library.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "file.hpp"
#include "sha256.hpp"

namespace hf {

namespace fs = std::filesystem;

std::string library_name(const fs::path& file) {
  const std::string name = file.filename().string();
  for (const char* suffix : {".so", ".a"}) {
    const auto at = name.rfind(suffix);
    if (at != std::string::npos) return name.substr(0, at);
  }
  return name;
}

std::string library_identity(const fs::path& file) {
  constexpr std::uintmax_t most = std::uintmax_t{32} << 20;
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  const std::uintmax_t bytes = error ? 0 : fs::file_size(real, error);
  if (error) return "none";
  const std::string name = real.filename().string();
  if (bytes > most) return name + ", " + std::to_string(bytes) + " bytes";
  return name + ", sha256 " + sha256(read_file(real, most)).substr(0, 12);
}

}  // namespace hf

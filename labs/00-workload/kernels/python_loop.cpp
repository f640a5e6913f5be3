#include <cstddef>
#include <fstream>
#include <ios>
#include <optional>
#include <span>
#include <sstream>
#include <string>

#include "00-workload/kernels/triple_loop.hpp"
#include "00-workload/kernels/triple_loop_py.hpp"
#include "harness/measure/command.hpp"
#include "harness/measure/scratch_file.hpp"

namespace hf::workload {
namespace {

void write(std::ofstream& file, std::span<const float> numbers) {
  file.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size_bytes()));
}

}  // namespace

std::string python_version() {
  std::istringstream words(output_of({"python3", "--version"}));
  std::string name, version;
  words >> name >> version;
  return version;
}

std::optional<PythonRows> triple_loop_in_python(std::span<const float> a, std::span<const float> b, std::size_t rows,
                                                std::size_t n) {
  const ScratchFile scratch;
  std::ofstream file(scratch.path(), std::ios::binary);
  write(file, a.first(rows * n));
  write(file, b);
  file.close();
  if (!file) return std::nullopt;
  std::istringstream lines(
      output_of({"python3", "-c", triple_loop_py, scratch.path(), std::to_string(rows), std::to_string(n)}));
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

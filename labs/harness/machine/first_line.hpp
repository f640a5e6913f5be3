/// \file
/// The kernel's files that hold one line.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace hf {

/// A file's first line; empty if it cannot be read.
inline std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace hf

/// \file
/// Reading a file, and the one line that says why it cannot be used.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace hf {

/// A file that cannot be used. what() is the one line to show: "FILE: [/json/pointer:] what was expected; remedy".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The whole of a regular file. Throws FileError where it cannot be read or has more than `limit` bytes.
std::string read_file(const std::filesystem::path& file, std::size_t limit);

}  // namespace hf

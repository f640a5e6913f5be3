/// \file
/// Reading a file, writing one entirely or not at all, and the one line that says why it cannot be used.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hf {

/// A file that cannot be used. what() is the one line to show: "FILE: [/json/pointer:] what was expected; remedy".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The whole of a regular file. Throws FileError where it cannot be read or has more than `limit` bytes.
std::string read_file(const std::filesystem::path& file, std::size_t limit);

/// Replaces `file` by `text`, entirely or not at all: a temporary file in the same directory is written, synced
/// and renamed over it. Missing directories are made. This is how records, tables and inputs are written, by labs
/// and tools alike, so that a full disk or Ctrl-C leaves what was there.
/// Throws hf::FileError with one line, "FILE: what failed; remedy"; the old content is then untouched.
void write_atomically(const std::filesystem::path& file, std::string_view text);

/// A file and what is to stand in it.
struct Writing {
  std::filesystem::path file;
  std::string text;
};

/// Replaces all or none: none takes its place before all are on the disk.
/// Throws hf::FileError as above.
void write_atomically(std::span<const Writing> files);

/// Whether write_atomically() would succeed, found by writing beside `file` as much as a long record takes, and
/// removing it: for what takes minutes before it writes. Removes temporary files of processes that were killed.
/// Throws hf::FileError as write_atomically().
void check_can_be_written(const std::filesystem::path& file);

/// Whether `file` has just `text` in it.
bool holds(const std::filesystem::path& file, std::string_view text);

/// As write_atomically, but leaves a file that already holds `text` alone, so that nothing downstream rebuilds.
/// Returns whether it wrote.
bool write_if_changed(const std::filesystem::path& file, std::string_view text);

}  // namespace hf

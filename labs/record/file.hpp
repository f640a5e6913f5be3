/// \file
/// Reads a file, writes one entirely or not at all, and reports problems in one line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hf {

/// A file that cannot be used. what() is one line: "FILE: [/json/pointer:] what was expected; remedy".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The content of a regular file. Throws FileError if it cannot be read or has more than `limit` bytes.
std::string read_file(const std::filesystem::path& file, std::size_t limit);

/// Replaces `file` by `text`, entirely or not at all: writes a temporary file in the same directory, syncs it and
/// renames it. Creates missing directories. Labs and tools write records, tables and inputs this way, so that a full
/// disk or Ctrl-C leaves the old content. Throws hf::FileError with one line, "FILE: what failed; remedy"; the old
/// content is then untouched.
void write_atomically(const std::filesystem::path& file, std::string_view text);

/// A file and its new content.
struct Writing {
  std::filesystem::path file;
  std::string text;
};

/// Replaces all files or none: all are on the disk before the first rename.
void write_atomically(std::span<const Writing> files);

/// Checks that write_atomically() will succeed, by writing a temporary file as large as a long record beside `file`.
/// For programs that run for minutes before they write. Removes temporary files of killed processes. Throws
/// hf::FileError as write_atomically().
void check_can_be_written(const std::filesystem::path& file);

/// True if `file` contains exactly `text`.
bool holds(const std::filesystem::path& file, std::string_view text);

/// Like write_atomically, but leaves a file that already contains `text` alone, so that nothing downstream rebuilds.
/// Returns whether it wrote.
bool write_if_changed(const std::filesystem::path& file, std::string_view text);

}  // namespace hf

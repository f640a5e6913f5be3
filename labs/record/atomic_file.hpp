/// \file
/// Writing a file entirely or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace hf {

/// Replaces `file` by `text`, entirely or not at all: a temporary file in the same directory is written, synced
/// and renamed over it. Missing directories are made. This is how records, tables and inputs are written, by labs
/// and tools alike, so that a full disk or Ctrl-C leaves what was there.
/// Throws hf::FileError with one line, "FILE: what failed; remedy"; the old content is then untouched.
void write_atomically(const std::filesystem::path& file, std::string_view text);

/// Whether write_atomically() would succeed, found by writing beside `file` as much as a long record takes, and
/// removing it: for what takes minutes before it writes. Removes temporary files of processes that were killed.
/// Throws hf::FileError as write_atomically().
void check_can_be_written(const std::filesystem::path& file);

/// As write_atomically, but leaves a file that already holds `text` alone, so that nothing downstream rebuilds.
/// Returns whether it wrote.
bool write_if_changed(const std::filesystem::path& file, std::string_view text);

}  // namespace hf

/// \file
/// A temporary file for another program to read.
#pragma once

#include <string>

namespace hf {

/// A new, empty file in the folder for temporary files (TMPDIR). It is unlinked at once, so it disappears when this
/// process ends, however it ends; until then other processes open it by path().
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// A path that this process and its children can open; empty if the file could not be created.
  const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace hf

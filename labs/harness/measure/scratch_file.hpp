/// \file
/// A file for what another program reads, and no longer.
#pragma once

#include <string>

namespace hf {

/// A new, empty file in the folder for temporary files (TMPDIR). It has lost its name already, so it is gone when this
/// process ends, however it ends; until then others open it by path().
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Where this process and its children can open it; empty where none could be made.
  const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace hf

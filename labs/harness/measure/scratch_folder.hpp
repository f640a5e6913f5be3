/// \file
/// A folder for files that other programs read and write, and no longer.
#pragma once

#include <filesystem>

namespace hf {

/// A new, empty folder in the one for temporary files (TMPDIR); it goes with everything in it. What a process that was killed
/// left behind goes when the next folder is made.
class ScratchFolder {
 public:
  /// \throws std::runtime_error in one line, where none can be made
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  ///< held on the folder for as long as it is in use
};

}  // namespace hf

/// \file
/// A temporary folder for files that other programs read and write.
#pragma once

#include <filesystem>

namespace hf {

/// A new, empty folder in the folder for temporary files (TMPDIR). Destroying this object removes it with its content;
/// creating the next one removes folders left by killed processes.
class ScratchFolder {
 public:
  /// \throws std::runtime_error, with a one-line message, if no folder can be created
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  ///< locks the folder while it is in use
};

}  // namespace hf

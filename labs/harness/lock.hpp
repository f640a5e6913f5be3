/// \file
/// One measurement at a time.
#pragma once

#include <filesystem>
#include <stdexcept>

namespace hf {

/// Another lab is measuring. The message is one line.
struct Locked : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The one exclusive lock of this machine: two measurements at a time would measure each other. Held until the end of
/// the scope, or of the process, however it ends.
class MeasuringLock {
 public:
  /// \param file  created when missing, for all users to share
  /// \throws Locked when another process holds it
  explicit MeasuringLock(const std::filesystem::path& file = default_file());
  ~MeasuringLock();
  MeasuringLock(const MeasuringLock&) = delete;
  MeasuringLock& operator=(const MeasuringLock&) = delete;

  /// `hardware-first.lock` in $TMPDIR or /tmp.
  static std::filesystem::path default_file();

 private:
  int descriptor_;
};

}  // namespace hf

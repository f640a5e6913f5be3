/// \file
/// One measurement at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>

namespace hf {

/// The lock's file does not serve. The message is one line.
struct Unlockable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The one exclusive lock of this machine: two measurements at a time would measure each other. Held until the end of
/// the scope, or of the process, however it ends.
class MeasuringLock {
 public:
  /// Told, once, that another process has it: for so many seconds more, as that one expects; 0 where it does not say.
  using Waiting = std::function<void(double seconds_left)>;

  /// Waits until no other process has it.
  /// \param file  created when missing, for all users to share
  /// \throws Interrupted
  /// \throws Unlockable
  explicit MeasuringLock(const Waiting& waiting = {}, const std::filesystem::path& file = default_file());
  ~MeasuringLock();
  MeasuringLock(const MeasuringLock&) = delete;
  MeasuringLock& operator=(const MeasuringLock&) = delete;

  /// Lets those who wait know how long this measurement should take from now on, seconds.
  void expect(double seconds) const;

  /// `hardware-first.lock` in $TMPDIR or /tmp.
  static std::filesystem::path default_file();

 private:
  int descriptor_;
};

}  // namespace hf

/// \file
/// Allows one measurement at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>

namespace hf {

/// The lock file cannot be used. The message is one line.
struct Unlockable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine's only measuring lock, exclusive because two measurements at once would disturb each other. Held until
/// the end of the scope, or of the process, however it ends.
class MeasuringLock {
 public:
  /// Called once if another process holds the lock, with the seconds that it expects to need; 0 if it does not say.
  using Waiting = std::function<void(double seconds_left)>;

  /// Waits until no other process holds the lock.
  /// \param file  created if missing, for all users to share
  /// \throws Interrupted
  /// \throws Unlockable
  explicit MeasuringLock(const Waiting& waiting = {}, const std::filesystem::path& file = default_file());
  ~MeasuringLock();
  MeasuringLock(const MeasuringLock&) = delete;
  MeasuringLock& operator=(const MeasuringLock&) = delete;

  /// Tells waiting processes how many more seconds this measurement should take.
  void expect(double seconds) const;

  /// `hardware-first.lock` in $TMPDIR or /tmp.
  static std::filesystem::path default_file();

 private:
  int descriptor_;
};

}  // namespace hf

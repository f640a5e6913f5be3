#include "lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "harness/measure/clock.hpp"
#include "harness/measure/interrupt.hpp"

namespace hf {
namespace {

/// Opens the lock file. Locking needs no write permission, but a process without it cannot say how long it needs.
int open_shared(const std::filesystem::path& file) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW;
  int descriptor = open(file.c_str(), O_RDWR | flags);
  if (descriptor < 0 && errno != ENOENT) descriptor = open(file.c_str(), O_RDONLY | flags);
  if (descriptor >= 0 || errno != ENOENT) return descriptor;
  descriptor = open(file.c_str(), O_RDWR | O_CREAT | flags, 0666);
  if (descriptor >= 0) fchmod(descriptor, 0666);  // regardless of the umask
  return descriptor;
}

/// The seconds left, from the time at which the holder expects to finish, in now_ns(), a clock that all processes of a
/// machine share. Anyone may have written to the file, so more than a day is ignored.
double seconds_left(int descriptor) {
  char text[32];
  const ssize_t length = pread(descriptor, text, sizeof text, 0);
  std::int64_t end_ns = 0;
  std::from_chars(text, text + std::max<ssize_t>(length, 0), end_ns);
  const double seconds = (static_cast<double>(end_ns) - static_cast<double>(now_ns())) * 1e-9;
  return seconds > 0 && seconds < 86400 ? seconds : 0;
}

/// \return 0, or errno
int lock(int descriptor, int how) { return flock(descriptor, LOCK_EX | how) == 0 ? 0 : errno; }

}  // namespace

MeasuringLock::MeasuringLock(const Waiting& waiting, const std::filesystem::path& file)
    : descriptor_(open_shared(file)) {
  if (descriptor_ < 0) {
    throw Unlockable(file.string() + ": cannot be opened for the measuring lock (" + std::strerror(errno) +
                     "); remove it, or set TMPDIR to a folder you can write to");
  }
  int reason = lock(descriptor_, LOCK_NB);
  if (reason == EWOULDBLOCK) {
    if (waiting) waiting(seconds_left(descriptor_));
    do reason = lock(descriptor_, 0);
    while (reason == EINTR && !interrupted());
  }
  if (reason == 0) {
    [[maybe_unused]] const int emptied = ftruncate(descriptor_, 0);  // removes the last holder's expected time
    return;
  }
  close(descriptor_);
  stop_if_interrupted();
  throw Unlockable(file.string() + ": cannot be locked (" + std::strerror(reason) + "); set TMPDIR to a local folder");
}

MeasuringLock::~MeasuringLock() { close(descriptor_); }

void MeasuringLock::expect(double seconds) const {
  const std::string text = std::to_string(now_ns() + static_cast<std::int64_t>(seconds * 1e9)) + '\n';
  // If this fails, waiting processes are not told.
  [[maybe_unused]] const ssize_t written = pwrite(descriptor_, text.data(), text.size(), 0);
}

std::filesystem::path MeasuringLock::default_file() {
  const char* folder = std::getenv("TMPDIR");
  return std::filesystem::path(folder != nullptr && *folder != '\0' ? folder : "/tmp") / "hardware-first.lock";
}

}  // namespace hf

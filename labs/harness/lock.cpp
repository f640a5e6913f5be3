#include "lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace hf {
namespace {

/// Locking needs no write permission: a file that another user made is opened for reading.
int open_shared(const std::filesystem::path& file) {
  const int existing = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (existing >= 0 || errno != ENOENT) return existing;
  const int made = open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (made >= 0) fchmod(made, 0666);  // whatever the umask
  return made;
}

}  // namespace

MeasuringLock::MeasuringLock(const std::filesystem::path& file) : descriptor_(open_shared(file)) {
  if (descriptor_ < 0) {
    throw Locked(file.string() + ": cannot be opened for the measuring lock (" + std::strerror(errno) +
                 "); remove it, or set TMPDIR to a folder you can write to");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  close(descriptor_);
  if (reason == EWOULDBLOCK) throw Locked("another lab is measuring on this machine; wait until it is done");
  throw Locked(file.string() + ": cannot be locked (" + std::strerror(reason) + "); set TMPDIR to a local folder");
}

MeasuringLock::~MeasuringLock() { close(descriptor_); }

std::filesystem::path MeasuringLock::default_file() {
  const char* folder = std::getenv("TMPDIR");
  return std::filesystem::path(folder != nullptr && *folder != '\0' ? folder : "/tmp") / "hardware-first.lock";
}

}  // namespace hf

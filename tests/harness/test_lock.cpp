#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>
#include <string>

#include "harness/lock.hpp"
#include "process.hpp"

TEST_CASE("one process at a time holds the lock") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lock";
  {
    const hf::MeasuringLock held(file);
    CHECK(in_child([&] {
      try {
        const hf::MeasuringLock second(file);
      } catch (const hf::Locked& error) {
        return std::string(error.what()) == "another lab is measuring on this machine; wait until it is done";
      }
      return false;
    }));
  }
  CHECK(in_child([&] {
    const hf::MeasuringLock after(file);
    return true;
  }));
}

TEST_CASE("a process that dies releases the lock") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lock";
  CHECK_FALSE(in_child([&] {
    const hf::MeasuringLock held(file);
    return std::raise(SIGKILL) == 0;
  }));
  const hf::MeasuringLock after(file);
}

TEST_CASE("all users can share the file, programs started meanwhile do not inherit it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lock";
  const mode_t before = umask(077);
  const hf::MeasuringLock held(file);
  umask(before);
  struct stat status = {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0666);
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    struct stat open_file = {};
    if (fstat(descriptor, &open_file) == 0 && open_file.st_ino == status.st_ino && open_file.st_dev == status.st_dev) {
      CHECK((fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
    }
  }
}

TEST_CASE("a folder that is not there is named, with what to do") {
  try {
    const hf::MeasuringLock lock("/nonexistent/folder/lock");
    FAIL("expected Locked");
  } catch (const hf::Locked& error) {
    const std::string message = error.what();
    CHECK(message.starts_with("/nonexistent/folder/lock: cannot be opened"));
    CHECK(message.find("TMPDIR") != std::string::npos);
  }
}

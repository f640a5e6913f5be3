#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "harness/report/lock.hpp"
#include "process.hpp"

TEST_CASE("one process at a time holds the lock, and another that wants it is told for how long") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lock";
  std::optional<hf::MeasuringLock> held(std::in_place, hf::MeasuringLock::Waiting(), file);
  for (const double expected : {0, 1000}) {
    held->expect(expected);
    CHECK(in_child([&] {
      const hf::MeasuringLock second([&](double left) { _exit(left <= expected && left > expected - 100 ? 0 : 1); },
                                     file);
      return false;
    }));
  }
  write(file, "soon\n");  // anyone may
  CHECK(in_child([&] {
    const hf::MeasuringLock second([](double left) { _exit(left == 0 ? 0 : 1); }, file);
    return false;
  }));
  held.reset();
  CHECK(in_child([&] {
    const hf::MeasuringLock after([](double) { _exit(1); }, file);
    return true;
  }));
}

TEST_CASE("a process that dies releases the lock") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lock";
  CHECK_FALSE(in_child([&] {
    const hf::MeasuringLock held({}, file);
    return std::raise(SIGKILL) == 0;
  }));
  const hf::MeasuringLock after({}, file);
}

TEST_CASE("all users can share the file, programs started meanwhile do not inherit it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lock";
  const mode_t before = umask(077);
  const hf::MeasuringLock held({}, file);
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
    const hf::MeasuringLock lock({}, "/nonexistent/folder/lock");
    FAIL("expected Unlockable");
  } catch (const hf::Unlockable& error) {
    const std::string message = error.what();
    CHECK(message.starts_with("/nonexistent/folder/lock: cannot be opened"));
    CHECK(message.find("TMPDIR") != std::string::npos);
  }
}

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

#include "record/file.hpp"
#include "small_record.hpp"

namespace {

namespace fs = std::filesystem;

// A disk that is full after `bytes`, as this process sees it.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is written with its directories, and replaced") {
  const hf::TemporaryDirectory directory;
  const fs::path file = directory / "a/b/file";
  hf::write_atomically(file, "one");
  CHECK(hf::content(file) == "one");
  hf::write_atomically(file, "two, longer");
  CHECK(hf::content(file) == "two, longer");
  CHECK(files_in(file.parent_path()) == 1);
}

TEST_CASE("a file that holds the text already is left alone") {
  const hf::TemporaryDirectory directory;
  const fs::path file = directory / "file";
  CHECK(hf::write_if_changed(file, "one"));
  const auto long_ago = fs::last_write_time(file) - std::chrono::hours(1);
  fs::last_write_time(file, long_ago);
  CHECK_FALSE(hf::write_if_changed(file, "one"));
  CHECK(fs::last_write_time(file) == long_ago);
  CHECK(hf::write_if_changed(file, "two"));  // as long as before
  CHECK(hf::content(file) == "two");
}

TEST_CASE("a full disk leaves the old file and nothing else") {
  const hf::TemporaryDirectory directory;
  const fs::path file = directory / "file";
  hf::write_atomically(file, "old");
  const FullDisk disk(1000);
  const std::string expected =
      file.string() + ": cannot be written (File too large); free space or choose another place";
  CHECK_THROWS_WITH_AS(hf::write_atomically(file, std::string(5000, 'x')), doctest::Contains(expected.c_str()),
                       hf::FileError);
  CHECK(hf::content(file) == "old");
  CHECK(files_in(directory.path()) == 1);
}

TEST_CASE("a place that cannot be written is named") {
  const hf::TemporaryDirectory directory;
  hf::write_atomically(directory / "file", "old");
  CHECK_THROWS_WITH_AS(hf::write_atomically(directory / "file/below", "x"),
                       doctest::Contains("file/below: cannot be written"), hf::FileError);
  fs::create_directory(directory / "directory");
  CHECK_THROWS_AS(hf::write_atomically(directory / "directory", "x"), hf::FileError);
  CHECK(fs::is_directory(directory / "directory"));
  CHECK(files_in(directory.path()) == 2);
}

TEST_CASE("whether a file could be written is found without touching it") {
  const hf::TemporaryDirectory directory;
  const fs::path file = directory / "a/file";
  hf::check_can_be_written(file);
  CHECK(files_in(directory / "a") == 0);
  hf::write_atomically(file, "old");
  hf::check_can_be_written(file);
  CHECK(hf::content(file) == "old");
  CHECK(files_in(directory / "a") == 1);
  CHECK_THROWS_WITH_AS(hf::check_can_be_written(file / "below"), doctest::Contains("below: cannot be written"),
                       hf::FileError);
  const FullDisk disk(1000);
  CHECK_THROWS_WITH_AS(hf::check_can_be_written(file), doctest::Contains("free space or choose another place"),
                       hf::FileError);
  CHECK(hf::content(file) == "old");
  CHECK(files_in(directory / "a") == 1);
}

TEST_CASE("a folder that may not be written is not said to be full" * doctest::skip(::geteuid() == 0)) {
  const hf::TemporaryDirectory directory;
  fs::permissions(directory.path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_THROWS_WITH_AS(hf::check_can_be_written(directory / "file"),
                       doctest::Contains("(Permission denied); allow writing there"), hf::FileError);
  fs::permissions(directory.path(), fs::perms::owner_all);
}

TEST_CASE("what a killed process left behind is cleaned, what others are writing stays") {
  const hf::TemporaryDirectory directory;
  const fs::path file = directory / "file";
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);  // its descriptor is free again
  const std::string gone = file.string() + ".tmp" + std::to_string(child);
  const std::string alive = file.string() + ".tmp" + std::to_string(::getppid());
  hf::write_atomically(gone, "half a rec");
  hf::write_atomically(alive, "half a rec");
  hf::write_atomically(directory / "file.tmpfs", "no number");
  hf::check_can_be_written(file);
  CHECK_FALSE(fs::exists(gone));
  CHECK(fs::exists(alive));
  CHECK(fs::exists(directory / "file.tmpfs"));
}

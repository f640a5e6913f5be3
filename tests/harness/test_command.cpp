// Other programs, and files for them.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/command.hpp"
#include "harness/scratch_file.hpp"
#include "process.hpp"

TEST_CASE("a command's words need no quoting, and what it says comes back as it is") {
  CHECK(hf::output_of({"printf", "%s,", "a b", "'", "$HOME", ""}) == "a b,',$HOME,,");
}

TEST_CASE("a command that fails, or is not there, says nothing, and leaves no zombie") {
  CHECK(hf::output_of({"sh", "-c", "echo something; exit 3"}).empty());
  CHECK(hf::output_of({"no-such-program"}).empty());
  CHECK((waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD));
}

TEST_CASE("a scratch file can be opened by others, and no folder shows it") {
  TemporaryFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", folder.path().c_str(), 1);
  std::string path;
  {
    const hf::ScratchFile file;
    path = file.path();
    std::ofstream(path) << "words";
    CHECK(hf::output_of({"cat", path}) == "words");
    CHECK(std::filesystem::is_empty(folder.path()));
  }
  CHECK_FALSE(std::ifstream(path).is_open());
  setenv("TMPDIR", (folder.path() / "nowhere").c_str(), 1);
  CHECK(hf::ScratchFile().path().empty());
  before != nullptr ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}

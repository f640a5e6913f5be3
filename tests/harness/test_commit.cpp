// The commit in a record is this checkout's.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/report/lab_record.hpp"
#include "process.hpp"

namespace {

namespace fs = std::filesystem;

/// A checkout with one commit.
void make_checkout(const fs::path& folder) {
  write(folder / "file", "text");
  const std::string git = "git -c user.name=n -c user.email=e -c init.defaultBranch=b -C '" + folder.string() + "' ";
  REQUIRE(std::system((git + "init -q && " + git + "add file && " + git + "commit -q -m m").c_str()) == 0);
}

const bool no_git = std::system("git --version >/dev/null 2>&1") != 0;

}  // namespace

TEST_CASE("a checkout's commit is known, and whether its files differ from it" * doctest::skip(no_git)) {
  const TemporaryFolder folder;
  make_checkout(folder.path());
  const hf::Commit clean = hf::read_commit(folder.path());
  CHECK(clean.id.size() == 40);
  CHECK_FALSE(clean.dirty);
  write(folder.path() / "file", "another");
  CHECK(hf::read_commit(folder.path()).id == clean.id);
  CHECK(hf::read_commit(folder.path()).dirty);
}

TEST_CASE("a checkout is known by any of its names" * doctest::skip(no_git)) {
  const TemporaryFolder folder;
  make_checkout(folder.path() / "checkout");
  fs::create_directory_symlink(folder.path() / "checkout", folder.path() / "link");
  CHECK(hf::read_commit(folder.path() / "link").id.size() == 40);
}

TEST_CASE("a folder in another project's checkout has no commit, also if that project ignores it" *
          doctest::skip(no_git)) {
  const TemporaryFolder folder;
  write(folder.path() / ".gitignore", "ignored\n");
  make_checkout(folder.path());
  for (const char* within : {"unpacked", "ignored"}) {
    CAPTURE(within);
    write(folder.path() / within / "file", "text");
    const hf::Commit commit = hf::read_commit(folder.path() / within);
    CHECK(commit.id == "unknown");
    CHECK_FALSE(commit.dirty);
  }
}

TEST_CASE("a checkout that git does not open is told from none" * doctest::skip(no_git)) {
  const TemporaryFolder folder;
  make_checkout(folder.path() / "good");
  CHECK_FALSE(hf::is_unreadable_checkout(folder.path() / "good"));
  CHECK_FALSE(hf::is_unreadable_checkout(folder.path() / "none"));
  write(folder.path() / "tree/.git", "gitdir: /nowhere/.git/worktrees/tree\n");
  CHECK(hf::is_unreadable_checkout(folder.path() / "tree"));
}

TEST_CASE("a folder outside every checkout, or none at all, has no commit") {
  const TemporaryFolder folder;
  CHECK(hf::read_commit(folder.path()).id == "unknown");
  CHECK(hf::read_commit(folder.path() / "none").id == "unknown");
}

"""tools/list-files and its callers: the list of files, or one line that says why git refuses."""

import os
import shutil
import subprocess

import pytest
from programs import git, result_of


def run(folder, *command, **variables):
    environment = {**os.environ, "HOME": str(folder), **variables}
    return result_of(*command, cwd=folder, env=environment)


@pytest.fixture
def checkout(root, tmp_path):
    (tmp_path / "tools").symlink_to(root / "tools")
    git(tmp_path, "init", "--quiet")
    for name in ("tracked.cpp", "not yet.cpp", "prose.md"):
        (tmp_path / name).touch()
    git(tmp_path, "add", "tracked.cpp")
    return tmp_path


def test_files_tracked_or_not_yet_are_listed(checkout):
    assert run(checkout, "tools/list-files", "*.cpp").stdout.splitlines() == ["not yet.cpp", "tracked.cpp"]
    assert run(checkout, "tools/list-files", "-z", "*.cpp").stdout.split("\0") == ["not yet.cpp", "tracked.cpp", ""]


@pytest.mark.parametrize("command", ["list-files", "check", "tidy"])
def test_a_checkout_of_another_user_is_one_line_and_its_remedy_mends_it(checkout, command):
    other = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}  # git's own way to test this without a second user
    refused = run(checkout, f"tools/{command}", **other)
    assert refused.returncode == 1 and refused.stdout == ""
    (line,) = refused.stderr.splitlines()
    remedy = line.split("): ")[1]
    assert "dubious ownership" in line and remedy == f"git config --global --add safe.directory '{checkout}'"
    subprocess.run(["sh", "-c", remedy], env={**os.environ, "HOME": str(checkout)}, check=True)
    assert run(checkout, "tools/list-files", "*.md", **other).stdout == "prose.md\n"


def test_what_is_no_checkout_is_one_line(checkout):
    shutil.rmtree(checkout / ".git")
    refused = run(checkout, "tools/list-files")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1) and "clone" in refused.stderr


def test_a_worktree_whose_clone_was_moved_is_one_line_and_its_remedy_mends_it(checkout, tmp_path_factory):
    tree, moved = (tmp_path_factory.mktemp("more") / name for name in ("a tree", "moved"))
    git(checkout, "commit", "--quiet", "--message=First")
    git(checkout, "worktree", "add", "--quiet", "--detach", str(tree))
    (tree / "tools").symlink_to((checkout / "tools").resolve())
    checkout.rename(moved)
    refused = run(tree, "tools/list-files")
    (line,) = refused.stderr.splitlines()
    assert (refused.returncode, refused.stdout) == (1, "") and "not a git repository" in line
    remedy = line.split(" or run ")[1].removesuffix(" in the clone")
    subprocess.run(["sh", "-c", remedy], cwd=moved, check=True, capture_output=True)
    assert run(tree, "tools/list-files", "*.cpp").stdout == "tracked.cpp\n"


@pytest.mark.parametrize("ignored", [True, False])
def test_an_archive_inside_another_repository_is_one_line(checkout, root, ignored):
    inner = checkout / "hardware-first"
    inner.mkdir()
    (inner / "tools").symlink_to(root / "tools")
    (inner / "one.cpp").touch()
    (checkout / ".gitignore").write_text("hardware-first\n" * ignored)
    for command in ("list-files", "check", "tidy", "changed"):
        refused = run(inner, f"tools/{command}")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == f"list-files: this folder lies inside another repository, {checkout}: clone the book with git\n"


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
def test_the_repository_in_somebody_elses_environment_is_ignored(checkout, tmp_path_factory, variable):
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "--quiet")
    value = other / {"GIT_DIR": ".git", "GIT_WORK_TREE": "", "GIT_INDEX_FILE": "index"}[variable]
    assert run(checkout, "tools/list-files", "*.md", **{variable: str(value)}).stdout == "prose.md\n"


def test_a_list_of_no_files_is_an_error(checkout):
    empty = run(checkout, "tools/list-files", "*.cu", "*.cuh")
    assert (empty.returncode, empty.stdout, empty.stderr) == (1, "", "list-files: no file matches *.cu *.cuh\n")


def test_without_git_its_package_is_named(checkout, tmp_path_factory):
    programs = tmp_path_factory.mktemp("bin")
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(shutil.which(name))
    refused = run(checkout, "tools/list-files", PATH=str(programs))
    assert (refused.returncode, refused.stderr) == (1, "list-files: git is missing: install it, and clone the book with it\n")

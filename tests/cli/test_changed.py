"""tools/changed: which files differ from main, in every state of a clone."""

import os
import shutil

import pytest
from programs import git, result_of

HOUR = 3600


class Clone:
    """A repository with commits at given hours; each commit writes the file of its name."""

    def __init__(self, root, folder):
        self.folder = folder
        (folder / "tools").mkdir(parents=True)
        for name in ("changed", "environment.sh", "list-files"):
            shutil.copy(root / "tools" / name, folder / "tools" / name)
        (folder / ".git/info").mkdir(parents=True)
        (folder / ".git/info/exclude").write_text("tools/\n")
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words, hour=0):
        date = f"{1_800_000_000 + hour * HOUR} +0000"
        return git(self.folder, *words, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)

    def commit(self, name, hour):
        (self.folder / name).write_text(name)
        self.git("add", name)
        self.git("commit", "--quiet", "--message", name, hour=hour)
        return self.git("rev-parse", "HEAD")

    def changed(self, *patterns, **variables):
        environment = {name: value for name, value in os.environ.items() if name != "BASE"}
        run = result_of("tools/changed", *patterns, cwd=self.folder, env={**environment, **variables}, check=True)
        return sorted(run.stdout.split())


@pytest.fixture
def clone(root, tmp_path):
    return Clone(root, tmp_path / "clone")


def test_on_a_branch_what_it_added_to_main(clone):
    clone.commit("old.cpp", 0)
    clone.git("checkout", "--quiet", "-b", "branch")
    clone.commit("new.cpp", 100)
    (clone.folder / "untracked.cpp").touch()
    (clone.folder / "old.md").touch()
    assert clone.changed() == ["new.cpp", "old.md", "untracked.cpp"]
    assert clone.changed("*.cpp") == ["new.cpp", "untracked.cpp"]


def test_comments_includes_and_another_name_are_no_difference(clone):
    (clone.folder / "room").mkdir()
    text = "".join(f"int line_{i};\n" for i in range(20))
    for name in ("moved.cpp", "room/told.cpp", "room/moved_and_changed.cpp", "same.cpp"):
        (clone.folder / name).write_text(f'#include "a.hpp"\n\n// It is {name}.\n{text}')
    clone.commit("old.cpp", 0)
    clone.git("add", "--all")
    clone.git("commit", "--quiet", "--message", "more")
    clone.git("checkout", "--quiet", "-b", "branch")
    clone.git("mv", "moved.cpp", "room/moved.cpp")
    clone.git("mv", "room/moved_and_changed.cpp", "changed.cpp")
    for name in ("room/told.cpp", "room/moved.cpp", "changed.cpp"):
        path = clone.folder / name
        path.write_text(path.read_text().replace("a.hpp", "b.hpp").replace("// It is", "// It was"))
    (clone.folder / "changed.cpp").write_text((clone.folder / "changed.cpp").read_text().replace("line_7", "line_8"))
    clone.git("add", "--all")
    clone.git("commit", "--quiet", "--message", "branch", hour=100)
    assert clone.changed("--code") == ["changed.cpp"]
    assert clone.changed() == ["changed.cpp", "room/moved.cpp", "room/told.cpp"]


def test_on_main_the_commits_of_the_last_8_hours(clone):
    clone.commit("old", 0)
    for name, hour in (("first", 20), ("second", 24), ("third", 27)):
        clone.commit(name, hour)
    assert clone.changed() == ["first", "second", "third"]


def test_a_changed_file_is_listed_and_a_deleted_one_is_not(clone):
    for name in ("kept", "edited", "deleted"):
        clone.commit(name, 0)
    clone.git("checkout", "--quiet", "-b", "branch")
    clone.commit("new", 1)
    (clone.folder / "edited").write_text("otherwise")
    (clone.folder / "deleted").unlink()
    assert clone.changed() == ["edited", "new"]


def test_a_named_base_decides(clone):
    base = clone.commit("old", 0)
    clone.commit("middle", 1)
    clone.commit("new", 2)
    assert clone.changed(BASE=base) == ["middle", "new"]


@pytest.mark.parametrize("base", ["0" * 40, "nonsense"])
def test_with_an_unknown_base_every_file_counts(clone, base):
    clone.commit("old", 0)
    assert clone.changed(BASE=base) == ["old"]


def test_in_a_clone_without_an_older_commit_every_file_counts(clone):
    clone.commit("one", 0)
    clone.commit("two", 1)
    assert clone.changed() == ["one", "two"]

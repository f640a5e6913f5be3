"""The chapter scaffold: what it writes, what it refuses, and that the result passes all tests unchanged."""

import json
import os
import resource
import shutil
import sys
from pathlib import Path

import pytest
from programs import git, result_of


def copy_tree(root, folder):
    """A copy of the book's tree, without build outputs."""
    built = {".git", "build", ".venv"}
    caches = {"__pycache__", ".pytest_cache"}
    shutil.copytree(root, folder, ignore=lambda where, names: caches | (built if Path(where) == root else set()))
    return folder


@pytest.fixture(scope="module")
def shared(root, tmp_path_factory):
    """A copy, with its contents as they were at first."""
    folder = copy_tree(root, tmp_path_factory.mktemp("tree") / "copy")
    return folder, snapshot(folder)


@pytest.fixture
def copy(shared):
    """A copy shared by all tests: whatever one test writes or removes is restored for the next."""
    folder, before = shared
    yield folder
    parents = {parent for path in before for parent in path.parents}
    for path in set(folder.rglob("*")) - before.keys() - parents:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for path in [path for path, content in before.items() if not path.is_file() or path.read_bytes() != content]:
        if path.is_dir():
            path.rmdir()
        path.write_bytes(before[path])


def new_chapter(folder, number, slug):
    return result_of(folder / "tools/new-chapter", number, slug)


def snapshot(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("number", "slug", "complaint"), [
    ("", "sparsity", "N=''"),
    ("8", "sparsity", "N='8'"),
    ("008", "sparsity", "N='008'"),
    ("0x", "sparsity", "N='0x'"),
    ("98", "", "SLUG=''"),
    ("98", "Sparsity", "SLUG='Sparsity'"),
    ("98", "-x", "SLUG='-x'"),
    ("98", "3d", "SLUG='3d'"),
    ("98", "a/b", "SLUG='a/b'"),
    ("98", "a&b", "SLUG='a&b'"),
    ("01", "again", "chapter 01 already exists: chapters/01-roofline.md; choose another number"),
])
def test_what_cannot_be_made_is_refused_in_one_line_and_writes_nothing(copy, number, slug, complaint):
    before = snapshot(copy)
    run = new_chapter(copy, number, slug)
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith("new-chapter: ") and complaint in line
    assert snapshot(copy) == before


@pytest.mark.parametrize("fails_at", ["chapters/98-two-words.md", "labs/CMakeLists.txt"])
def test_what_cannot_be_written_is_one_line_and_leaves_no_half_chapter(copy, fails_at):
    before = snapshot(copy)
    if (copy / fails_at).exists():
        before.pop(copy / fails_at)
        (copy / fails_at).unlink()
        (copy / fails_at).mkdir()
    size = 100 if fails_at.startswith("chapters") else resource.RLIM_INFINITY
    run = result_of(copy / "tools/new-chapter", "98", "two-words",
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))  # fmt: skip
    (line,) = run.stderr.splitlines()
    assert (run.returncode, line) == (1, f"new-chapter: could not write {fails_at}: free up space there, or make it writable")
    assert snapshot(copy) == before


def test_a_new_chapter_keeps_the_contract_and_changes_one_line_elsewhere(copy):
    before = snapshot(copy)
    assert new_chapter(copy, "98", "two-words").returncode == 0
    after = snapshot(copy)
    assert sorted(path.relative_to(copy).as_posix() for path in after.keys() - before.keys()) == [
        "chapters/98-two-words.md", "drawings/98-two-words.py", "figures/98-two-words.gp",
        *(f"labs/98-two-words/{name}" for name in ("claims.json", "definitions.json", "lab.cpp", "laws.json", "two_words.hpp",
                                                   "yours/path.json", "yours/start.cpp", "yours/trial.cpp")),
        "tests/labs/98-two-words/CMakeLists.txt", "tests/labs/98-two-words/test_two_words.cpp",
    ]
    changed = [path for path in before if before[path] != after[path]]
    assert changed == [copy / "labs/CMakeLists.txt"]
    written = b"".join(after[path] for path in after.keys() - before.keys())
    assert not any(name in written for name in (b"@ID@", b"@N@", b"@TITLE@", b"NAMESPACE"))
    assert b"namespace hf::two_words {" in after[copy / "labs/98-two-words/two_words.hpp"]
    check = result_of(sys.executable, "-m", "press", copy, env={**os.environ, "PYTHONPATH": str(copy / "site")})
    assert "98-two-words" not in check.stderr and "Error" not in check.stderr
    assert new_chapter(copy, "98", "other").returncode == 1


@pytest.mark.skipif(shutil.which("clang-format") is None, reason="clang-format is missing")
@pytest.mark.parametrize("slug", ["ab", "sparsity", "a-slug-of-many-words-that-goes-on-until-it-has-fifty"])
def test_a_new_chapter_is_formatted_however_long_its_slug(copy, slug):
    assert new_chapter(copy, "98", slug).returncode == 0
    files = [path for folder in ("labs", "tests/labs") for path in (copy / folder / f"98-{slug}").rglob("*.?pp")]
    assert len(files) == 5
    run = result_of("clang-format", "--dry-run", "--Werror", *files)
    assert (run.returncode, run.stderr) == (0, "")


def publish(record, folder):
    """Publishes as if measured in full: whether this machine is quiet enough for that is not tested here."""
    made = json.loads(record.read_text())
    made["machine"]["slug"] = folder.name
    made["run"]["budget"] = "full"
    folder.mkdir()
    (folder / record.name).write_text(json.dumps(made))


@pytest.mark.slow
def test_a_new_chapter_is_green_as_it_is(root, tmp_path, monkeypatch):
    copy = copy_tree(root, tmp_path / "copy")
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # a measuring lock of its own, because nothing here depends on speed
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "The book"]):
        git(copy, *words)  # `make check` asks git what has changed
    monkeypatch.setenv("BASE", "HEAD")  # the chapter, which is not committed
    (copy / ".venv").symlink_to(root / ".venv")
    assert new_chapter(copy, "98", "scaffold").returncode == 0

    def green(*words):
        run = result_of(*words, cwd=copy)
        assert run.returncode == 0, f"{' '.join(map(str, words))}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}"
        return run.stdout

    def browse(*more):
        return green(".venv/bin/python", "-m", "pytest", "-rs", *more, "tests/site/test_browser.py")

    green("make", "check")
    green("make", "lab-98", "BUDGET=quick")
    record = copy / "build/records/98-scaffold.json"
    assert record.is_file() and (copy / "build/figures/98-scaffold.svg").is_file()
    assert "98-scaffold is left out" in browse("-k", "warning or has_a_published_record")
    publish(record, copy / "figures/records/scaffold-machine")
    assert " skipped" not in browse()
    page = (copy / "build/web/site/98-scaffold.html").read_text()
    for part in ("Eight chains add more than twice as fast", "How much faster is it with eight partial sums", 'id="fig-chains"', 'id="fig-waiting"'):
        assert part in page
    green("cmake", "--build", "build", "--target", "test-98-scaffold")
    green("ctest", "--test-dir", "build", "-L", "lab-98", "--no-tests=error")

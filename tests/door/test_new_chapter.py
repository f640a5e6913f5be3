"""The chapter scaffold: what it writes, what it refuses, and that the result is green as it is."""

import shutil
import subprocess

import pytest


@pytest.fixture
def copy(root, tmp_path):
    """A copy of the book's tree, without what was built."""
    folder = tmp_path / "copy"
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns(".git", "build", ".venv", "__pycache__", ".pytest_cache"))
    return folder


def new_chapter(folder, number, slug):
    return subprocess.run([folder / "tools/new-chapter", number, slug], capture_output=True, text=True, check=False)


def snapshot(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("number", "slug", "complaint"),
    [
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
        ("01", "again", "chapter 01 is there already: chapters/01-roofline.md"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line_and_writes_nothing(copy, number, slug, complaint):
    before = snapshot(copy)
    run = new_chapter(copy, number, slug)
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith("new-chapter: ") and complaint in line
    assert snapshot(copy) == before


def test_a_new_chapter_keeps_the_contract_and_changes_one_line_elsewhere(copy):
    before = snapshot(copy)
    assert new_chapter(copy, "98", "two-words").returncode == 0
    after = snapshot(copy)
    assert sorted(path.relative_to(copy).as_posix() for path in after.keys() - before.keys()) == [
        "chapters/98-two-words.md",
        "figures/98-chains.gp",
        "labs/98-two-words/chains.hpp",
        "labs/98-two-words/lab.cpp",
        "tests/labs/98-two-words/CMakeLists.txt",
        "tests/labs/98-two-words/chains_test.cpp",
    ]
    changed = [path for path in before if before[path] != after[path]]
    assert changed == [copy / "labs/CMakeLists.txt"]
    written = b"".join(after[path] for path in after.keys() - before.keys())
    assert not any(name in written for name in (b"@ID@", b"@N@", b"@TITLE@", b"NAMESPACE"))
    assert b"namespace hf::two_words {" in after[copy / "labs/98-two-words/chains.hpp"]
    check = subprocess.run([copy / "tools/check-chapters", copy], capture_output=True, text=True, check=False)
    assert "98-two-words" not in check.stderr
    assert new_chapter(copy, "98", "other").returncode == 1


@pytest.mark.slow
def test_a_new_chapter_is_green_as_it_is(copy, root, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # a measuring lock of its own: nothing here is about speed
    assert new_chapter(copy, "98", "scaffold").returncode == 0
    (copy / ".venv").symlink_to(root / ".venv")

    def make(*words):
        run = subprocess.run(["make", *words], cwd=copy, capture_output=True, text=True, check=False)
        assert run.returncode == 0, f"make {' '.join(words)}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}"
        return run.stdout

    make("lab-98", "BUDGET=quick")
    assert (copy / "build/records/98-scaffold.json").is_file() and (copy / "build/figures/98-chains.svg").is_file()
    make("site", "BUDGET=quick", "STRICT=1")
    assert "Eight chains add more than twice as fast" in (copy / "build/site/98-scaffold.html").read_text()
    subprocess.run(["cmake", "--build", copy / "build", "--target", "test-98-scaffold"], check=True)
    tests = subprocess.run(["ctest", "--test-dir", copy / "build", "-L", "lab-98", "--no-tests=error"],
                           capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stdout

"""Another book, outside of this checkout: it is made of the installed packages and uses no file of this book."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NVCC = shutil.which("nvcc", path=f"{os.environ['PATH']}:/usr/local/cuda/bin")


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory):
    """The environment of a stranger who has installed both packages."""
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", ROOT / "build", "--prefix", prefix], check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
                    "--no-build-isolation", "--target", prefix / "python", ROOT / "site/press"], check=True)
    return {**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}", "PYTHONPATH": str(prefix / "python"),
            "PYTHON": sys.executable, "BUDGET": "quick", "TMPDIR": str(prefix)}  # with a measuring lock of its own


def made(book, surroundings, **more):
    run = subprocess.run(["make", "site"], cwd=book, env={**surroundings, **more}, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.endswith(f"The book: {book}/build/site/index.html\n")
    assert not re.search(r"^(-- |\[\d|ninja)", run.stdout + run.stderr, re.MULTILINE)  # only warnings of the build
    strict = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "-c", "site", "chapters", "build/strict"], cwd=book,
                            env={**surroundings, **more}, capture_output=True, encoding="utf-8")
    assert strict.stderr == ""
    return {page.stem: page.read_text(encoding="utf-8") for page in (book / "build/site").glob("*.html")}


def check_nothing_of_the_checkout_was_used(book):
    for name in ("build/compile_commands.json", "build/CMakeCache.txt", *(book / "build/bin").glob("*.inputs.json")):
        assert str(ROOT) not in (book / name).read_text(encoding="utf-8")


def test_the_sorting_book_is_measured_and_made(surroundings, tmp_path):
    book = tmp_path / "sorting"
    shutil.copytree(ROOT / "examples/sorting-book", book, ignore=shutil.ignore_patterns("build"))
    published = made(book, surroundings, MEASURE="no")
    assert "AMD EPYC" in published["machines"]
    assert not (book / "build/bin").exists()
    pages = made(book, surroundings)
    for chapter in ("00-crossover", "01-merge"):
        assert pages[chapter].count("<svg") >= 1
        assert pages[chapter] != published[chapter]  # it has this machine's numbers
    check_nothing_of_the_checkout_was_used(book)


def refused(book, surroundings, *job):
    """Why `make` refuses a job."""
    run = subprocess.run(["make", *job], cwd=book, env=surroundings, capture_output=True, encoding="utf-8")
    assert run.returncode == 2
    return run.stderr.splitlines()[0]


def publish(book, surroundings):
    """Why `make publish` refuses this book's records."""
    line = refused(book, surroundings, "publish", "MACHINE=my-machine")
    assert not (book / "figures/records").exists()
    return line


def test_a_new_book_is_made_as_it_is(surroundings, tmp_path):
    book = tmp_path / "Hash Tables"
    run = subprocess.run(["make", "new-book", f"DIR={book}"], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert run.stdout.startswith(f"wrote {book}\n"), run.stderr
    install = re.findall(r"(?:tools/build|python3|export) .*", run.stdout)
    assert len(install) == 3 and all(line in (book / "README.md").read_text() for line in install)
    expected = "publish: build/records/: expected a record of 00-first, found {}: run make site to measure this machine"
    assert publish(book, surroundings) == expected.format("none")
    pages = made(book, surroundings)
    assert "<title>Hash tables" in pages["index"]
    assert "more than twice as fast" in pages["claims"]
    assert "four over one" in pages["machines"]
    (book / "labs/00-first/definitions.json").write_text('["one_over_four = 1 / four_over_one"]')
    made(book, surroundings)
    assert "one_over_four" in (book / "build/labs/lab-00-first_texts.cpp").read_text(encoding="utf-8")
    record = book / "build/records/00-first.json"
    for other in (".refused.json", "-renamed.json"):  # as a lab leaves one, and one that now has another name
        shutil.copy(record, record.with_name(record.stem + other))
    record.rename(book / "kept")
    found = "00-first-renamed.json (of no lab in labs/) 00-first.refused.json (refused when measured)"
    assert publish(book, surroundings) == expected.format(found)
    (book / "kept").rename(record)
    assert publish(book, surroundings).startswith('build/records/00-first.json: /run/budget: expected "full" for publication')
    why = subprocess.run(["record", "why", record], cwd=book, env=surroundings, capture_output=True, encoding="utf-8")
    assert why.stdout == "00-first is fresh: none of its inputs has changed\n", why.stderr
    installed = [name for name in json.loads(record.read_text())["lab"]["inputs"] if name.startswith("library:")]
    assert installed == ["library:press"]  # not the bytes of the archives, which any compiler and any message changes
    check_nothing_of_the_checkout_was_used(book)
    (book / "labs/00-first").rename(book / "labs/00-other")
    (book / "labs/CMakeLists.txt").write_text("add_lab(00-other SOURCES lab.cpp)\n")
    assert refused(book, surroundings, "lab-00") == (  # not measured with the inputs of the lab that had that name
        "lab-00-first: labs/00-other/lab.cpp: .id: expected 00-other, as in add_lab(00-other …), not 00-first; change it")
    assert refused(book, surroundings, "lab-07").endswith("*** there is no lab 07; the labs are: 00-other.  Stop.")
    (book / "labs/01-more").mkdir()
    (book / "labs/01-more/lab.cpp").touch()
    assert refused(book, surroundings, "site") == "labs/CMakeLists.txt: expected add_lab(01-more SOURCES lab.cpp)"
    nothing = {**surroundings, "PATH": os.environ["PATH"]}
    assert refused(book, nothing, "site").startswith("PATH: expected the folders bin and venv/bin of the installed press: install it and add them, as README.md says")


@pytest.mark.skipif(not NVCC, reason="needs nvcc")
def test_the_compiler_of_gpu_code_is_in_the_keys_of_another_book(surroundings, tmp_path):
    book = tmp_path / "book"
    subprocess.run([ROOT / "tools/new-book", book], check=True, capture_output=True)
    lists = book / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace("LANGUAGES CXX", "LANGUAGES CXX CUDA"))
    subprocess.run(["cmake", "-S", book, "-B", book / "build", "-G", "Ninja"], check=True, capture_output=True,
                   env={**surroundings, "CUDACXX": NVCC})
    assert re.search(r"--cuda=\d+\.\d+\.\d+ -O3 -DNDEBUG for ", (book / "build/build.ninja").read_text())


@pytest.mark.parametrize(("folder", "line"), [("", "new-book: DIR='': expected a new folder, as in DIR=../my-book\n"),
                                              ("{full}", "new-book: {full}: expected a new or empty folder\n"),
                                              ("{root}/1", "new-book: 1: expected a name with letters\n")])
def test_a_new_book_needs_a_place_and_a_name(tmp_path, folder, line):
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").touch()
    places = {"full": full, "root": tmp_path}
    run = subprocess.run([ROOT / "tools/new-book", folder.format(**places)], capture_output=True, encoding="utf-8")
    assert run.returncode == 1
    assert run.stderr == line.format(**places)
    assert [path.name for path in full.iterdir()] == ["file"]

"""The generator, site/press, knows no book: it imports nothing of site/book, and names no title, chapter, chip, unit or module
of the book."""

import ast
import os
import re
import shutil
import subprocess
import sys

import pytest
from press.defaults import slug
from whole import PROJECT

PRESS = PROJECT / "site" / "press"
OWN = sorted(path.stem for path in (PROJECT / "site" / "book").glob("*.py") if path.stem not in ("__init__", "gallery"))
CHIPS = ("EPYC", "Xeon", "Zen", "Graviton", "Neoverse", "Ryzen", "TPU", "H100")
UNITS = ("FLOP", "FLOPs", "GFLOP", "TFLOP", "updates")
CHAPTER = re.compile(r"\b\d\d-[a-z][a-z0-9-]+")
EXAMPLES = ("01-sorting", "01-speed", "01-swap")  # a chapter, a figure and a drawing, where directives are described
TEXTS = sorted(path for path in PRESS.rglob("*") if path.suffix in (".py", ".js", ".json", ".css", ".html", ".toml"))


def imported(source: str) -> set[str]:
    """The packages and modules that a module imports from outside its own package."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def of_a_book(text: str) -> list[str]:
    """What a text says of a book."""
    words = re.compile(rf"\b(?:{'|'.join([*CHIPS, *UNITS, *OWN])})\b|[Rr]oofline|(?i:hardware[-_ ]?first)")
    return [name for name in CHAPTER.findall(text) if name not in EXAMPLES] + words.findall(text)


@pytest.mark.parametrize("path", sorted(PRESS.rglob("*.py")), ids=lambda path: path.stem)
def test_press_imports_nothing_of_the_book(path):
    assert "book" not in imported(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_press_says_nothing_of_the_book(path):
    assert of_a_book(path.read_text(encoding="utf-8")) == []


def test_press_alone_makes_a_book_of_two_files(tmp_path):
    shutil.copytree(PRESS, tmp_path / "installed" / "press", ignore=shutil.ignore_patterns("__pycache__"))
    question = "```{predict} days\n:answer: 7\n:range: 1 9\nHow many?\n```\n"
    files = {"site/conf.py": 'project = "Sorting"\nextensions = ["myst_parser", "press"]\nhtml_theme = "press"\n',
             "chapters/index.md": f"# Sorting\n\nIt takes {{math}}`n^2`.\n\n{question}"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "-c", "site", "chapters", "out"], cwd=tmp_path, text=True,
                         capture_output=True, env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")})
    assert (run.returncode, run.stderr) == (0, "")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<title>Sorting</title>" in page and "_static/favicon.svg" in page and "<math" in page
    assert 'data-book="sorting"' in page
    assert "Sorting. Nothing you do here is sent anywhere." in page  # and no rights of another book
    assert {"site.css", "predict.js", "favicon.svg"} <= {path.name for path in (tmp_path / "out" / "_static").iterdir()}


def test_each_title_has_a_name_of_its_own_in_browsers():
    names = {"Hardware First": "hardware-first", "Sorting, measured": "sorting-measured", "Öl": "%C3%B6l", "?": "book"}
    assert {title: slug(title) for title in names} == names


def test_both_rules_can_fail():
    for source in ("import book", "from book.roofs import Roof", "def late():\n    import book.widgets"):
        assert "book" in imported(source)
    assert "book" not in imported("from .chapters import book")
    for text in ("see 02-matmul", "the Roofline", "on a Zen 4", "browser_lab.py", "3 GFLOP/s", "hardwareFirst"):
        assert of_a_book(text)
    assert of_a_book("01-sorting, Widgets, frozen") == []

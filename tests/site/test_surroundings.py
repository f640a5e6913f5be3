"""Surroundings of a build: a folder with a space in its name, a locale that writes 3,14."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import CLAIM, DRAWING, FIGURE, LAB, Site
from whole import PROJECT

PAGE = f"# Page\n\n{{measured}}`{LAB}/ridge_flop_per_byte`\n\n{CLAIM}\n{FIGURE}\n{DRAWING}"
COMMA = "de_DE.UTF-8"


@pytest.fixture
def comma(tmp_path: Path, monkeypatch) -> None:
    """Makes programs that this test starts write 3,14."""
    definitions = Path("/usr/share/i18n/locales/de_DE")
    if not shutil.which("localedef") or not definitions.exists():
        pytest.skip("no localedef, or no de_DE for it (Debian's package locales)")
    folder = tmp_path / "locales"
    folder.mkdir()
    # Its status is 1 if it warns.
    subprocess.run(["localedef", "--inputfile", definitions.name, "--charmap", "UTF-8", folder / COMMA], capture_output=True)
    for name, value in {"LOCPATH": str(folder), "LC_ALL": COMMA, "LANG": COMMA}.items():
        monkeypatch.setenv(name, value)
    asked = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
    point = [sys.executable, "-c", asked]
    assert subprocess.run(point, capture_output=True, text=True, check=True).stdout == ",\n"


def build(root: Path, tool: Path) -> Site:
    site = Site(root, tool)
    site.record()
    site.record(published="a-machine")
    site.drawing()
    site.built(PAGE)
    return site


@pytest.mark.parametrize("name", ["a folder, and more", "%s;$(false)&'#"])
def test_a_folder_may_have_any_name(tmp_path, record_tool, monkeypatch, name):
    """The project's folder, and the system's temporary folder."""
    plain = build(tmp_path / "plain", record_tool)
    scratch = tmp_path / f"scratch {name}"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    assert build(tmp_path / name, record_tool).html() == plain.html()


def tables(record: Path, tool: Path, out: Path) -> dict[str, bytes]:
    subprocess.run([tool, "table", record, "--out", out], check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in out.iterdir()}


def figures(record: Path, tool: Path, out: Path) -> dict[str, bytes]:
    subprocess.run([sys.executable, PROJECT / "site/press/pictures/gnuplot.py", PROJECT / "figures" / "01-bandwidth.gp",
                    "--record", record, "--out", out, "--tool", tool], check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in out.glob("*.svg")}


@pytest.mark.parametrize("made", [tables, figures])
def test_numbers_have_a_point_where_the_locale_has_a_comma(request, tmp_path, record_tool, made):
    (record, *_) = sorted((PROJECT / "figures" / "records").glob(f"*/{LAB}.json"))
    expected = made(record, record_tool, tmp_path / "before")
    request.getfixturevalue("comma")
    assert expected and made(record, record_tool, tmp_path / "after") == expected
    checked = subprocess.run([record_tool, "check", record], capture_output=True, text=True)
    assert (checked.returncode, os.environ["LC_ALL"]) == (0, COMMA), checked.stderr


def test_a_book_is_the_same_where_the_locale_has_a_comma(request, tmp_path, record_tool):
    expected = build(tmp_path / "before", record_tool).html()
    request.getfixturevalue("comma")
    assert build(tmp_path / "after", record_tool).html() == expected

"""What is rebuilt when a record changes, disappears or comes back, and what a build keeps for the next one."""

import os
import shutil

import press
import pytest
from conftest import FIGURE, LAB, Site, add_value

NUMBER = "# %s\n\nIt is {measured}`01-roofline/speed`."
SPEED = {"id": "speed", "unit": "GFLOP/s"}


@pytest.fixture
def measured_site(site):
    site.shown(NUMBER % "Page", add_value(**SPEED, value=171))
    assert "It is 171 GFLOP/s." in site.text()
    return site


def test_a_changed_record_changes_the_page(measured_site):
    measured_site.record(add_value(**SPEED, value=172))
    measured_site.built()
    assert "It is 172 GFLOP/s." in measured_site.text()


def test_a_record_with_an_older_date_counts_as_changed(measured_site):
    path = measured_site.record(add_value(**SPEED, value=172))
    os.utime(path, (1, 1))
    measured_site.build()
    assert "It is 172 GFLOP/s." in measured_site.text()


def test_a_record_disappears_and_comes_back(measured_site):
    measured_site.record_path.unlink()
    measured_site.fails("01-roofline has not been measured here yet: run make lab-01")
    assert "It is not measured here yet." in measured_site.text()

    measured_site.record(add_value(**SPEED, value=173))
    measured_site.built()
    assert "It is 173 GFLOP/s." in measured_site.text()


def test_of_a_lab_that_only_this_machine_measured_a_book_of_published_records_says_so(measured_site):
    build = measured_site.build(press_published_only=True)
    assert build.status == 1
    assert "01-roofline has no published record, and MEASURE=no shows only those: run make publish or make site" in build.said
    assert "not measured here" not in build.said


def test_a_book_of_published_records_is_without_the_chapter_that_has_none(measured_site, capsys):
    measured_site.page("# Home\n\n```{toctree}\n:glob:\n\n[0-9][0-9]-*\n```")
    measured_site.page(NUMBER % "Chapter", LAB)
    said = "01-roofline is left out: it has no published record"
    build = measured_site.build(press_published_only=True, out="published")
    assert (build.status, capsys.readouterr().err.splitlines().count(said)) == (0, 1)
    assert not (measured_site.root / "build" / "published" / f"{LAB}.html").exists()
    measured_site.record(add_value(**SPEED, value=300), published="a-machine")
    build = measured_site.build(press_published_only=True, out="published")
    assert (build.status, capsys.readouterr().err.count(said)) == (0, 0)
    assert "300" in measured_site.html(LAB, "published")


def test_problems_stand_until_they_are_solved(measured_site):
    measured_site.record_path.unlink()
    first = measured_site.build()
    again = measured_site.build()  # nothing is read again
    assert again.status == first.status == 1
    assert "01-roofline has not been measured here yet" in again.said


def test_a_problem_goes_with_its_page(measured_site):
    measured_site.page("# Other\n\nIt is {measured}`01-roofline/nothing`.", "other")
    assert measured_site.build().status == 1
    (measured_site.chapters / "other.md").unlink()
    measured_site.built()


def test_unchanged_pages_are_left_alone(measured_site):
    page = measured_site.root / "build" / "out" / "index.html"
    before = page.stat().st_mtime_ns
    measured_site.built()
    assert page.stat().st_mtime_ns == before


def test_another_extension_makes_every_page_again(measured_site, monkeypatch):
    source = measured_site.root / "assets.py"
    monkeypatch.setattr(press, "SOURCES", [*press.SOURCES, source])
    for text in ("ONE = 1\n", "TWO = 2\n"):
        source.write_text(text)
        assert measured_site.build().read == ["index"] and measured_site.build().read == []
    source.write_text("# What it is.\n\nTWO = 2  # it was 1\n")
    assert measured_site.build().read == []


def test_a_published_record_stands_in_until_the_machine_is_measured(site):
    site.page(NUMBER % "Page")
    site.record(add_value(**SPEED, value=300), published="other-machine")
    site.built()
    assert "It is 300 GFLOP/s." in site.text()

    site.record(add_value(**SPEED, value=171))
    site.built()
    assert "It is 171 GFLOP/s." in site.text()


def test_a_published_record_of_a_lab_that_this_machine_has_not_run_says_so(site):
    site.lab("02-other")
    site.record()
    site.record(published="other-machine", lab="02-other")
    site.built("# Page\n\nIt is {measured}`02-other/clock_ghz`.")
    assert "Lab 02-other has not been run on this machine: the numbers here were measured on Fixture · 2, " \
           "20 November 2026" in site.text()
    assert "Run make lab-02 to measure them here." in site.text() and "not measured on this machine" in site.html()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": 1}', "\x00\x01", '{"schema": 1, "lab": "x"} trailing'])
def test_an_invalid_record_costs_its_numbers_not_the_site(measured_site, content):
    measured_site.record_path.write_text(content)
    measured_site.page("# Other\n\nAll is well.", "other")
    build = measured_site.fails("build/records/01-roofline.json")
    assert str(measured_site.root) not in build.said.replace(str(measured_site.chapters), "")
    assert "It is not measured here yet." in measured_site.text()
    assert "All is well." in measured_site.text("other")


def test_a_record_that_cannot_be_read_is_named(measured_site):
    measured_site.record_path.unlink()
    measured_site.record_path.mkdir()
    measured_site.fails("build/records/01-roofline.json cannot be read (Is a directory): run make lab-01")


def test_an_invalid_record_is_not_replaced_by_a_published_one(site):
    site.page(NUMBER % "Page")
    site.record(add_value(**SPEED, value=300), published="other-machine")
    site.record_path.write_text("{")
    assert site.build().status == 1
    assert "300" not in site.text()


def test_a_missing_record_tool_is_named_and_noticed_when_it_comes(site, tmp_path):
    tool = tmp_path / "bin" / "record"
    real, site.tool = site.tool, tool
    site.record(add_value(**SPEED, value=171))
    site.fails("bin/record is missing, so records cannot be checked: run cmake --build build, or put the installed one on PATH",
               page=NUMBER % "Page")

    tool.parent.mkdir()
    tool.symlink_to(real)
    site.built()
    assert "It is 171 GFLOP/s." in site.text()


def written(site: Site) -> dict[str, int]:
    """When each page was written."""
    return {page.stem: page.stat().st_mtime_ns for page in (site.root / "build" / "out").glob("*.html")}


@pytest.mark.parametrize("machines", [1, 6])
def test_an_edit_of_prose_starts_no_program_and_writes_its_own_page_alone(site, tmp_path, monkeypatch, machines):
    """The same for one machine as for six."""
    asked = tmp_path / "asked"
    for name in ("record", "gnuplot"):
        real = site.tool if name == "record" else shutil.which(name)
        (tmp_path / "bin" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{asked}\nexec {real} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    site.tool = tmp_path / "bin" / "record"
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    for number in range(machines):
        site.record(add_value(**SPEED, value=171 + number), published=f"machine-{number}")
    names = [f"page{number}" for number in range(4)]
    site.page("# Index\n\n```{toctree}\n" + "\n".join(names) + "\n```")
    for name in names:
        site.page(f"{NUMBER % name}\n\n{FIGURE}", name)
    site.built()
    assert {line.split()[0] for line in asked.read_text().splitlines()} == {"record", "gnuplot"}
    asked.unlink()
    before = written(site)

    site.page(f"{NUMBER % 'Page'} A word more.\n\n{FIGURE}", "page1")
    build = site.build()
    assert (build.status, build.read) == (0, ["page1"])
    assert "A word more." in site.text("page1")
    assert not asked.exists(), asked.read_text()
    after = written(site)
    assert {name for name in names if after[name] != before[name]} == {"page1"}


HEADER = """\
/// \\file
/// What chapter %(n)d times.
namespace hf {
/// One of several in the same namespace.
struct Kernel%(n)d {
  int size;  ///< in bytes
};
/// Runs it.
int run%(n)d(const Kernel%(n)d& kernel);
}
"""


@pytest.mark.parametrize("parallel", [1, 4])
def test_what_is_remembered_does_not_grow(site, parallel):
    numbers = range(8)  # Sphinx would read in parallel from six pages on
    for number in numbers:
        (site.root / "labs" / LAB / f"k{number}.hpp").write_text(HEADER % {"n": number})
    reference = site.doxygen()
    names = [f"page{number}" for number in numbers]
    site.page("# Index\n\n```{toctree}\n" + "\n".join(names) + "\nquiet\n```")
    site.page("# A page without numbers", "quiet")

    def render(speed, edited):
        """Builds with another record and prose edited on all pages. Returns the size in bytes of Sphinx's environment."""
        site.record(add_value(**SPEED, value=speed))
        for name in names:
            site.page(f"{NUMBER % name} {edited}\n\n```{{lab-header}} k{name[-1]}.hpp\n```", name)
        build = site.build(**reference, parallel=parallel)
        assert build.status == 0
        assert all(str(speed) in site.text(name) and f"Kernel{name[-1]}" in site.text(name) for name in names)
        return build.read, (site.root / "build" / "out" / ".doctrees" / "environment.pickle").stat().st_size

    _, first = render(171, "Edited 0.")
    for edit in range(1, 6):
        read, size = render(171 + edit, f"Edited {edit}.")
        assert sorted(read) == names  # and not the others
        assert size < 1.1 * first  # Sphinx's C++ domain keeps an empty namespace, 100 bytes, for a page read again

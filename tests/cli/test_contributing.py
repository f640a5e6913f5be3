"""CONTRIBUTING.md: it is short, and whatever it and the scaffold tell a newcomer exists."""

import re

WORDS = 1200
FILE = re.compile(r"`((?:chapters|labs|site|tests|tools)/[\w./-]+|\.ci/run|README\.md)")
SUFFIX = re.compile(r'{"(_[a-z_]+)", {"')


def test_it_is_read_in_five_minutes(root):
    assert len((root / "CONTRIBUTING.md").read_text().split()) <= WORDS


def test_its_first_screen_is_enough_for_a_correction_a_machine_and_an_exercise(root):
    first = (root / "CONTRIBUTING.md").read_text().split("\n## ")[0]
    assert len(first.splitlines()) <= 30
    for said in ("./primer test", "./primer check", "./primer publish MACHINE=", "## Exercises", "chapters/NN-slug.md"):
        assert said in first


def test_the_files_that_it_names_are_there(root):
    named = {name for name in FILE.findall((root / "CONTRIBUTING.md").read_text()) if "NN-" not in name}
    assert len(named) > 10
    assert [name for name in sorted(named) if not (root / name).exists()] == []


def test_the_jobs_that_it_names_are_there(root):
    jobs = set(re.findall(r"(?:make|\./primer) ([a-z]+(?:-[a-z]+)*)\b", (root / "CONTRIBUTING.md").read_text())) - {"lab"}
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.M))
    assert len(jobs) > 5 and jobs <= targets


def test_every_ending_that_promises_a_unit_is_in_the_scaffold(root):
    endings = set(SUFFIX.findall((root / "labs/record/schema.cpp").read_text()))
    assert len(endings) > 10
    assert endings - set(re.findall(r"\b_[a-z_]+", (root / "tools/chapter-template/lab.cpp").read_text())) == set()

"""The answer to a question may not be read on its page before the question is answered."""

import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "site"))

from press.checks.myst import parse  # noqa: E402
from press.checks.rules import Rules, page_problems  # noqa: E402
from press.checks.spoilers import spoiler_problems  # noqa: E402
from press.defaults import read_book  # noqa: E402

QUESTION = """```{predict} how-fast
:value: gain
:reveals: fig-gain.ink said claimed
How fast is it?
```

"""
HIDDEN = "```{container}\n:name: said\nIt is {measured}`gain|times`.\n```\n"
CAPTION = "```{lab-figure} 09-gain\n:name: fig-gain\nIt gains {measured}`gain`.\n```\n"
CLAIM = "```{claim} claimed\nHere it gains {measured}`gain` only.\n```\n"
SOLUTION = ":::{admonition} Solution\n:class: solution\nIt is {measured}`gain`.\n:::\n"


def problems(text):
    return list(spoiler_problems(*parse(QUESTION + text)))


@pytest.mark.parametrize("text", [HIDDEN, CAPTION, CLAIM, SOLUTION, "Another gains {measured}`other_gain`.\n",
                                  "Over there: {measured}`00-workload/gain`.\n"])  # fmt: skip
def test_what_the_question_hides_and_other_numbers_are_no_spoilers(text):
    assert problems(text) == []


@pytest.mark.parametrize("text", ["It is {measured}`gain|times`.\n", HIDDEN.replace("said", "unsaid"),
                                  "```{lab-figure} 09-gain\n:name: fig-other\nIt gains {measured}`gain`.\n```\n"])  # fmt: skip
def test_an_answer_in_plain_sight_is_found(text):
    assert [problem.split(":")[0] for _, problem in problems(text)] == ["gain answers the question how-fast in plain sight"]


def test_its_line_is_named():
    assert [line for line, _ in problems("One line,\nand it is {measured}`gain`.\n")] == [8]


def test_the_check_of_a_page_finds_it(tmp_path):
    page = tmp_path / "chapters/99-page.md"
    page.parent.mkdir()
    page.write_text(QUESTION + "It is {measured}`gain|times`.\n")
    rules = Rules(*map(read_book(PROJECT).get, ("chapter", "units")))
    assert any("in plain sight" in problem for _, problem in page_problems(rules, tmp_path, page))


def test_an_answer_above_the_question_is_found():
    assert [line for line, _ in spoiler_problems(*parse("It is {measured}`gain`.\n\n" + QUESTION))] == [1]


@pytest.mark.parametrize("page", [PROJECT / "tools/chapter-template/chapter.md",
                                  PROJECT / "tools/book-template/chapters/00-first.md",
                                  *(PROJECT / "examples/sorting-book/chapters").glob("[0-9]*.md")], ids=lambda page: page.stem)  # fmt: skip
def test_no_skeleton_gives_an_answer_away(page):
    assert list(spoiler_problems(*parse(page.read_text()))) == []

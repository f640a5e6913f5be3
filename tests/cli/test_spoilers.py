"""The answer to a question may not be read on its page before the question is answered."""

import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "site"))

from press.checks.answers import given_away  # noqa: E402
from press.checks.myst import parse  # noqa: E402
from press.checks.rules import Rules, page_problems  # noqa: E402
from press.checks.spoilers import spoiler_problems  # noqa: E402
from press.defaults import read_book  # noqa: E402
from press.measurements.record import NotMeasured  # noqa: E402

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


NUMBERS = {"gain": (48.2, "1"), "other": (48.4, "1"), "bandwidth": (48.2, "GB/s"), "two": (2, "1"), "also_two": (2, "1")}


class OneMachine:
    """Records of one machine, in which every lab has the same values."""

    def machines(self):
        return ["machine"]

    def choose(self, lab, machine, having):
        if having[0][1] not in NUMBERS:
            raise NotMeasured("no record has it")
        return self

    def value(self, name):
        value, unit = NUMBERS[name]
        spread = {"low": value - 1, "high": value + 1} if value > 9 else {}
        return {"id": name, "value": value, "unit": unit, "kind": "measured", **spread}


ASKED = "```{predict} how-fast\n:value: gain\n:range: 1 99\n:style: times\n:reveals: said\nHow fast?\n```\n"
TYPED = "```{predict} idle\n:answer: 27\n:unit: %\n:range: 0 100\n:reveals: said\nHow long?\n```\n"
WORDED = "```{predict} lacks\n:answer: range\n:choices: fine steps | range\n:reveals: said\nWhat?\n```\n"
HIDES = "```{container}\n:name: said\n%s\n```\n"
FOLD = "````{second-reading} More\n%s\n````\n"


def before(tmp_path, chapter, index="# Book\n", first="# First\n"):
    """The problems of a book of a front page and two chapters: (page, line, the words up to "answers")."""
    for name, text in (("index", index), ("00-first", first), ("01-thing", chapter)):
        (tmp_path / f"{name}.md").write_text(text)
    pages = [tmp_path / f"{name}.md" for name in ("index", "00-first", "01-thing")]
    return [(page.stem, line, problem.partition(" answers")[0]) for page, line, problem in given_away(pages, OneMachine())]


@pytest.mark.parametrize(("chapter", "elsewhere", "found"), [
    (ASKED, {"index": "Up to {measured}`01-thing/gain|times`.\n"}, [("index", 1, "gain")]),
    (ASKED, {"first": "# First\n\nLater, {measured}`01-thing/gain`.\n"}, [("00-first", 3, "gain")]),
    ("## Here\n\nIt has\n{measured}`other|number` places.\n\n" + ASKED, {}, [("01-thing", 4, "other, 48×,")]),
    ("# Thing\n\nIdle 27% of the time.\n\n## Here\n\n" + TYPED, {}, [("01-thing", 3, "27%")]),
    ("### Bits, spent on range\n\n" + WORDED, {}, [("01-thing", 1, '"range"')]),
    ("```{drawing} 01-x\nTheir ranges differ.\n```\n\n" + WORDED, {}, [("01-thing", 2, '"ranges"')]),
])  # fmt: skip
def test_an_answer_that_stands_before_its_question_is_found(tmp_path, chapter, elsewhere, found):
    assert before(tmp_path, chapter, **elsewhere) == found


@pytest.mark.parametrize(("chapter", "elsewhere"), [
    (ASKED + "\nIt is 27%. {measured}`other|times`\n", {}),
    (HIDES % "{measured}`other|times`" + ASKED, {}),
    (FOLD % "{measured}`other|times`" + ASKED, {"index": FOLD % "{measured}`01-thing/gain`"}),
    ("## There\n\n{measured}`other|times`\n\n## Here\n\n" + ASKED, {"first": "# First\n\n{measured}`other|times`\n"}),
    ("{measured}`bandwidth` and {measured}`missing`\n" + ASKED, {}),
    ("{measured}`also_two|times`\n\n" + ASKED.replace("gain", "two"), {}),
    ("Not 127%, 27.5% or 27 ms.\n\n" + TYPED, {}),
    ("## Fine steps\n\nIts range is another matter.\n\n" + WORDED, {}),
    ("## No bits\n\n" + WORDED.replace("range", "no"), {}),
])  # fmt: skip
def test_other_numbers_and_hidden_answers_are_none(tmp_path, chapter, elsewhere):
    assert before(tmp_path, chapter, **elsewhere) == []


def test_an_answer_at_a_point_is_found(tmp_path):
    point = ASKED.replace(":value: gain", ":point: speeds/Naive loop").replace(":style: times\n", "")
    assert before(tmp_path, point, "{measured}`01-thing/speeds[naive_loop]`\n") == [("index", 1, "speeds[naive_loop]")]

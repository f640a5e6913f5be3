"""What a reader meets before a question must not answer it: not with the value that it asks for, in earlier pages; not with the
number that the answer is printed as, in the pages before the chapters, or above the question, in its section or before the
first; and not with the words of the right choice, in the headings and captions just above.

Numbers of one digit are not looked for, as they are everywhere. Folds, which open on request, are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..measurements.measured import value_quantity
from ..measurements.quantity import NO_BREAK_SPACE, Quantity, quantity
from ..measurements.record import RecordError
from ..measurements.records import Records
from ..pictures.gnuplot import DrawError
from .myst import ROLE, Box, Paragraph, parse
from .spoilers import hidden

Problems = Iterator[tuple[Path, int, str]]
FOLDED = ("second-reading", "code")
CAPTIONED = ("lab-figure", "drawing")
NEAR = 2  # headings, and captions, above a question
STYLES = {"percent", "times", "count"}
ALIKE = {"", "×"}  # a sentence says 48 where an answer says 48×
CHAPTER = re.compile(r"\d\d-.*")
EVERYWHERE = re.compile(r"a|about|an|and|are|at|be|by|do|does|few|for|from|in|is|its?|less|many|more|most|much|no|not|of|on|"
                        r"only|or|some|than|that|the|to|what|which|yes")


@dataclass(frozen=True)
class Page:
    """A page that is read from top to bottom."""

    path: Path
    paragraphs: list[Paragraph]
    boxes: list[Box]

    @property
    def plain(self) -> list[Paragraph]:
        """The paragraphs outside folds."""
        return [each for each in self.paragraphs
                if not any(box.name in FOLDED or box.has_class("solution") for box in each.boxes)]

    @property
    def questions(self) -> list[Box]:
        return [box for box in self.boxes if box.name == "predict"]


@dataclass(frozen=True)
class Shown:
    """A number that a page shows: the value's lab and id, and the options of {measured}."""

    line: int
    lab: str
    name: str
    options: frozenset[str]


def given_away(pages: list[Path], records: Records) -> Problems:
    """Every (file, line, problem) of an answer that comes before its question, in pages in their order."""
    read = [page_of(path) for path in pages]
    for number, page in enumerate(read):
        for question in page.questions:
            yield from before(question, page, read[:number], records)


def page_of(path: Path) -> Page:
    return Page(path, *parse(path.read_text(encoding="utf-8-sig")))


def before(question: Box, page: Page, earlier: list[Page], records: Records) -> Problems:
    """What comes before one question and answers it."""
    places = {place.partition(".")[0] for place in question.options.get("reveals", "").split()}
    above = [each for each in page.plain if each.line < question.line and not hidden(each, places)]
    sections = [each.line for each in above if each.text.startswith("## ")] or [0]
    around = [each for each in above if each.line >= sections[-1] or each.line < sections[0]]
    target, answer = answer_of(question, page.path.stem, records)
    say = lambda what: f"{what} answers the question {question.argument} of {page.path.name} before it is asked"
    for other in earlier:
        for shown in numbers_in(other.path.stem, other.plain):
            if (shown.lab, shown.name) == target:
                yield other.path, shown.line, say(shown.name)
    first = [each for each in earlier if not CHAPTER.fullmatch(each.path.stem)]
    for other, paragraphs in [*((each, each.plain) for each in first), (page, around)]:
        for shown in numbers_in(other.path.stem, paragraphs):
            if (shown.lab, shown.name) != target and same(printed(shown, records), answer):
                yield other.path, shown.line, say(f"{shown.name}, {answer},")
        for line in typed(paragraphs, answer):
            yield other.path, line, say(str(answer))
    for line, word in worded(question, above):
        yield page.path, line, say(f'"{word}"')


def answer_of(question: Box, page: str, records: Records) -> tuple[tuple[str, str], Quantity | None]:
    """The (lab, id) that a question asks for, and how its answer is printed; None if it is no number, or not measured."""
    options = question.options
    if "answer" in options:
        try:
            number = float(options["answer"])
        except ValueError:
            return ("", ""), None
        return ("", ""), quantity(number, options.get("unit", "1"), exact=True)
    named = options.get("value", "")
    if path := options.get("point", ""):
        series, _, label = path.rpartition("/")
        named = f"{series}[{re.sub('[^a-z0-9]+', '_', label.lower()).strip('_')}]"
    lab, _, name = named.rpartition("/")
    lab = lab or page
    style = frozenset(filter(None, [options.get("style", "")]))
    return (lab, name), printed(Shown(question.line, lab, name, style), records)


def numbers_in(page: str, paragraphs: list[Paragraph]) -> Iterator[Shown]:
    for paragraph in paragraphs:
        for role in ROLE.finditer(paragraph.text):
            if role[1] == "measured":
                line = paragraph.line + paragraph.text[: role.start()].count("\n")
                yield shown_by(role[2].replace("\\|", "|"), page, line)


def shown_by(words: str, page: str, line: int) -> Shown:
    target, *options = (part.strip() for part in words.split("|"))
    lab, _, name = target.rpartition("/")
    return Shown(line, lab or page, name, frozenset(options))


def printed(shown: Shown, records: Records) -> Quantity | None:
    """The number as the first machine's page has it; None if no record has it."""
    styles = shown.options & STYLES or {each for each in shown.options if each.startswith("as ")}
    try:
        record = records.choose(shown.lab, records.machines()[0], having=[("values", shown.name)])
        return value_quantity(record.value(shown.name), styles)
    except (RecordError, DrawError, KeyError):
        return None


def same(one: Quantity | None, other: Quantity | None) -> bool:
    """Whether two numbers look the same to a reader, and have at least two digits."""
    if one is None or other is None or one.number != other.number or not long_enough(one.number):
        return False
    return one.unit == other.unit or {one.unit, other.unit} <= ALIKE


def long_enough(number: str) -> bool:
    return len(re.sub(r"\D", "", number).lstrip("0")) > 1


def typed(paragraphs: list[Paragraph], answer: Quantity | None) -> Iterator[int]:
    """The lines of paragraphs in which the author typed the answer."""
    if answer is None or not long_enough(answer.number) or not answer.unit:
        return
    unit = re.escape(answer.unit)
    pattern = re.compile(rf"(?<![\d.,]){re.escape(answer.number)}[ {NO_BREAK_SPACE}]?{unit}(?!\w)")
    for paragraph in paragraphs:
        text = ROLE.sub(lambda role: " " * len(role[0]), paragraph.text)
        yield from (paragraph.line + text[: found.start()].count("\n") for found in pattern.finditer(text))


def worded(question: Box, above: list[Paragraph]) -> Iterator[tuple[int, str]]:
    """The words that only the right choice has, in the headings and captions just above: (line, word)."""
    answer = question.options.get("answer", "")
    choices = [re.sub(r"\s*[<>]=?.*", "", each).strip() for each in question.options.get("choices", "").split("|")]
    if answer not in choices:
        return
    others = set().union(*(words_by_stem(each) for each in choices if each != answer))
    telling = words_by_stem(answer).keys() - others
    headings = [each for each in above if each.text.startswith("#")]
    captions = [each for each in above if any(box.name in CAPTIONED for box in each.boxes)]
    for paragraph in headings[-NEAR:] + captions[-NEAR:]:
        said = words_by_stem(ROLE.sub(lambda role: "" if role[1] == "measured" else role[2], paragraph.text))
        for stem in telling & said.keys():
            yield paragraph.line, said[stem]


def words_by_stem(text: str) -> dict[str, str]:
    """The words of a text, but for those that every text has, each by itself without its commonest endings."""
    words = [word for word in re.findall(r"[a-z]{2,}", text.lower()) if not EVERYWHERE.fullmatch(word)]
    return {re.sub(r"(?<=\w{3})(?:e?s|ed|ing|e)$", "", word): word for word in words}

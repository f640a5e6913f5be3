"""What every chapter must have, and what none may contain. The table [chapter] of a book.toml turns these checks on. A problem
is a warning of the build, with its file and line.

- A chapter's front matter has what `front` names: `question:`, `card:`.
- A chapter has the `parts` in their order: {name, find: a pattern}; those with `woven` may also come earlier, after the first.
  `template` names a chapter that has them all.
- A section ## Exercises has as many as `exercises` allows, numbered `**1. …**`, each with a collapsed solution; at least one
  begins with the words in `exercise`.
- No number with a measured unit is typed by hand: it is in {measured}, in an admonition of class `quoted`, or in a paragraph
  with a {cite}.
- A chapter shows at most `open_claims` claims, not counting solutions and {second-reading}.
- A glossary term is in bold or in {term} where the book first uses it, or in the same section; `everyday` lists terms that are
  also everyday words. Before its first section, a chapter may name terms that it defines later.
- A {numref} leads to a figure above it, in an earlier chapter, or at most one section further down.
- Every part that a lab marks as an excerpt is quoted; every figure and drawing of a chapter is shown in it.
- No cell of a table ends inside a role.
- A question hides parts of its own page, among them every mention of the value that answers it, and at most
  `early_questions` questions come before the first section.
- What is read before a question doesn't answer it (answers.py); `first_pages` are read before the chapters.
- Every value shown as not yet measured is recorded by the lab's sources.

The checks read what the author wrote. The tree would be too little: it has no body of a claim that holds, and no prose that
holds on no machine.

python -m press [ROOT] checks in seconds without building, and also that names lead somewhere (misnamed.py), that all is shown
(unshown.py), and that the links of README.md and the other pages beside the book lead to files. It prints one line per problem
to standard error and exits with status 1 if there is any.
"""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ..defaults import read_book
from ..domain import press
from ..measurements.quantity import use
from ..measurements.record import RecordError
from ..measurements.record_tool import record_tool
from ..measurements.records import Records
from ..page.chapters import front_matter
from .answers import given_away
from .mentions import in_pages
from .misnamed import misnamed, misnamed_of_labs
from .myst import ROLE, parse
from .names import labs_of
from .spoilers import spoiler_problems
from .unshown import unshown

logger = logging.getLogger(__name__)
CHAPTER = re.compile(r"\d\d-[a-z0-9-]+")
LINK = re.compile(r"\]\(([^)\s]+)\)")

WORD_NUMBER = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred|thousand|million|billion)"
NUMBER = rf"(?:\d[\d.,/]*(?:\s*(?:–|-|to)\s*\d[\d.,]*)?|\b{WORD_NUMBER}\b)"
UNIT = (
    r"[kKMGTP]i?B(?:/|\s+per\s+)s(?:econds?)?\b|(?:kilo|mega|giga|tera)bytes?\s+(?:per|a)\s+second"
    r"|[num]s\b|[µμ]s\b|(?:nano|micro|milli)seconds?\b|[MG]Hz\b|(?:mega|giga)hertz\b|cycles?\b|watts?\b|pJ\b|dB\b"
    r"|%|per\s?cent\b|percent\b"
)
# W, × and words for amounts are common in ordinary prose, so they only count after a number.
DIGITS_ONLY = r"(?:W\b|×|x\b|times\b)"
# The bound in a question isn't measured: "Is it at least 80%?"
BOUND = r"(?:at least|at most|more than|less than|over|under|within)"
BEGIN = re.compile(r"\s*(?://|#) \[begin: ([\w -]+)\]\s*")
SKETCH = re.compile(r'\bSketch\(\s*"([\w-]+)"')
NEVER = "(?!)"


class Rules:
    """What a book's chapters must have: the tables [chapter] and [units] of its book.toml."""

    def __init__(self, chapter: dict, units: dict) -> None:
        self.front: list[str] = chapter.get("front", [])
        self.parts: list[dict] = chapter.get("parts", [])
        self.template: str = chapter.get("template", "book.toml")
        self.exercises: list[int] = chapter.get("exercises", [])
        self.exercise: str = chapter.get("exercise", "")
        self.open_claims: int = chapter.get("open_claims", 6)
        self.early_questions: int = chapter.get("early_questions", 2)
        self.everyday: list[str] = chapter.get("everyday", [])
        self.first_pages: list[str] = chapter.get("first_pages", ["index"])
        unit = f"(?:{units.get('measured', NEVER)}|{UNIT})"
        self.typed = re.compile(rf"{NUMBER}[\s\u00a0\u202f-]*{unit}|\d[\d.,]*[\s\u00a0\u202f]*{DIGITS_ONLY}")
        self.unit_alone = re.compile(rf"(?<![\w{{]){unit}")
        self.counted = re.compile(units.get("counted", NEVER))


def is_quoted(paragraph):
    return "{cite" in paragraph.text or any(box.has_class("quoted") for box in paragraph.boxes)


def typed_numbers(rules, paragraph):
    """The numbers with measured units that are typed in a paragraph's own text: (line, words)."""
    text = ROLE.sub(lambda role: " " * len(role[0]), paragraph.text)
    found = [
        (paragraph.line + text[: match.start()].count("\n"), match[0])
        for match in rules.typed.finditer(text)
        if not rules.counted.match(match[0])
    ]
    return found + typed_cells(rules, paragraph.line, text.splitlines())


def cells(lines):
    """The rows of a table, each a list of cells; empty if the lines are not a table. An escaped bar does not end a cell."""
    if len(lines) < 3 or not re.fullmatch(r"[\s|:-]+", lines[1]) or "|" not in lines[1]:
        return []
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]


def table_problems(paragraphs):
    """Yields (line, problem) for roles that contain an unescaped bar, which cuts them in two."""
    for paragraph in paragraphs:
        for number, row in enumerate(cells(paragraph.text.splitlines())):
            for cell in row:
                if cell.count("`") % 2 and "{" in cell:
                    yield paragraph.line + number, f"{cell} ends at its bar: in a table write \\|"


def typed_cells(rules, first_line, lines):
    """Numbers in a table under a heading that names a measured unit: (line, words)."""
    rows = cells(lines)
    if not rows:
        return []
    measured = [column for column, heading in enumerate(rows[0]) if rules.unit_alone.search(heading)]
    return [
        (first_line + number, f"{row[column]} under {rows[0][column]}")
        for number, row in enumerate(rows[2:], 2)
        for column in measured
        if column < len(row) and re.search(r"\d", row[column])
    ]


def numbers_problems(rules, paragraphs, boxes):
    """Yields (line, problem) for numbers typed by hand, and for quoted boxes without a source."""
    for paragraph in paragraphs:
        if not is_quoted(paragraph):
            asked = any(box.name.startswith("predict") for box in paragraph.boxes)
            for line, words in typed_numbers(rules, paragraph):
                if asked and re.search(rf"{BOUND} {re.escape(words)}", " ".join(paragraph.text.split())):
                    continue
                yield line, f'"{" ".join(words.split())}" is typed by hand: use {{measured}}, or quote it with a {{cite}}'
    for box in boxes:
        if box.has_class("quoted") and "{cite" not in "\n".join(box.body):
            yield box.line, "a quoted box names no source: add a {cite}"


def order_problems(rules, text):
    """Yields (line, problem) for parts that a chapter lacks or has in the wrong place."""
    start = 0
    for part in rules.parts:
        match = re.compile(part["find"], re.M).search(text, start)
        if match is None:
            anywhere = re.search(part["find"], text, re.M)
            line = text[: anywhere.start()].count("\n") + 1 if anywhere else 1
            yield line, f"{part['name']} is {'in the wrong place' if anywhere else 'missing'}: see {rules.template}"
        elif not part.get("woven"):
            start = match.start()


def front_problems(rules, root, stated):
    """Yields (line, problem) for a chapter without what its card on the front page shows."""
    for name in rules.front:
        if name not in stated:
            yield 1, f"its front matter has no {name}:"
    card = str(stated.get("card", "")).partition(" ")[0]
    if card and not (root / "figures" / f"{card}.gp").is_file() and card not in drawings(root, card[:2]):
        yield 1, f"its front matter has no card: that is a figure or drawing, as {card} is not"


def exercise_problems(rules, text):
    """Yields (line, problem) for a wrong number of exercises, for one without a collapsed solution, and if none begins with the
    book's words."""
    section = re.search(r"^## Exercises\s*$(.*?)(?=^## |\Z)", text, re.M | re.S)
    if section is None or not rules.exercises:
        return
    low, high = rules.exercises
    line = text[: section.start()].count("\n") + 1
    exercises = re.split(r"^(?=\*\*\d+\.)", section[1], flags=re.M)[1:]
    if not low <= len(exercises) <= high:
        yield line, f"{len(exercises)} exercises: expected {low} to {high}, each beginning with **1. …**"
    if not any(re.match(rf"\*\*\d+\.\s+{rules.exercise}", exercise) for exercise in exercises):
        yield line, f"no exercise begins with **N. {rules.exercise}.**"
    for number, exercise in enumerate(exercises, 1):
        if not exercise.startswith(f"**{number}."):
            yield line, f"exercise {number} is misnumbered: count from 1"
        if not re.search(r"^:class: .*\bsolution\b.*\n:collapsible: closed", exercise, re.M):
            yield line, f"exercise {number} has no hidden solution: an admonition of class solution with :collapsible: closed"


FOLDED = ("code", "second-reading")


def is_open(boxes):
    return not any(box.name in FOLDED or box.has_class("solution") for box in boxes)


def claim_problems(rules, boxes):
    """Yields (line, problem) for the claims above the limit."""
    claims = [box for box in boxes if box.name == "claim" and is_open(box.around)]
    if len(claims) > (most := rules.open_claims):
        yield claims[most].line, f"{len(claims)} claims shown, but at most {most} allowed: drop those that carry no argument"


BOLD = re.compile(r"\*\*([^*]+)\*\*")


def glossary(rules, root):
    """{term: a pattern of its words}; names, such as ZeRO, are case-sensitive."""
    path = root / "chapters/glossary.md"
    names = re.findall(r"^([^\s:{#].*)\n: ", path.read_text(encoding="utf-8") if path.is_file() else "", re.M)
    words = {name: re.sub(r" \(.*\)", "", name).replace("’", "'") for name in names if name not in rules.everyday}
    return {name: re.compile(rf"(?<![\w-]){re.escape(word)}(?:s|es)?(?![\w-])", 0 if re.search(r"\w[A-Z]", word) else re.I)
            for name, word in words.items()}


def plain(text):
    return " ".join(text.split()).replace("’", "'")


def introduced(text):
    """The words that a paragraph has in bold or as a {term}, and its other words."""
    terms = [target for role, target in ROLE.findall(text) if role == "term"]
    marked = [re.sub(r".*<(.*)>", r"\1", plain(target)) for target in terms]
    rest = ROLE.sub(" ", text)
    marked += [plain(bold).strip(" .:?!") for bold in BOLD.findall(rest)]
    return marked, plain(re.sub(r"`[^`]*`|\$[^$]*\$", " ", BOLD.sub(" ", rest)))


def in_sections(paragraphs):
    """(number of the section, 0 before the first; paragraph), in order."""
    section = 0
    for paragraph in paragraphs:
        section += paragraph.text.startswith("## ")
        yield section, paragraph


def term_problems(rules, root, chapters):
    """Every problem of a term that is used before the section, in reading order, that first has it in bold or as a {term}."""
    patterns, used, marked = glossary(rules, root), {}, {}
    for page in chapters:
        for section, paragraph in in_sections(parse(page.read_text(encoding="utf-8"))[0]):
            if not is_open(paragraph.boxes) or paragraph.text.startswith(("---", "%")):
                continue
            names, rest = introduced(paragraph.text)
            place = (page, section)
            for name, pattern in patterns.items():
                if name not in marked and any(pattern.fullmatch(each) for each in names):
                    marked[name] = (place, paragraph.line)
                if name not in used and (found := pattern.search(rest)):
                    used[name] = (place, paragraph.line, found[0])
    for name, (place, line, word) in used.items():
        if name in marked and (there := marked[name][0]) != place and place != (there[0], 0) and place < there:
            defined = f"{there[0].name}:{marked[name][1]}"
            said = f'"{word}" is used before {defined} defines it: make it a {{term}}, or define it here'
            yield place[0], line, said


def figure_problems(chapters):
    """Every problem of a figure that is mentioned in an earlier chapter, or more than one section before it is shown."""
    places, mentions = {}, []
    for page in chapters:
        paragraphs, boxes = parse(page.read_text(encoding="utf-8"))
        heads = [paragraph.line for paragraph in paragraphs if paragraph.text.startswith("## ")]
        section_of = lambda line, heads=heads: sum(head <= line for head in heads)
        places |= {box.options["name"]: (page, section_of(box.line)) for box in boxes if "name" in box.options}
        for paragraph in paragraphs:
            for role in ROLE.finditer(paragraph.text):
                if role[1] == "numref":
                    line = paragraph.line + paragraph.text[: role.start()].count("\n")
                    mentions.append((page, line, section_of(line), re.sub(r".*<(.*)>", r"\1", role[2])))
    for page, line, section, name in mentions:
        there, its = places.get(name, (page, section))
        if there > page or there == page and its > section + 1:
            where = f"in {there.name}" if there > page else f"{its - section} sections further down"
            yield page, line, f"{name} is shown {where}: say it there, or show the figure earlier"


def marker_problems(root, pages):
    """Every problem of a part that a lab marks as an excerpt but no chapter quotes."""
    boxes = [box for page in pages for box in parse(page.read_text(encoding="utf-8"))[1] if box.name == "lab-code"]
    quoted = {(box.argument, box.options.get("part")) for box in boxes}
    for source in sorted(path for path in (root / "labs").rglob("*") if path.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".py")):
        name = source.relative_to(root / "labs").as_posix()
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            begins = BEGIN.fullmatch(line)
            if begins and (name, begins[1]) not in quoted:
                yield source, number, f'no chapter quotes the part "{begins[1]}": quote it, or remove its marks'


def unshown_problems(root, name, boxes):
    """Yields (line, problem) for a chapter's figures and drawings that it does not show."""
    shown = {(box.name, box.argument) for box in boxes}
    for script in sorted((root / "figures").glob(f"{name[:2]}-*.gp")):
        if ("lab-figure", script.stem) not in shown:
            yield 1, f"figures/{script.name} is not shown"
    for drawing, script in drawings(root, name[:2]).items():
        if ("drawing", drawing) not in shown:
            yield 1, f"drawings/{script} draws {drawing}, which is not shown"


def drawings(root, number):
    """{drawing: its script} for a chapter, by the names in its script."""
    scripts = sorted((root / "drawings").glob(f"{number}-*.py"))
    return {drawing: script.name for script in scripts for drawing in SKETCH.findall(script.read_text(encoding="utf-8"))}


def prediction_problems(rules, name, text, boxes):
    """Yields (line, problem) for questions that reveal something not on the page, come too early, or are not summed up."""
    asked = [box for box in boxes if box.name in ("predict", "predict-table")]
    places = {box.options["name"] for box in boxes if "name" in box.options} | {
        box.argument.rpartition("/")[2] for box in boxes if box.name == "claim"}
    for box in asked:
        for place in box.options.get("reveals", "").split():
            if place.partition(".")[0] not in places:
                yield box.line, f"{box.argument} reveals {place}, which is neither a :name: nor a claim of this page"
    first_section = next((number for number, line in enumerate(text.splitlines(), 1) if line.startswith("## ")), 0)
    if len(early := [box for box in asked if box.line < first_section]) > rules.early_questions:
        where = "put each above the figure that answers it"
        yield early[-1].line, f"{len(early)} questions before the first section, but at most {rules.early_questions}: {where}"
    if CHAPTER.fullmatch(name) and asked and not any(box.name == "predictions-summary" for box in boxes):
        yield asked[-1].line, "the reader's answers are never summed up: put {predictions-summary} before ## Takeaway"


def link_problems(page):
    """Every (page, line, problem) of a link to a file that doesn't exist."""
    text = page.read_text(encoding="utf-8-sig")
    for match in LINK.finditer(text):
        path = match[1].split("#")[0]
        if path and not re.match(r"[a-z]+:", path) and not (page.parent / path).exists():
            yield page, text[: match.start()].count("\n") + 1, f"the link to {match[1]} leads nowhere"


def page_problems(rules, root, page):
    """Every (line, problem) of one page of chapters/."""
    text = page.read_text(encoding="utf-8-sig")
    paragraphs, boxes = parse(text)
    yield from numbers_problems(rules, paragraphs, boxes)
    yield from table_problems(paragraphs)
    yield from prediction_problems(rules, page.stem, text, boxes)
    yield from spoiler_problems(paragraphs, boxes)
    if CHAPTER.fullmatch(page.stem):
        yield from unshown_problems(root, page.stem, boxes)
        yield from front_problems(rules, root, front_matter(page, text))
        yield from order_problems(rules, text)
        yield from exercise_problems(rules, text)
        yield from claim_problems(rules, boxes)


def book_problems(rules, root, labs, mentions, records):
    """Every (file, line, problem) of a book that no directive or role finds."""
    pages = sorted((root / "chapters").glob("*.md"))
    for page in pages:
        for line, problem in sorted(page_problems(rules, root, page)):
            yield page, line, problem
    yield from marker_problems(root, pages)
    chapters = [page for page in pages if CHAPTER.fullmatch(page.stem)]
    yield from term_problems(rules, root, chapters)
    yield from figure_problems(chapters)
    first = [path for name in rules.first_pages if (path := root / "chapters" / f"{name}.md").is_file()]
    yield from given_away([*first, *chapters], records)
    yield from misnamed_of_labs(labs, [each for each in mentions if each.pending])
    for lab in labs.values():
        if not (root / "chapters" / f"{lab.name}.md").is_file():
            yield lab.folder / "lab.cpp", 1, f"chapters/{lab.name}.md is missing"


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """env-check-consistency: warns of every problem."""
    if app.config.press_chapter:
        root = Path(app.config.press_root)
        rules = Rules(app.config.press_chapter, app.config.press_units)
        for path, line, problem in book_problems(rules, root, labs_of(root), in_pages(root), press(env).records):
            logger.warning(problem, location=f"{path}:{line}", type="press", subtype="chapter")


def add_to(app: Sphinx) -> None:
    app.connect("env-check-consistency", check)


def main(root):
    """Checks without building; returns the exit status."""
    if not any((root / "chapters").glob("*.md")):
        sys.exit(f"press: {root}/chapters has no chapter: run it in the project's folder")
    book, labs, mentions = read_book(root), labs_of(root), in_pages(root)
    records = Records(root, root / "build", record_tool(root / "build"), published_only=True,
                      default=book.get("default_machine", ""))
    use(book.get("units", {}).get("families", []))
    problems = [*book_problems(Rules(book.get("chapter", {}), book.get("units", {})), root, labs, mentions, records)]
    problems += misnamed(root, labs, mentions)
    try:
        problems += unshown(labs, mentions, records.tool)
    except RecordError as error:
        sys.exit(str(error))
    for page in sorted(root.glob("*.md")):
        problems += link_problems(page)
    for path, line, problem in problems:
        print(f"{path.relative_to(root)}:{line}: {problem}", file=sys.stderr)
    return 1 if problems else 0

"""The values, claims, terms and sources that the pages of a book mention, as their authors wrote them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .myst import ROLE, Box, parse
from .names import without_row

FACTS = ("run.", "machine.", "toolchain.")
DRAWN = re.compile(r"\S+ [xy]2? [*/] (\S+)")  # the factor in {predict}'s :drawn:


@dataclass(frozen=True)
class Mention:
    """A name in a page. `kind` is "value" (or series), "claim", "link" (to a claim), "term" or "source"; `lab` is that of a
    value or a claim; `pending`: the value is perhaps not measured yet."""

    path: Path
    line: int
    kind: str
    name: str
    lab: str = ""
    pending: bool = False


def in_pages(root: Path) -> list[Mention]:
    """What the pages of a book mention."""
    figures = {path.parent.name[:2]: path.parent.name for path in root.glob("labs/[0-9][0-9]-*/lab.cpp")}
    return [each for page in sorted((root / "chapters").glob("*.md")) for each in in_page(page, figures)]


def in_page(page: Path, labs: dict[str, str]) -> Iterator[Mention]:
    """What a page mentions; `labs` are the labs by their numbers."""
    paragraphs, boxes = parse(page.read_text(encoding="utf-8-sig"))
    for paragraph in paragraphs:
        if any(box.name == "code" for box in paragraph.boxes):
            continue
        for role in ROLE.finditer(paragraph.text):
            line = paragraph.line + paragraph.text[: role.start()].count("\n")
            for kind, target, *marks in of_role(role[1], role[2]):
                yield mention(page, line, kind, target, page.stem, "pending" in marks)
    for box in boxes:
        lab = box.options.get("lab") or labs.get(box.argument[:2], page.stem) if box.name == "lab-figure" else page.stem
        for option, kind, target in of_box(box):
            pending = option == "pending" or option == "value" and "pending" in box.options
            yield mention(page, box.line + [None, *box.options].index(option), kind, target, lab, pending)


def mention(page: Path, line: int, kind: str, target: str, lab: str, pending: bool = False) -> Mention:
    """A mention of "lab/name", or of "name" in this lab."""
    if kind in ("term", "source"):
        return Mention(page, line, kind, target)
    other, _, name = target.rpartition("/")
    return Mention(page, line, kind, without_row(name), other or lab, pending)


def of_role(role: str, target: str) -> Iterator[tuple[str, ...]]:
    """(kind, target, options) of what a role mentions."""
    words = " ".join(target.replace("\\|", "|").split())
    if role == "measured":
        name, *options = map(str.strip, words.split("|"))
        if not name.rpartition("/")[2].startswith(FACTS):
            yield "value", name, *options
    elif role in ("term", "hf:claim"):
        yield "term" if role == "term" else "link", re.sub(r"^.*<(.*)>$", r"\1", words)
    elif role.startswith("cite"):
        yield from (("source", key.strip()) for key in words.split(","))


def of_box(box: Box) -> Iterator[tuple[str | None, str, str]]:
    """(option, kind, target) of what a directive mentions in its options, and in its argument, for which the option is None."""
    if kind := {"claim": "claim", "where-holds": "claim", "where-measured": "value"}.get(box.name):
        yield from ((None, kind, name.removeprefix("!")) for name in box.argument.split())
    for option, text in box.options.items():
        names = []
        if option in ("value", "values", "series", "pending"):
            names = text.split()
        elif option == "point":
            names = [text.rpartition("/")[0]]
        elif option == "drawn" and (factor := DRAWN.fullmatch(text)) and not factor[1].isdecimal():
            names = [factor[1]]
        yield from ((option, "value", name) for name in names)

"""What is known about chapters before they are read: number, title, question, figure, takeaway, reading time.

A chapter's front matter contains a one-line `question:` and `card:`, the figure or drawing for its card, of a drawing perhaps
only a part, as x, y, width and height in its own units: `01-speed 10,18,304,190`.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from sphinx.util import logging

WORDS_A_MINUTE = 220
FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.S)
TAKEAWAY = re.compile(r"^:class: .*\btakeaway\b.*\n\s*\*\*(.+?)\*\*", re.M)
NOT_READ = (re.compile(r"^(`{3,})\{?[\w-]*\}?.*?^\1\s*$", re.M | re.S),  # directives and code
            re.compile(r"^:{3,}\{admonition\} Solution\n.*?^:{3,}\s*$", re.M | re.S), re.compile(r"^:.*$", re.M))
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Chapter:
    """One chapter; `card`, `crop` and `question` are empty if its front matter has none."""

    page: str
    title: str
    question: str
    card: str
    crop: str
    takeaway: str
    minutes: int

    @property
    def number(self) -> str:
        return self.page[:2]


def chapters(folder: Path) -> list[Chapter]:
    """All chapters in a folder, in order."""
    return [read_chapter(path) for path in chapter_files(folder)]


def chapter_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[0-9][0-9]-*.md"))


def read_chapter(path: Path) -> Chapter:
    text = path.read_text(encoding="utf-8-sig")
    stated = front_matter(path, text)
    title = re.search(r"^# (.+)$", text, re.M)
    takeaway = TAKEAWAY.search(text)
    card, _, crop = str(stated.get("card", "")).strip().partition(" ")
    return Chapter(path.stem, title[1].strip() if title else path.stem, str(stated.get("question", "")).strip(), card, crop,
                   takeaway[1] if takeaway else "", reading_minutes(text))


def front_matter(path: Path, text: str) -> dict:
    """A page's front matter; empty, with a warning, if it isn't YAML."""
    front = FRONT.match(text)
    try:
        stated = yaml.safe_load(front[1]) if front else {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        logger.warning("%s:%d: its front matter is not YAML (%s): put text that contains a colon in quotes", path,
                       mark.line + 2 if mark else 1, getattr(error, "problem", error), once=True)
        return {}
    return stated if isinstance(stated, dict) else {}


def reading_minutes(text: str) -> int:
    """The time to read the prose, without code, figures and solutions; at least one minute."""
    for left_out in NOT_READ:
        text = left_out.sub("", text)
    return max(1, round(len(text.split()) / WORDS_A_MINUTE))

"""Shown or gone: a lab records what the book shows, and claims what a chapter says.

A value or a series is shown if a page, a figure's script, a script of the site or the tools, or a pair of predictions.json uses
it; if it decides a law, or a claim that stands; or if a shown value is derived from it. A claim stands in a chapter, as {claim}
or {where-holds}, or its value decides a law.
"""

import fnmatch
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..measurements.record_tool import RecordTool
from ..pictures.lab_figure import CONDITIONS
from .mentions import Mention
from .names import Lab, is_made_of

HERE = Path(__file__).parents[1]
SCRIPTS = (".py", ".js", ".cpp", ".hpp", "")
QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
COMMENT = re.compile(r"^#(?! (?:needs|shows): ).*$", re.M)  # but for the series in a figure's head


def unshown(labs: dict[str, Lab], mentions: list[Mention], tool: RecordTool) -> Iterator[tuple[Path, int, str]]:
    """Every (file, line, problem) of a value, a definition or a claim that nothing shows."""
    scripts = words_of(path.read_text(encoding="utf-8", errors="replace") for path in scripts_of(tool.root))
    unseen = []
    for lab in labs.values():
        figures = [COMMENT.sub("", path.read_text(encoding="utf-8")) for path in figures_of(tool.root, lab)]
        used = Used(lab, mentions, scripts, figures)
        unseen += [(lab, name) for name in lab.stated.keys() | lab.recorded if not used.shows(name)]
        for name, (line, _) in lab.defined.items():
            if not used.shows(name):
                yield lab.folder / "definitions.json", line, f"nothing shows {name}: show it, or remove it"
        for name, (line, _) in lab.claims.items():
            if name not in used.claims:
                problem = f"{name} stands in no chapter and decides no law: show it, or remove it"
                yield lab.folder / "claims.json", line, problem
    for path, line, name in sorted(still_recorded(unseen, tool)):
        yield path, line, f"nothing shows {name}: show it, print it with lab.show, or remove it"


def still_recorded(values: list[tuple[Lab, str]], tool: RecordTool) -> Iterator[tuple[Path, int, str]]:
    """(file, line, id) of each of the values that a source adds by its whole name, or whose source has not changed since a
    record got it: a record may be older than the sources."""
    asked = {path for lab, name in values if name not in lab.stated for path, _ in lab.measured[name]}
    changed = tool.ask("stale", sorted(asked))

    def is_same(path: Path, at: str) -> bool:
        source = at.rpartition(":")[0]
        return bool(source) and path in changed and not any(each.startswith(f"{source} ") for each in changed[path])

    for lab, name in values:
        if name in lab.stated or any(is_same(*place) for place in lab.measured[name]):
            yield *(lab.stated.get(name) or lab.place(name)), name


class Used:
    """What is shown of a lab. `scripts` are the words of all scripts, `figures` the texts of the lab's figures, which may join
    ids from parts: tables."/rung_".rungs[i].".tsv"."""

    def __init__(self, lab: Lab, mentions: list[Mention], scripts: set[str], figures: list[str]) -> None:
        self.parts = [words_of(QUOTED.findall(figure)) for figure in figures]
        mine = [each for each in mentions if each.lab == lab.name]
        self.names = set().union(*(names for _, names in lab.laws))
        stated = {each.name for each in mine if each.kind == "claim"}
        self.claims = {name for name, (_, value) in lab.claims.items() if name in stated or self.has(value)}
        self.names |= scripts | words_of(figures) | {each.name for each in mine if each.kind == "value"}
        self.names |= {lab.claims[name][1] for name in self.claims}
        self.names |= {pair[side] for pair in lab.pairs for side in ("predicted", "measured") if side in pair}
        waiting = [name for name in lab.defined if self.shows(name)]
        while waiting:
            factors = lab.defined[waiting.pop()][1] - self.names
            self.names |= factors
            waiting += factors & lab.defined.keys()

    def has(self, name: str) -> bool:
        """Whether a page or a file of the lab names an id, or a pattern that fits it."""
        return name in self.names or any(fnmatch.fnmatchcase(name, each) for each in self.names if "*" in each)

    def shows(self, name: str) -> bool:
        return self.has(name) or name.startswith(CONDITIONS) or any(is_made_of(name, parts) for parts in self.parts)


def figures_of(root: Path, lab: Lab) -> list[Path]:
    """The scripts of a lab's figures, and those that have no lab's number."""
    return [path for path in sorted(root.glob("figures/*.gp")) if path.name[:2] == lab.name[:2] or not path.name[0].isdigit()]


def scripts_of(root: Path) -> list[Path]:
    """The scripts of what the site shows besides the chapters, and of the tools."""
    return sorted({path for folder in (root / "site", root / "tools", HERE) for path in folder.rglob("*")
                   if path.suffix in SCRIPTS and path.is_file()})


def words_of(texts: Iterable[str]) -> set[str]:
    """The words of texts, without the have_ and value_ that a record's tables put before ids."""
    words = {word for text in texts for word in re.findall(r"\w+_\*(?=\s)|\w+", text)}  # rung_* is in the head of a figure
    return {re.sub(r"^(have|value)_", "", word) for word in words}

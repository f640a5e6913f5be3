"""The names that a book's files give to values and claims, for the checks that need no build.

Ids are often built from parts, "search_" + name, so that sources may record an id if their strings make it up.
"""

import re
from functools import cached_property
from pathlib import Path

from ..json_file import read_json

SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".py")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FILLED = re.compile(r"\{[^}]*\}")  # by std::format
STATED = re.compile(r'\b(?:Value|modelled|derived|simulated)\("([a-z][a-z0-9_]*)",')
ID = re.compile(r"(?<![\w.])[a-z][a-z0-9_*]*")


class Lab:
    """The names in the folder of a lab."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.name, self.folder = root, name, root / "labs" / name

    @cached_property
    def strings(self) -> dict[Path, dict[str, int]]:
        return {path: strings_in(path.read_text(encoding="utf-8", errors="replace"))
                for path in sorted(self.folder.rglob("*")) if path.suffix in SOURCES or path.parent.name == "data"}

    @cached_property
    def stated(self) -> dict[str, tuple[Path, int]]:
        """The values that a source adds by their whole names, perhaps not measured yet, and where."""
        return {name: (path, lines[name]) for path, lines in self.strings.items() if path.suffix == ".cpp"
                for name in STATED.findall(path.read_text(encoding="utf-8", errors="replace"))}

    @cached_property
    def measured(self) -> dict[str, list[tuple[Path, str]]]:
        """Every value and series of the lab's records: the records that have it, oldest first, and where each says that it was
        recorded, as "labs/NN-slug/FILE:LINE"."""
        found: dict[str, list[tuple[str, Path, str]]] = {}
        published = self.root.glob(f"figures/records/*/{self.name}.json")
        for path in [*published, self.root / "build" / "records" / f"{self.name}.json"]:
            record = self.read(path, {})
            started = record.get("run", {}).get("started", "")
            for each in record.get("values", []) + record.get("series", []):
                found.setdefault(each["id"], []).append((started, path, each.get("at", "")))
        return {name: [(path, at) for _, path, at in sorted(places)] for name, places in sorted(found.items())}

    @cached_property
    def recorded(self) -> list[str]:
        """The values and series that a record has, and that the sources may still record."""
        return [name for name in self.measured if name not in self.defined and is_made_of(name, self.parts)]

    def place(self, name: str) -> tuple[Path, int]:
        """The line that records a value, by the newest record that says so."""
        path, _, line = next(at for _, at in reversed(self.measured[name]) if at).rpartition(":")
        return self.root / path, self.strings.get(self.root / path, {}).get(name, int(line))

    @cached_property
    def parts(self) -> set[str]:
        """The strings of all sources."""
        return set().union(*self.strings.values())

    def has(self, name: str) -> bool:
        """Whether a definition or a source has a value of this name, perhaps not measured yet."""
        return name in self.defined or is_made_of(name, self.parts)

    @cached_property
    def defined(self) -> dict[str, tuple[int, set[str]]]:
        """Every value that a definition derives: its line in definitions.json, and the ids from which it is derived."""
        found = {}
        for line, text in self.lines_of("definitions.json"):
            subject, _, product = text.partition(" = ")
            found[without_row(subject)] = line, ids_in(product.partition(" in ")[0])
        return found

    @cached_property
    def laws(self) -> list[tuple[int, set[str]]]:
        """The lines of laws.json, each with the names that decide whether it is kept; a law about a unit has none."""
        words = r"^any \S+ <= (highest )?| never \w+$| except(?= )"
        return [(line, set() if " in " in text else ids_in(re.sub(words, "", text)))
                for line, text in self.lines_of("laws.json")]

    def lines_of(self, file: str) -> list[tuple[int, str]]:
        """The texts in a list, and their lines."""
        texts = self.read(self.folder / file, [])
        return [(line_of(self.folder / file, text), text) for text in texts if isinstance(text, str)]

    @cached_property
    def claims(self) -> dict[str, tuple[int, str]]:
        """{id: its line in claims.json, the id of the value that decides it}."""
        path = self.folder / "claims.json"
        return {each["id"]: (line_of(path, each["id"]), without_row(each.get("value", ""))) for each in self.read(path, [])
                if isinstance(each, dict) and "id" in each}

    @cached_property
    def pairs(self) -> list[dict]:
        """The pairs of predictions.json."""
        return self.read(self.folder / "predictions.json", {}).get("pairs", [])

    @staticmethod
    def read(path: Path, otherwise: dict | list) -> dict | list:
        """What a JSON file contains, if it is usable; the checks of its form say why not."""
        try:
            data = read_json(path)
        except (OSError, ValueError):
            return otherwise
        return data if isinstance(data, type(otherwise)) else otherwise


def labs_of(root: Path) -> dict[str, Lab]:
    return {path.parent.name: Lab(root, path.parent.name) for path in sorted(root.glob("labs/[0-9][0-9]-*/lab.cpp"))}


def line_of(path: Path, text: str) -> int:
    """The first line of a JSON file that contains a text as a string; 1 if none does."""
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return next((number for number, line in enumerate(lines, 1) if f'"{text}"' in line), 1)


def ids_in(words: str) -> set[str]:
    """The names in a law or a product, without rows."""
    return set(ID.findall(re.sub(r"\[[^\]]*\]", "", words)))


def without_row(name: str) -> str:
    """The series of a point, "speed[q4_0]"; any other id as it is."""
    return name.partition("[")[0]


def strings_in(text: str) -> dict[str, int]:
    """The strings in a source that may be ids or parts of some, such as "sqnr_", "Q4 0", "_db", each with its first line."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for string in STRING.findall(line):
            for piece in FILLED.split(string.partition(" = ")[0]):
                found.setdefault(re.sub(r"[^a-z0-9]+", "_", piece.lower()), number)
    return found


def is_made_of(name: str, parts: set[str]) -> bool:
    """Whether an id consists of parts and numbers, with an underscore wherever one ends and another begins."""
    ends = {0}
    for end in range(1, len(name) + 1):
        may_end = end == len(name) or "_" in name[end - 1 : end + 1]
        if may_end and any(name[start:end] in parts or name[start:end].isdigit() for start in ends):
            ends.add(end)
    return len(name) in ends

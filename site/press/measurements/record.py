"""A lab's record, as the site reads it, and the machine that measured it."""

import fnmatch
import functools
import marshal
import re
import sys
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from babel.dates import format_date

LAB_ID = re.compile(r"\d\d-[a-z0-9-]+")
HERE = "here"
CHANGED = "code changed since this run"  # of a published record
# What a short name leaves out of a product's: its maker, brand, memory and form.
NOT_MODEL = re.compile(r"^(AMD|Intel|NVIDIA)( GeForce| Tesla)? | (Processor|CPU)\b.*| \d+-Core\b.*|[ -](SXM|PCIe|\d+ ?GB).*")


class RecordError(Exception):
    """Why a record, or the wanted part of it, is missing or invalid. One line, with the remedy."""


class NotMeasured(RecordError):
    """The records are valid, but none has the wanted part."""


@dataclass(frozen=True)
class Machine:
    """A machine whose records are in this copy of the book. `slug` is the name it was published under, or "here" for this
    machine; `name` says all that readers should know, `short` is for sentences and tables."""

    slug: str
    name: str
    short: str
    local: bool


class Data(dict):
    """What a record contains. Hundreds of records must fit into memory, so it lacks what no page shows (most samples, and what
    the lab was built from), and its series are packed until somebody asks for them."""

    def __init__(self, data: dict) -> None:
        series = [{**each, "points": [*map(_shown, each["points"])]} for each in data["series"]]
        super().__init__({name: part for name, part in data.items() if name != "series"})
        self["lab"] = {name: part for name, part in data["lab"].items() if name != "inputs"}
        self["values"] = [{name: sys.intern(part) if type(part) is str else part for name, part in _shown(value).items()}
                          for value in data["values"]]
        self.packed = zlib.compress(marshal.dumps(series), 1)
        self.rows: dict[str, dict | None] = {}  # the points that were asked for as values

    def __missing__(self, name: str) -> list[dict]:
        if name != "series":
            raise KeyError(name)
        return _unpacked(self.packed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Data) and self.packed == other.packed and dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


def _shown(number: dict) -> dict:
    """A value or point, with its samples only if a page counts them."""
    counted = "few" in number or "modes" in number
    return {name: part for name, part in number.items() if counted or name != "samples"}


@functools.lru_cache(maxsize=32)
def _unpacked(packed: bytes) -> list[dict]:
    return marshal.loads(zlib.decompress(packed))


@dataclass(frozen=True)
class Record:
    """One valid record. `local`: it is this machine's own, not a published one; `changed`: the lab's sources that have changed
    since a published record was measured; `elsewhere`: it replaces the missing record of another machine."""

    path: Path
    local: bool
    data: Data
    changed: tuple[str, ...] = ()
    elsewhere: bool = False

    def value(self, value_id: str) -> dict | None:
        """A value, or a point of a series, as in "speedup[quicksort]"."""
        return part_of(self.data, "values", value_id)

    def series(self, series_id: str) -> dict | None:
        return _by_id(self.data["series"], series_id)

    def series_like(self, name: str) -> list[dict]:
        """The series that fit a name, in which * stands for any characters."""
        return [each for each in self.data["series"] if fnmatch.fnmatchcase(each["id"], name)]

    @property
    def lab(self) -> str:
        return self.data["lab"]["id"]

    @property
    def published_as(self) -> str:
        """The name given to `make publish`; empty for this machine's own record."""
        return "" if self.local else self.path.parent.name

    @property
    def slug(self) -> str:
        """The machine's Machine.slug."""
        return self.published_as or HERE

    @property
    def since(self) -> str:
        """Follows the date of a record: says if code changed since."""
        return f"; {CHANGED}" if self.changed else ""

    @property
    def cpu(self) -> str:
        """The processor's name without trademark signs, and its microarchitecture unless the name includes it."""
        machine = self.data["machine"]
        name = re.sub(r"\((R|TM|tm)\)", "", machine["cpu"]).strip()
        core = machine.get("microarchitecture", "")
        return name if core in name else f"{name} ({core})"

    @property
    def gpu(self) -> str:
        """The first GPU's name; empty if there is none."""
        return next((gpu["name"] for gpu in self.data["machine"]["gpus"]), "")

    @property
    def machine_name(self) -> str:
        cores = self.data["machine"].get("cores")  # a browser doesn't know them
        counted = f"{cores} core{'s' if cores != 1 else ''}" if cores else ""
        return ", ".join(filter(None, [self.cpu, counted, self.gpu]))

    @property
    def short_name(self) -> str:
        """The model of the GPU, else of the core and the number of cores: "X200", "Core 9 · 2"."""
        machine = self.data["machine"]
        if self.gpu:
            return NOT_MODEL.sub("", self.gpu)
        core = machine.get("microarchitecture") or NOT_MODEL.sub("", self.cpu)
        return f"{core} · {machine['cores']}" if machine.get("cores") else core

    @property
    def date(self) -> str:
        started = datetime.strptime(self.data["run"]["started"], "%Y-%m-%dT%H:%M:%SZ")
        return format_date(started, "d MMMM y", locale="en")


def row_of(point: dict) -> str:
    """A point's name in "series[point]": its label, or else its x, in lower case with _ for anything but letters and digits. In
    C++: labs/record/record.hpp."""
    return re.sub(r"[^a-z0-9]+", "_", point.get("label", f"{point['x']:g}").lower()).strip("_")


def part_of(data: dict, part: str, wanted: str) -> dict | None:
    """The series or value with this name."""
    if part == "values" and "[" in wanted and isinstance(data, Data):
        if wanted not in data.rows:
            data.rows[wanted] = _point_of(data, wanted) or _by_id(data[part], wanted)
        return data.rows[wanted]
    return (_point_of(data, wanted) if part == "values" else None) or _by_id(data[part], wanted)


def _point_of(data: dict, wanted: str) -> dict | None:
    """The point "series[point]" as a value."""
    name, bracket, row = wanted.partition("[")
    series = _by_id(data["series"], name) if bracket else None
    point = next((point for point in series["points"] if f"{row_of(point)}]" == row), None) if series else None
    if not point:
        return None
    return {**point, "id": wanted, "label": f"{name.replace('_', ' ')}, {point.get('label', point['x'])}",
            "value": point["median"], "unit": series["y"]["unit"], "kind": series["kind"],
            **{name: series[name] for name in ("source", "at") if name in series}}


def _by_id(entries: list[dict], wanted: str) -> dict | None:
    return next((entry for entry in entries if entry["id"] == wanted), None)

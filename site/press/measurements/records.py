"""Finds the records, checks them, and chooses the one that a page uses."""

import fnmatch
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from babel.dates import format_date

from ..pictures.gnuplot import DrawError, attempts_in, content_digest, digest_of, key_of, read_json, write_if_changed

_ONE_OF = {"series": "series", "values": "value"}
LAB_ID = re.compile(r"\d\d-[a-z0-9-]+")
HERE = "here"
BUILDER = "the machine that built this book"  # on the pages of other machines, where "this machine" would be ambiguous
FOLDER = re.compile(r"(?!here$)[a-z0-9]+(-[a-z0-9]+)*")  # a published machine's; in C++: refused_folder()
LONGEST = 80  # of its letters
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}  # in words
CHANGED = "code changed since this run"  # of a published record


class RecordError(Exception):
    """Why a record, or the wanted part of it, is missing or invalid. One line, with the remedy."""


class NotMeasured(RecordError):
    """The records are valid, but none has the wanted part."""


def read_data(path: Path, root: Path) -> dict | list:
    """What a JSON file of the book at `root` contains; RecordError if it is unusable."""
    try:
        return read_json(path, "correct it")
    except DrawError as error:
        raise RecordError(str(error).removeprefix(f"{root}{os.sep}")) from None


@dataclass(frozen=True)
class Machine:
    """A machine whose records are in this copy of the book. `slug` is the name it was published under, or "here" for this
    machine; `name` is the name that readers see."""

    slug: str
    name: str
    local: bool


@dataclass(frozen=True)
class Record:
    """One valid record. `local`: it is this machine's own, not a published one; `changed`: the lab's sources that have changed
    since a published record was measured; `elsewhere`: it replaces the missing record of another machine."""

    path: Path
    local: bool
    data: dict
    changed: tuple[str, ...] = ()
    elsewhere: bool = False

    def value(self, value_id: str) -> dict | None:
        """A value, or a point of a series, as in "speedup[quicksort]"."""
        return _part(self.data, "values", value_id)

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
    def date(self) -> str:
        started = datetime.strptime(self.data["run"]["started"], "%Y-%m-%dT%H:%M:%SZ")
        return format_date(started, "d MMMM y", locale="en")


class Records:
    """The records below one project folder, each checked by the record tool when it is first needed. `published_only` ignores
    this machine's records; `default` is the published machine that readers see first."""

    def __init__(self, root: Path, build: Path, tool: Path, *, published_only: bool = False, default: str = "") -> None:
        self.root, self.build, self.tool, self.published_only, self.default = root, build, tool, published_only, default
        self.local = build / ("no-records" if published_only else "records")
        self._checked: dict[Path, tuple[str, str]] = {}
        self._read: dict[Path, tuple[str, dict]] = {}

    def labs(self) -> list[str]:
        """Every lab of the book, in order."""
        left_out = self.left_out()
        return [lab for lab in self._in_the_project() if lab not in left_out]

    def left_out(self) -> list[str]:
        """The labs without a published record, whose chapters a book of published records leaves out."""
        return [lab for lab in self._in_the_project() if not self.published_paths(lab)] if self.published_only else []

    def expect(self, lab: str) -> None:
        """Raises RecordError for a lab that the book doesn't have."""
        if lab not in self._in_the_project():
            raise RecordError(f'no lab "{lab}": the labs are {", ".join(self.labs()) or "none"}')

    def _in_the_project(self) -> list[str]:
        return sorted(p.parent.name for p in (self.root / "labs").glob("[0-9][0-9]-*/lab.cpp"))

    def local_path(self, lab: str) -> Path:
        return self.local / f"{lab}.json"

    def attempts(self, lab: str) -> list[Path]:
        """The records of the reader's own kernel (tools/yours), oldest first; none in a book of published records."""
        return [] if self.published_only else attempts_in(self.root / "yours" / "attempts" / lab)

    @property
    def published(self) -> Path:
        """The folder of published records: MACHINE/NN-slug.json."""
        return self.root / "figures" / "records"

    def published_paths(self, lab: str = "[0-9][0-9]-*") -> list[Path]:
        """The published records of a lab, or of all labs. Ignores links, and folders with other names."""
        return sorted(path for path in self.published.glob(f"*/{lab}.json")
                      if FOLDER.fullmatch(path.parent.name) and len(path.parent.name) <= LONGEST
                      and not path.is_symlink() and not path.parent.is_symlink())

    def valid(self, paths: list[Path]) -> list[Record]:
        """The valid ones among records that aren't of the book's machines, each in a folder named as one."""
        wrong = self._ask("check", paths)
        return [Record(path, False, self._data(path, digest_of(path))) for path in paths
                if FOLDER.fullmatch(path.parent.name) and not path.is_symlink() and not wrong.get(self.shown(path))]

    def definitions(self, lab: str) -> list[dict]:
        """The values that are derived by definition from a lab's other numbers, parsed by the record tool: {"id", "unit",
        "factors"}."""
        path = self.root / "labs" / lab / "definitions.json"
        return self._ask("definitions", [path])[self.shown(path)] if path.exists() else []

    def paths(self, lab: str) -> list[Path]:
        local = self.local_path(lab)
        return ([local] if local.exists() else []) + self.published_paths(lab)

    def all(self, lab: str) -> tuple[list[Record], list[RecordError]]:
        """Every valid record of a lab, this machine's first, and the errors of the others. A record of this machine that was
        also published unchanged is listed once."""
        records, errors = [], []
        for path in self.paths(lab):
            try:
                record = self.read(path)
            except RecordError as error:
                errors.append(error)
                continue
            if not (records and records[0].local and record.data == records[0].data):
                records.append(record)
        return records, errors

    def machines(self) -> list[Machine]:
        """The machines with records, the default first: this machine if it has any, then the project's choice, then those with
        the most labs. If there are no records at all, this machine."""
        return self._machines

    def machines_of(self, page: str) -> list[Machine]:
        """The machines whose numbers a page can show, in the same order; for a chapter, those that have measured its lab."""
        having = {record.slug for record in self.all(page)[0]} if page in self.labs() else set()
        if having and self.local_path(page).exists():
            having.add(HERE)  # broken, it is said to be
        return [machine for machine in self.machines() if machine.slug in having] or self.machines()

    @cached_property
    def _machines(self) -> list[Machine]:
        found: dict[str, list[Record]] = {}
        for lab in self.labs():
            for record in self.all(lab)[0]:
                found.setdefault(record.slug, []).append(record)
        local = found.pop(HERE, []) or any(self.local_path(lab).exists() for lab in self.labs())
        published = sorted(found.values(), key=lambda own: (own[0].slug != self.default, -len(own), own[0].slug))
        names = [_name(records) for records in published]
        machines = [Machine(records[0].slug, name if names.count(name) == 1 else f"{name} ({records[0].slug})", False)
                    for records, name in zip(published, names)]
        return [Machine(HERE, "this machine", True)] * bool(local or not machines) + machines

    def machine_of(self, record: Record) -> Machine:
        """The machine of a record."""
        return next((machine for machine in self.machines() if machine.slug == record.slug), self.machines()[0])

    def called(self, record: Record) -> str:
        """A short name of a record's machine without brackets, to put in brackets in a sentence about another machine."""
        if record.local:
            return BUILDER
        short = lambda name: re.sub(r" Processor\b|, \d+ cores?\b|[()]", "", name)
        name, names = self.machine_of(record).name, [short(machine.name) for machine in self.machines()]
        return short(name) if names.count(short(name)) == 1 else name

    def path_of(self, machine: Machine, lab: str) -> Path:
        """Where a machine's record of a lab is, if there is one."""
        return self.local_path(lab) if machine.local else self.published / machine.slug / f"{lab}.json"

    def choose(self, lab: str, machine: Machine | None = None, *, having: Iterable[tuple[str, str]] = ()) -> Record:
        """A machine's own record, by default the default machine's. If there is none, or it lacks a part in `having`, another
        machine's, which is then marked as `elsewhere`.

        having: (list, id) pairs such as ("series", "latency").
        Raises RecordError if this machine is wanted and its record is invalid, NotMeasured if no record has the wanted parts.
        """
        if lab in self.left_out():
            raise self.not_measured(lab)
        self.expect(lab)
        asked = self.path_of(machine or self.machines()[0], lab)
        having, valid, error, paths = list(having), {}, None, self._paths_in_order(lab)
        for path in sorted(paths, key=lambda path: path != asked):
            try:
                record = self.read(path)
            except RecordError as problem:
                if path == asked == self.local_path(lab):
                    raise
                error = error or problem
                continue
            if all(_part(record.data, part, name) for part, name in having):
                return record if path == asked else replace(record, elsewhere=True)
            valid[path] = record
        if not valid:
            raise error or self.not_measured(lab)
        first = next(valid[path] for path in paths if path in valid)  # whichever machine was asked for
        missing = [f'{_ONE_OF[part]} "{name}"' for part, name in having if not _part(first.data, part, name)]
        raise NotMeasured(f"{self.shown(first.path)} has no {', '.join(missing)}")

    def not_measured(self, lab: str) -> NotMeasured:
        """The error for a lab without a record to show, with the remedy."""
        if self.published_only:
            return NotMeasured(f"{lab} has no published record, and MEASURE=no shows only those: run make publish or make site")
        return NotMeasured(f"{lab} has not been measured here yet: run make lab-{lab[:2]}")

    def _paths_in_order(self, lab: str) -> list[Path]:
        """Every file there is of a lab, in the order of machines(); last those that no machine owns, as nothing in them is
        valid."""
        owned = [path for machine in self.machines() if (path := self.path_of(machine, lab)).exists()]
        return owned + [path for path in self.paths(lab) if path not in owned]

    def read(self, path: Path) -> Record:
        """The record at `path`; RecordError, with the record tool's own line, when it does not pass the check."""
        try:
            digest = digest_of(path)
        except OSError as error:
            raise RecordError(f"{self.shown(path)} cannot be read ({error.strerror}): "
                              f"run make lab-{path.name[:2]}") from None
        local = path == self.local_path(path.stem)
        if problem := self._problem(path, digest) if local else self._published_problems.get(self.shown(path)):
            raise RecordError(problem)
        return Record(path, local, self._data(path, digest), () if local else self._changes.get(self.shown(path), ()))

    def _data(self, path: Path, digest: str) -> dict:
        """A valid record's data, with derived values; cached, because pages read it for every number."""
        if self._read.get(path, ("",))[0] != digest:
            found = self._published_data if path.is_relative_to(self.published) else self._ask("read", [path])
            self._read[path] = (digest, found[self.shown(path)])
        return self._read[path][1]

    @cached_property
    def _published_data(self) -> dict[str, dict]:
        """The data of all valid published records."""
        wrong = self._published_problems
        return self._ask("read", [path for path in self.published_paths() if not wrong.get(self.shown(path))])

    def _problem(self, path: Path, digest: str) -> str:
        """The record tool's complaint about this machine's record; empty if it is valid."""
        if self._checked.get(path, ("", ""))[0] != digest:
            self._checked[path] = (digest, self._first_problems(path).get(self.shown(path), ""))
        return self._checked[path][1]

    def misplaced(self) -> list[str]:
        """What is wrong with those published files that are no record of a lab of the book, and with the choice of the
        default machine. Raises RecordError."""
        known = {self.shown(path) for lab in self.labs() for path in self.published_paths(lab)}
        lines = [line for name, line in self._published_problems.items() if name not in known]
        if self.default and self.default not in {machine.slug for machine in self.machines()}:
            lines.append("book.toml: default_machine: expected a machine with a valid record in "
                         f"{self.shown(self.published)}, not {self.default}; choose another")
        return lines

    @cached_property
    def _published_problems(self) -> dict[str, str]:
        """The problems below figures/records. Each file there must be a publishable record of an existing lab, and named after
        the lab."""
        return self._first_problems(self.published) if self.published.is_dir() else {}

    def _first_problems(self, path: Path) -> dict[str, str]:
        """The record tool's complaints about a record, or all records in a folder: {path: first line}."""
        return {name: lines[0] for name, lines in self._ask("check", [path]).items() if lines}

    @cached_property
    def _changes(self) -> dict[str, tuple[str, ...]]:
        """The sources that have changed since each published record was measured: {path: ("labs/… changed", …)}."""
        said = self._ask("stale", self.published_paths())
        return {name: tuple(changes) for name, changes in said.items()}

    def changed_since(self, paths: list[Path]) -> dict[Path, list[str]]:
        """The same of any valid records, published or this machine's. Raises RecordError if the tool cannot run."""
        said = self._ask("stale", paths)
        return {path: said[self.shown(path)] for path in paths if self.shown(path) in said}

    def _ask(self, command: str, paths: list[Path]) -> dict:
        """The record tool's answer for each path, cached until the tool, a record or a source changes. Raises RecordError if
        the tool cannot run."""
        if not paths:
            return {}
        records = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
                   if not file.is_symlink()]
        key = key_of([self.tool, *filter(Path.is_file, [*records, *self._sources])], repr([*map(self.shown, records)]))
        kept = self.build / "asked" / f"{command}-{hashlib.sha256(str(paths).encode()).hexdigest()[:16]}.json"
        try:
            known = json.loads(kept.read_text(encoding="utf-8"))
            if known["key"] == key and self.tool.exists():
                return known["said"]
        except (OSError, ValueError, KeyError, TypeError):
            pass  # never asked, or by an earlier version
        said = self._run(command, paths)
        if command == "check" and any(said.values()):
            return said  # not kept: it may be about this user's, host's or home's name, which the key does not contain
        try:
            write_if_changed(kept, json.dumps({"key": key, "said": said}))
        except DrawError as error:
            raise RecordError(str(error)) from None
        return said

    @cached_property
    def _sources(self) -> list[Path]:
        """The files below labs/ and tools/: the sources that records name, and their laws."""
        return sorted(each for folder in ("labs", "tools") for each in (self.root / folder).rglob("*"))

    def _run(self, command: str, paths: list[Path]) -> dict:
        flags = ["--json"] if command in ("check", "stale") else []  # by default these print lines of text
        arguments = [self.tool, command, *flags, "--tree", str(self.root), *map(self.shown, paths)]
        try:
            result = subprocess.run(arguments, cwd=self.root, capture_output=True, encoding="utf-8", errors="replace",
                                    timeout=60)
            return json.loads(result.stdout)
        except OSError:
            raise RecordError(f"{self.shown(self.tool)} is missing, so records cannot be checked: "
                              "run cmake --build build, or put the installed one on PATH") from None
        except subprocess.TimeoutExpired:
            raise RecordError(f"{arguments[-1]}: the record tool did not finish checking it in 60 s") from None
        except ValueError:
            why = (result.stderr.strip().splitlines() or [f"status {result.returncode}"])[-1]
            raise RecordError(f"{arguments[-1]}: the record tool failed to check it: {why}") from None

    def shown(self, path: Path) -> str:
        """A path relative to the project folder."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)

    def fingerprint(self, lab: str) -> str:
        """Changes whenever another record would be chosen, or the chosen one reads differently."""
        digest = hashlib.sha256(f"{content_digest(self.tool)} {self.machines()}".encode())
        for path in self.paths(lab):
            digest.update(f"{path}\0{content_digest(path)}\0{self._verdict(path)}\0".encode())
        return digest.hexdigest()

    def fingerprint_of_all(self) -> str:
        """Changes with any lab's digest, and with the problems of the published records."""
        try:
            misplaced = self.misplaced()
        except RecordError as error:
            misplaced = [str(error)]
        return " ".join([*map(self.fingerprint, self.labs()), *misplaced])

    def _verdict(self, path: Path) -> str:
        """A page depends on a record's content, the lab's sources and the other records."""
        try:
            return str(self.read(path).changed)
        except RecordError as error:
            return str(error)


def record_tool(build: Path) -> Path:
    """The record tool that was built, else the one that is installed."""
    own = build / "bin" / "record"
    return own if own.exists() else Path(shutil.which("record") or own)


def _name(records: list[Record]) -> str:
    """The name that readers see for the machine with these records. Several hosts are named "four hosts, each …" or "… in one
    …"."""
    most = lambda name: int(max((record.value(name) or {"value": 0})["value"] for record in records))
    hosts, name = most("hosts"), records[0].machine_name
    if hosts < 2:
        return name
    return f"{NUMBERS.get(hosts, hosts)} hosts{' in one' if most('machines') == 1 else ', each'} {name}"


def row_of(point: dict) -> str:
    """A point's name in "series[point]": its label, or else its x, in lower case with _ for anything but letters and digits. In
    C++: labs/record/record.hpp."""
    return re.sub(r"[^a-z0-9]+", "_", point.get("label", f"{point['x']:g}").lower()).strip("_")


def _part(data: dict, part: str, wanted: str) -> dict | None:
    """The series or value with this name."""
    name, bracket, row = wanted.partition("[")
    series = _by_id(data["series"], name) if bracket and part == "values" else None
    point = next((point for point in series["points"] if f"{row_of(point)}]" == row), None) if series else None
    if not point:
        return _by_id(data[part], wanted)
    return {**point, "id": wanted, "label": f"{name.replace('_', ' ')}, {point.get('label', point['x'])}",
            "value": point["median"], "unit": series["y"]["unit"], "kind": series["kind"],
            **{name: series[name] for name in ("source", "at") if name in series}}


def _by_id(entries: list[dict], wanted: str) -> dict | None:
    return next((entry for entry in entries if entry["id"] == wanted), None)

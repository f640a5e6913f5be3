"""Chooses the record that a page uses, and names the machines."""

import contextlib
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from ..pictures.gnuplot import content_digest
from .quantity import NO_BREAK_SPACE
from .record import HERE, Machine, NotMeasured, Record, RecordError, part_of
from .record_files import RecordFiles

_ONE_OF = {"series": "series", "values": "value"}
BUILDER = "the machine that built this book"  # on the pages of other machines, where "this machine" would be ambiguous
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}  # in words


class Records(RecordFiles):
    """The records of a project, of which each page uses one of each lab; `default` is the published machine that readers see
    first, `most` the number of machines that a page draws."""

    def __init__(self, root: Path, build: Path, tool: Path, *, published_only: bool = False, default: str = "",
                 most: int = 6) -> None:
        super().__init__(root, build, tool, published_only=published_only)
        self.default, self.most = default, most

    def machines(self) -> list[Machine]:
        """The machines with records, the default first: this machine if it has any, then the project's choice, then those with
        the most labs. If there are no records at all, this machine."""
        return self._machines

    def machines_of(self, page: str) -> list[Machine]:
        """The machines whose numbers a page can show, in the same order; for a chapter, those that have measured its lab. Of
        many, only the first: the others are on the page of machines and among all() records."""
        return self.few(self.all_of(page))

    def all_of(self, page: str) -> list[Machine]:
        """The machines whose numbers a page could show."""
        having = {record.slug for record in self.all(page)[0]} if page in self.labs() else set()
        if having and self.local_path(page).exists():
            having.add(HERE)  # broken, it is said to be
        return [machine for machine in self.machines() if machine.slug in having] or self.machines()

    def few(self, machines: list[Machine]) -> list[Machine]:
        """The first of them; all of them if only one would be left over."""
        return machines if len(machines) <= self.most + 1 else machines[:self.most]

    @cached_property
    def _machines(self) -> list[Machine]:
        found: dict[str, list[Record]] = {}
        for lab in self.labs():
            for record in self.all(lab)[0]:
                found.setdefault(record.slug, []).append(record)
        local = found.pop(HERE, []) or any(self.local_path(lab).exists() for lab in self.labs())
        published = sorted(found.values(), key=lambda own: (own[0].slug != self.default, -len(own), own[0].slug))
        names, short = [_name(records) for records in published], [_short_name(records) for records in published]
        machines = [Machine(slug := records[0].slug, name if names.count(name) == 1 else f"{name} ({slug})",
                            brief if short.count(brief) == 1 else slug, False)
                    for records, name, brief in zip(published, names, short)]
        return [Machine(HERE, "this machine", "this machine", True)] * bool(local or not machines) + machines

    def of_machine(self, machine: Machine) -> list[Record]:
        """A machine's valid records, in the order of the labs."""
        found, known = [], self._published_folders.get(machine.slug, set())
        for lab in self.labs():
            path = self.path_of(machine, lab)
            if path in known or (machine.local and path.exists()):
                with contextlib.suppress(RecordError):
                    found.append(self.read(path))
        return found

    @cached_property
    def _published_folders(self) -> dict[str, set[Path]]:
        """The published records of each machine."""
        return {paths[0].parent.name: set(paths) for paths in self._by_machine()}

    def machine_of(self, record: Record) -> Machine:
        """The machine of a record."""
        return self._by_slug.get(record.slug, self.machines()[0])

    @cached_property
    def _by_slug(self) -> dict[str, Machine]:
        return {machine.slug: machine for machine in self.machines()}

    def called(self, record: Record) -> str:
        """The name of a record's machine in a sentence about another machine."""
        return BUILDER if record.local else self.machine_of(record).short

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
        having, valid, error = list(having), {}, None
        for path in self._in_turn(lab, asked):
            try:
                record = self.read(path)
            except RecordError as problem:
                if path == asked == self.local_path(lab):
                    raise
                error = error or problem
                continue
            if all(part_of(record.data, part, name) for part, name in having):
                return record if path == asked else replace(record, elsewhere=True)
            valid[path] = record
        if not valid:
            raise error or self.not_measured(lab)
        first = next(valid[path] for path in self._paths_in_order(lab) if path in valid)  # whichever machine was asked for
        missing = [f'{_ONE_OF[part]} "{name}"' for part, name in having if not part_of(first.data, part, name)]
        raise NotMeasured(f"{self.shown(first.path)} has no {', '.join(missing)}")

    def _in_turn(self, lab: str, asked: Path) -> Iterator[Path]:
        """Every file there is of a lab, the one that is asked for first."""
        if asked in self.paths(lab):
            yield asked
        yield from (path for path in self._paths_in_order(lab) if path != asked)

    def _paths_in_order(self, lab: str) -> list[Path]:
        """Every file there is of a lab, in the order of machines(); last those that no machine owns, as nothing in them is
        valid."""
        known = dict.fromkeys(self.paths(lab))
        owned = dict.fromkeys(path for machine in self.machines() if (path := self.path_of(machine, lab)) in known)
        return [*owned, *(path for path in known if path not in owned)]

    def misplaced(self) -> list[str]:
        """What is wrong with those published files that are no record of a lab of the book, and with the choice of the
        default machine. Raises RecordError."""
        known = {path for lab in self.labs() for path in self.published_paths(lab)}
        lines = [line for path, line in self._published_problems.items() if path not in known]
        if self.default and self.default not in {machine.slug for machine in self.machines()}:
            lines.append("book.toml: default_machine: expected a machine with a valid record in "
                         f"{self.shown(self.published)}, not {self.default}; choose another")
        return lines

    def fingerprint(self, lab: str) -> str:
        """Changes whenever another record would be chosen, the chosen one reads differently, or a source changes."""
        digest = hashlib.sha256(f"{content_digest(self.tool.program)} {self.machines()}".encode())
        for path in self.paths(lab):
            try:
                says = self.read(path).changed
            except RecordError as error:
                says = error
            digest.update(f"{path}\0{content_digest(path)}\0{says}\0".encode())
        return digest.hexdigest()

    def fingerprint_of_all(self) -> str:
        """Changes with any lab's digest, and with the problems of the published records."""
        try:
            misplaced = self.misplaced()
        except RecordError as error:
            misplaced = [str(error)]
        return " ".join([*map(self.fingerprint, self.labs()), *misplaced])


def _hosts(records: list[Record]) -> tuple[int, int]:
    """The number of hosts that these records are of, and of the machines that these hosts are on."""
    most = lambda name: int(max((record.value(name) or {"value": 0})["value"] for record in records))
    return most("hosts"), most("machines")


def _name(records: list[Record]) -> str:
    """The full name of the machine with these records. Several hosts are named "four hosts, each …" or "… in one …"."""
    (hosts, machines), name = _hosts(records), records[0].machine_name
    if hosts < 2:
        return name
    return f"{NUMBERS.get(hosts, hosts)} hosts{' in one' if machines == 1 else ', each'} {name}"


def _short_name(records: list[Record]) -> str:
    """Its short name, which stays on one line near its numbers: "X200", "Core 9 · 2", "Core 9 · 4 hosts"."""
    (hosts, _), name = _hosts(records), records[0].short_name
    return re.sub(r" (?=[\d·])|(?<=·) ", NO_BREAK_SPACE, name if hosts < 2 else f"{name.split(' · ')[0]} · {hosts} hosts")

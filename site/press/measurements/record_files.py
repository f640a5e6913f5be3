"""Finds the records of a project, and reads those that the record tool accepts."""

import gc
import itertools
import os
import re
from functools import cached_property
from pathlib import Path

from ..pictures.gnuplot import DrawError, attempts_in, digest_of, read_json
from .record import Data, NotMeasured, Record, RecordError
from .record_tool import RecordTool

FOLDER = re.compile(r"(?!here$)[a-z0-9]+(-[a-z0-9]+)*")  # a published machine's; in C++: refused_folder()
LONGEST = 80  # of its letters


def read_data(path: Path, root: Path) -> dict | list:
    """What a JSON file of the book at `root` contains; RecordError if it is unusable."""
    try:
        return read_json(path, "correct it")
    except DrawError as error:
        raise RecordError(str(error).removeprefix(f"{root}{os.sep}")) from None


class RecordFiles:
    """The records below one project folder, each checked by the record tool when it is first needed. `published_only` ignores
    this machine's records."""

    def __init__(self, root: Path, build: Path, tool: Path, *, published_only: bool = False) -> None:
        self.root, self.build, self.tool, self.published_only = root, build, RecordTool(root, build, tool), published_only
        self.shown = self.tool.shown
        self.local = build / ("no-records" if published_only else "records")
        self._known: dict[Path, tuple[str, Data | str]] = {}

    def labs(self) -> list[str]:
        """Every lab of the book, in order."""
        left_out = self.left_out()
        return [lab for lab in self._in_the_project if lab not in left_out]

    def left_out(self) -> list[str]:
        """The labs without a published record, whose chapters a book of published records leaves out."""
        return [lab for lab in self._in_the_project if not self.published_paths(lab)] if self.published_only else []

    def expect(self, lab: str) -> None:
        """Raises RecordError for a lab that the book doesn't have."""
        if lab not in self._in_the_project:
            raise RecordError(f'no lab "{lab}": the labs are {", ".join(self.labs()) or "none"}')

    @cached_property
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

    def published_paths(self, lab: str = "") -> list[Path]:
        """The published records of a lab, or of all labs. Ignores links, and folders with other names."""
        return self._published_of.get(lab, []) if lab else self._all_published

    @cached_property
    def _published_of(self) -> dict[str, list[Path]]:
        """The published records of each lab."""
        found: dict[str, list[Path]] = {}
        for path in self._all_published:
            found.setdefault(path.stem, []).append(path)
        return found

    @cached_property
    def _all_published(self) -> list[Path]:
        """Read once: what is published while the book is rendered belongs to the next one."""
        return sorted(path for path in self.published.glob("*/[0-9][0-9]-*.json")
                      if FOLDER.fullmatch(path.parent.name) and len(path.parent.name) <= LONGEST
                      and not path.is_symlink() and not path.parent.is_symlink())

    def valid(self, paths: list[Path]) -> list[Record]:
        """The valid ones among records that aren't of the book's machines, each in a folder named as one."""
        wrong = self._first_problems(paths)
        right = [path for path in paths if FOLDER.fullmatch(path.parent.name) and not path.is_symlink() and path not in wrong]
        return [Record(path, False, Data(data)) for path, data in self.tool.ask("read", right).items()]

    def definitions(self, lab: str) -> list[dict]:
        """The values that are derived by definition from a lab's other numbers, parsed by the record tool: {"id", "unit",
        "factors"}."""
        path = self.root / "labs" / lab / "definitions.json"
        return self.tool.ask("definitions", [path])[path] if path.exists() else []

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

    def not_measured(self, lab: str) -> NotMeasured:
        """The error for a lab without a record to show, with the remedy."""
        if self.published_only:
            return NotMeasured(f"{lab} has no published record, and MEASURE=no shows only those: run make publish or make site")
        return NotMeasured(f"{lab} has not been measured here yet: run make lab-{lab[:2]}")

    def read(self, path: Path) -> Record:
        """The record at `path`; RecordError, with the record tool's own line, when it does not pass the check."""
        try:
            digest = digest_of(path)
        except OSError as error:
            raise RecordError(f"{self.shown(path)} cannot be read ({error.strerror}): "
                              f"run make lab-{path.name[:2]}") from None
        local = path == self.local_path(path.stem)
        found = self._own(path, digest) if local else self._published_problems.get(path) or self._published_data[path]
        if isinstance(found, str):
            raise RecordError(found)
        return Record(path, local, found, () if local else tuple(self._changes.get(path, ())))

    def _own(self, path: Path, digest: str) -> Data | str:
        """The data of this machine's record, or the record tool's complaint about it; cached, because pages read it for every
        number."""
        if self._known.get(path, ("",))[0] != digest:
            problem = self._first_problems([path]).get(path)
            self._known[path] = (digest, problem or Data(self.tool.ask("read", [path])[path]))
        return self._known[path][1]

    @cached_property
    def _published_data(self) -> dict[Path, Data]:
        """The data of all valid published records, with derived values."""
        valid = [[path for path in paths if path not in self._published_problems] for paths in self._by_machine()]
        found = {path: Data(data) for path, data in self.tool.ask_each("read", valid)}
        gc.freeze()  # they stay, and going through them each time would take longer than all else that frees memory
        return found

    def _by_machine(self) -> list[list[Path]]:
        """The published records of each machine. Each machine's are asked about together, so that the answers about the others
        stay known when a machine comes or changes."""
        return [list(paths) for _, paths in itertools.groupby(self.published_paths(), key=lambda path: path.parent)]

    @cached_property
    def _published_problems(self) -> dict[Path, str]:
        """The problems below figures/records. Each file there must be a publishable record of an existing lab, and named after
        the lab."""
        return self._first_problems([self.published]) if self.published.is_dir() else {}

    def _first_problems(self, paths: list[Path]) -> dict[Path, str]:
        """The first line of the record tool's complaints about each record, or each in a folder."""
        return {path: lines[0] for path, lines in self.tool.ask("check", paths).items() if lines}

    @cached_property
    def _changes(self) -> dict[Path, list[str]]:
        """The sources that have changed since each published record was measured: {path: ["labs/… changed", …]}."""
        return dict(self.tool.ask_each("stale", self._by_machine()))

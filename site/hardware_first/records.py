"""Records: where they are, whether they are valid, and which of them a page uses."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from babel.dates import format_date

_ONE_OF = {"series": "series", "values": "value", "claims": "claim"}
LAB_ID = re.compile(r"\d\d-[a-z0-9-]+")


class RecordError(Exception):
    """Why there is no record, or not the wanted part of it. One line, with the remedy."""


class NotMeasured(RecordError):
    """All is well with the records; none of them has the wanted part."""


@dataclass(frozen=True)
class Record:
    """One valid record. `local` tells this machine's own from a published one."""

    path: Path
    local: bool
    data: dict

    def value(self, value_id: str) -> dict | None:
        return _by_id(self.data["values"], value_id)

    def series(self, series_id: str) -> dict | None:
        return _by_id(self.data["series"], series_id)

    def claim(self, claim_id: str) -> dict | None:
        return _by_id(self.data["claims"], claim_id)

    @property
    def lab(self) -> str:
        return self.data["lab"]["id"]

    @property
    def cpu(self) -> str:
        """The processor's name as people say it, with its microarchitecture where the name does not say it."""
        machine = self.data["machine"]
        name = re.sub(r"\((R|TM|tm)\)", "", machine["cpu"]).strip()
        core = machine.get("microarchitecture", "")
        return name if core in name else f"{name} ({core})"

    @property
    def gpu(self) -> str:
        """The first GPU's name; empty where there is none."""
        return next((gpu["name"] for gpu in self.data["machine"]["gpus"]), "")

    @property
    def machine_name(self) -> str:
        cores = self.data["machine"]["cores"]
        return f"{self.cpu}, {cores} core{'s' if cores != 1 else ''}" + (f", {self.gpu}" if self.gpu else "")

    @property
    def date(self) -> str:
        started = datetime.strptime(self.data["run"]["started"], "%Y-%m-%dT%H:%M:%SZ")
        return format_date(started, "d MMMM y", locale="en")


class Records:
    """The records below one project folder, each checked by the record tool when it is first needed."""

    def __init__(self, root: Path, build: Path, tool: Path) -> None:
        self.root, self.build, self.tool = root, build, tool
        self._checked: dict[Path, tuple[str, str]] = {}

    def labs(self) -> list[str]:
        """Every lab of the book, in order."""
        return sorted(p.name for p in (self.root / "labs").glob("[0-9][0-9]-*") if p.is_dir())

    def local_path(self, lab: str) -> Path:
        return self.build / "records" / f"{lab}.json"

    def published_paths(self, lab: str) -> list[Path]:
        return sorted((self.root / "figures" / "records").glob(f"*/{lab}.json"))

    def paths(self, lab: str) -> list[Path]:
        local = self.local_path(lab)
        return ([local] if local.exists() else []) + self.published_paths(lab)

    def all(self, lab: str) -> tuple[list[Record], list[RecordError]]:
        """Every valid record of a lab, this machine's first, and what is wrong with the others. Where this machine's was
        published as it is, it is listed once."""
        records, errors = [], []
        for path in self.paths(lab):
            try:
                record = self.read(path)
            except RecordError as error:
                errors.append(error)
                continue
            if record.data not in [other.data for other in records]:
                records.append(record)
        return records, errors

    def choose(self, lab: str, *, having: Iterable[tuple[str, str]] = ()) -> Record:
        """This machine's record; where there is none, or it lacks a part in `having`, a published one.

        having: (list, id) pairs such as ("series", "latency").
        Raises RecordError when the local record is invalid, NotMeasured when no record has what is asked for.
        """
        if lab not in self.labs():
            raise RecordError(f'no lab "{lab}": the labs are {", ".join(self.labs()) or "none"}')
        first, error = None, None
        for path in self.paths(lab):
            try:
                record = self.read(path)
            except RecordError as problem:
                if path == self.local_path(lab):
                    raise
                error = error or problem
                continue
            if all(_by_id(record.data[part], name) for part, name in having):
                return record
            first = first or record
        if first is None:
            raise error or NotMeasured(f"{lab} is not measured here yet: run make lab-{lab[:2]}")
        missing = [f'{_ONE_OF[part]} "{name}"' for part, name in having if not _by_id(first.data[part], name)]
        raise NotMeasured(f"{self.shown(first.path)} has no {', '.join(missing)}")

    def read(self, path: Path) -> Record:
        """The record at `path`; RecordError, with the record tool's own line, when it does not pass the check."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise RecordError(f"{self.shown(path)} cannot be read ({error.strerror}): "
                              f"run make lab-{path.name[:2]}") from None
        digest = hashlib.sha256(content).hexdigest()
        if self._checked.get(path, ("", ""))[0] != digest:
            self._checked[path] = (digest, self._check(path))
        if problem := self._checked[path][1]:
            raise RecordError(problem)
        return Record(path, path == self.local_path(path.stem), json.loads(content))

    def _check(self, path: Path) -> str:
        """What the record tool says is wrong with the file; empty when it is valid."""
        try:
            result = subprocess.run([self.tool, "check", self.shown(path)], cwd=self.root, capture_output=True,
                                    text=True, errors="replace", timeout=60)
        except OSError:
            return f"{self.shown(self.tool)} is missing, so records cannot be checked: run cmake --build build"
        except subprocess.TimeoutExpired:
            return f"{self.shown(path)}: the record tool did not finish checking it"
        if result.returncode == 0:
            return ""
        said = (result.stderr or result.stdout).strip().splitlines()
        return said[0] if said else f"{self.shown(path)} is not a valid record"

    def shown(self, path: Path) -> str:
        """A path as people write it, from the project folder."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)

    def fingerprint(self, lab: str) -> str:
        """Changes whenever another record would be chosen, or the chosen one reads differently."""
        digest = hashlib.sha256(content_digest(self.tool).encode())
        for path in self.paths(lab):
            digest.update(f"{path}\0{content_digest(path)}\0".encode())
        return digest.hexdigest()


def content_digest(path: Path) -> str:
    """SHA-256 of a file's content; empty when there is no such file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _by_id(entries: list[dict], wanted: str) -> dict | None:
    return next((entry for entry in entries if entry["id"] == wanted), None)

"""Asks the record tool, which checks and reads records."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from ..pictures.gnuplot import DrawError, key_of, write_if_changed
from .record import RecordError

SECONDS, SECONDS_A_RECORD = 60, 1  # for one run of the tool, on a busy machine
GROUPS = 20  # about which the tool is asked at once


class RecordTool:
    """The record tool, `program`, for the records and sources below one project folder."""

    def __init__(self, root: Path, build: Path, program: Path) -> None:
        self.root, self.build, self.program = root, build, program

    def ask(self, command: str, paths: list[Path]) -> dict[Path, Any]:
        """The tool's answer for each path, or for each file in a folder. Raises RecordError if the tool cannot run."""
        return dict(self.ask_each(command, [paths]))

    def ask_each(self, command: str, groups: list[list[Path]]) -> Iterator[tuple[Path, Any]]:
        """The tool's answers for the files of several groups. Those for a group are cached until the tool, one of its records
        or a source changes; the tool is asked once for many groups, because it reads all sources each time."""
        for some in (groups[first:first + GROUPS] for first in range(0, len(groups), GROUPS)):
            known = [self._known(command, paths) for paths in some]
            asked = [path for paths, said in zip(some, known) if said is None for path in paths]
            answers = self._run(command, asked) if asked else {}
            for paths, said in zip(some, known):
                if said is None:
                    said = self._of(paths, answers) if len(some) > 1 else answers
                    self._keep(command, paths, said)
                yield from ((self.root / name, answer) for name, answer in said.items())

    def _of(self, paths: list[Path], answers: dict[str, Any]) -> dict[str, Any]:
        """Those of some paths; the tool says nothing of a file that it cannot read."""
        return {name: answers[name] for name in map(self.shown, paths) if name in answers}

    def _key_and_file(self, command: str, paths: list[Path]) -> tuple[str, Path]:
        records = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
                   if not file.is_symlink()]
        key = key_of(filter(Path.is_file, records), f"{self._asked_with} {[*map(self.shown, records)]}")
        return key, self.build / "asked" / f"{command}-{hashlib.sha256(str(paths).encode()).hexdigest()[:16]}.json"

    def _known(self, command: str, paths: list[Path]) -> dict[str, Any] | None:
        """The answer that is cached, if there is one."""
        if not paths:
            return {}
        key, kept = self._key_and_file(command, paths)
        try:
            known = json.loads(kept.read_text(encoding="utf-8"))
            if known["key"] == key and self.program.exists():
                return known["said"]
        except (OSError, ValueError, KeyError, TypeError):
            pass  # never asked, or by an earlier version
        return None

    def _keep(self, command: str, paths: list[Path], said: dict[str, Any]) -> None:
        if command == "check" and any(said.values()):
            return  # it may be about this user's, host's or home's name, which the key does not contain
        key, kept = self._key_and_file(command, paths)
        try:
            write_if_changed(kept, json.dumps({"key": key, "said": said}))
        except DrawError as error:
            raise RecordError(str(error)) from None

    @cached_property
    def _asked_with(self) -> str:
        """A digest of the tool, and of the files below labs/ and tools/: the sources that records name, and their laws."""
        sources = sorted(each for folder in ("labs", "tools") for each in (self.root / folder).rglob("*") if each.is_file())
        return key_of([self.program, *sources], str(sources))

    def _run(self, command: str, paths: list[Path]) -> dict[str, Any]:
        flags = ["--json"] if command in ("check", "stale") else []  # by default these print lines of text
        arguments = [self.program, command, *flags, "--tree", str(self.root), *map(self.shown, paths)]
        records = sum(1 for path in paths for _ in (path.rglob("*.json") if path.is_dir() else [path]))
        seconds = SECONDS + records * SECONDS_A_RECORD
        try:
            result = subprocess.run(arguments, cwd=self.root, capture_output=True, encoding="utf-8", errors="replace",
                                    timeout=seconds)
            return json.loads(result.stdout)
        except OSError:
            raise RecordError(f"{self.shown(self.program)} is missing, so records cannot be checked: "
                              "run cmake --build build, or put the installed one on PATH") from None
        except subprocess.TimeoutExpired:
            raise RecordError(f"{arguments[-1]}: the record tool did not finish checking it in {seconds} s") from None
        except ValueError:
            why = (result.stderr.strip().splitlines() or [f"status {result.returncode}"])[-1]
            raise RecordError(f"{arguments[-1]}: the record tool failed to check it: {why}") from None

    def shown(self, path: Path) -> str:
        """A path relative to the project folder."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)


def record_tool(build: Path) -> Path:
    """The record tool that was built, else the one that is installed."""
    own = build / "bin" / "record"
    return own if own.exists() else Path(shutil.which("record") or own)

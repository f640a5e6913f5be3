"""Asks the record tool, which checks and reads records."""

import hashlib
import json
import shutil
import subprocess
from functools import cached_property
from pathlib import Path
from typing import Any

from ..pictures.gnuplot import DrawError, key_of, write_if_changed
from .record import RecordError


class RecordTool:
    """The record tool, `program`, for the records and sources below one project folder."""

    def __init__(self, root: Path, build: Path, program: Path) -> None:
        self.root, self.build, self.program = root, build, program

    def ask(self, command: str, paths: list[Path]) -> dict[Path, Any]:
        """The tool's answer for each path, or for each file in a folder. Raises RecordError if the tool cannot run."""
        return {self.root / name: answer for name, answer in self._answers(command, paths).items()} if paths else {}

    def _answers(self, command: str, paths: list[Path]) -> dict[str, Any]:
        """The same, cached until the tool, a record or a source changes."""
        records = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
                   if not file.is_symlink()]
        key = key_of([self.program, *filter(Path.is_file, [*records, *self._sources])], repr([*map(self.shown, records)]))
        kept = self.build / "asked" / f"{command}-{hashlib.sha256(str(paths).encode()).hexdigest()[:16]}.json"
        try:
            known = json.loads(kept.read_text(encoding="utf-8"))
            if known["key"] == key and self.program.exists():
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

    def _run(self, command: str, paths: list[Path]) -> dict[str, Any]:
        flags = ["--json"] if command in ("check", "stale") else []  # by default these print lines of text
        arguments = [self.program, command, *flags, "--tree", str(self.root), *map(self.shown, paths)]
        try:
            result = subprocess.run(arguments, cwd=self.root, capture_output=True, encoding="utf-8", errors="replace",
                                    timeout=60)
            return json.loads(result.stdout)
        except OSError:
            raise RecordError(f"{self.shown(self.program)} is missing, so records cannot be checked: "
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


def record_tool(build: Path) -> Path:
    """The record tool that was built, else the one that is installed."""
    own = build / "bin" / "record"
    return own if own.exists() else Path(shutil.which("record") or own)

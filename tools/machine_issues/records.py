"""Checks the records of an issue and puts them where the book has them: figures/browsers/NAME or figures/records/NAME. The
record tool does most of it (labs/record/check.hpp), but doesn't read archives of strangers or judge a browser's record."""

import io
import json
import math
import re
import subprocess
import tempfile
import zipfile
import zlib
from datetime import datetime, timedelta
from pathlib import Path

from json_file import with_each_key_once

from . import Refused
from .github import fetched
from .issue import FOLDER, Submission
from .link import unpacked

LAB = "01-roofline"  # the only lab of which a browser measures a part
MOST_FILES, MOST_BYTES = 20, 1 << 20  # of an attached archive; of each file, of which the longest has 240 kB
EARLY = timedelta(days=1)  # a clock may be wrong
MEASURE_AGAIN = "measure again on the page Your machine, here, and send that"
# The limits of site/book/static/plausible.js, by unit: those of one core, and for all of them.
LIMITS = {"GFLOP/s": (0, 2e3), "GB/s": (0, 2e3), "ns": (0.05, 1e6), "": (0, 1e4)}
CORES = 1e4
# All texts of a browser's record, by their place. None is a place for words of one's own, and where the page has a sentence,
# nothing is allowed but letters, digits and commas.
TEXTS = {
    r"/lab/(id|title)": r"01-roofline|The roofline",
    r"/lab/key": r"sha256:[0-9a-f]{64}",
    r"/lab/inputs/(schema|module:(plain|relaxed)\.wasm)": r"4|[0-9a-f]{64}",
    r"/laws/\d+": r"[a-z0-9_*<>=/+. GFLOPBs-]{1,200}",  # the record tool has parsed them
    r"/machine/(slug|architecture|os)": r"browser-on-[a-z0-9-]{1,40}|other|unknown|not told",
    r"/machine/cpu": r"browser on [A-Za-z0-9 ]{1,40}",
    r"/run/(started|budget)": r"[0-9TZ:-]{20}|quick",
    r"/run/notes/\d": r"[a-z0-9,: -]{1,150}",
    r"/series/[01]/(id|kind|label)": r"bandwidth_read|latency_4k|measured|read, 1 thread|pointer chase, 4 KiB pages",
    r"/series/[01]/[xy]/(name|unit)": r"working set|bandwidth|latency|B|GB/s|ns",
    r"/toolchain/compiler": r"[A-Za-z0-9,' ]{1,80}",
    r"/toolchain/(flags|commit)": r"-O3 -msimd128|unknown",
    r"/values/\d{1,2}/id": r"[a-z0-9_]{1,40}",
    r"/values/\d{1,2}/(unit|kind)": r"GFLOP/s|GB/s|ns|1|FLOP(/byte)?|measured",
}


def files_of(submission: Submission) -> list[bytes]:
    """The text of each record that an issue sends."""
    if submission.packed:
        return [unpacked(submission.packed)]
    found = fetched(submission.address, MOST_FILES * MOST_BYTES // 4)
    return [found] if submission.address.endswith(".json") else unzipped(found)


def unzipped(archive: bytes) -> list[bytes]:
    """The files in an archive, read up to a limit, whatever sizes it claims; their names there are never used."""
    unreadable = Refused("The attached zip file can't be read: attach the file that make publish names, as it is.")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            entries = packed.infolist()
            if not 1 <= len(entries) <= MOST_FILES:
                raise Refused(f"The attached zip file must hold 1 to {MOST_FILES} records: attach the file that make publish "
                              "names.")
            if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
                raise unreadable
            found = []
            for entry in entries:
                with packed.open(entry) as file:
                    found.append(file.read(MOST_BYTES + 1))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError):
        raise unreadable from None  # RuntimeError: it is encrypted
    if max(map(len, found)) > MOST_BYTES:
        raise Refused(f"A file in the zip unpacks to more than {MOST_BYTES >> 20} MiB, which no record does: attach the file "
                      "that make publish names.")
    return found


def strictly_read(text: bytes) -> dict:
    """JSON with numbers that are finite, and no key twice: readers disagree about what the rest means."""
    def finite(number: str) -> float:
        if not math.isfinite(float(number)):
            raise ValueError("a number that is not finite")
        return float(number)

    try:
        record = json.loads(text.decode(), object_pairs_hook=with_each_key_once, parse_float=finite, parse_constant=finite)
    except (ValueError, RecursionError):
        raise Refused("The record isn't strict JSON (UTF-8, finite numbers, each key once): send it as it was made.") from None
    if not isinstance(record, dict):
        raise Refused("The record isn't strict JSON of a record: send it as it was made.")
    return record


def at(record: dict, *keys: str) -> str:
    """A text in a record that nobody has checked yet; "" if there is none."""
    for key in keys:
        record = record.get(key) if isinstance(record, dict) else None
    return record if isinstance(record, str) else ""


class Book:
    """The checkout at `root`, with the record tool in build/bin."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def tool(self, *words: str | Path) -> subprocess.CompletedProcess:
        return subprocess.run([self.root / "build/bin/record", "--tree", self.root, *words], cwd=self.root, capture_output=True,
                              encoding="utf-8", errors="replace")

    def taken(self, name: str) -> bool:
        return any((self.root / "figures" / folder / name).exists() for folder in ("records", "browsers"))

    def named(self, name: str, slug: str, number: int) -> str:
        """The folder for a machine: the chosen name, or one made from what the machine is."""
        if name and self.taken(name):
            raise Refused(f"The book already has a machine called {name}, and nobody's numbers are replaced: edit the field "
                          "Name, and choose another.")
        return name or (f"{slug}-{number}" if self.taken(slug) or slug.startswith("browser-on-") else slug)

    def add(self, submission: Submission, texts: list[bytes], number: int, sent: datetime) -> dict:
        """Adds the records of issue `number` to the book; what answer.py needs to know about them."""
        records = [strictly_read(text) for text in texts]
        self.expect_labs(records)
        slug = at(records[0], "machine", "slug")
        browser = slug.startswith("browser-on-")
        if browser and (len(records) > 1 or at(records[0], "lab", "id") != LAB):
            raise Refused(f"A browser's record is one of chapter 01 alone: {MEASURE_AGAIN}.")
        if not FOLDER.fullmatch(slug):
            raise Refused(f"The record doesn't say what machine it is from: {MEASURE_AGAIN}.")
        name = self.named(submission.name, slug, number)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for text, record in zip(texts, records):
                files.append(Path(folder, f"{record['lab']['id']}.json"))
                files[-1].write_bytes(text)
            self.check(files, "check", *files)
            for record in records:
                judged(record, browser, sent)
            changed = 0 if browser else sum(bool(self.tool("stale", file).returncode) for file in files)
            self.check(files, "publish", *files, "--to", self.root / "figures/records" / name)
        return {"name": name, "credit": submission.credit, "changed": changed,
                "paths": self.credited(name, submission.credit, browser, records)}

    def expect_labs(self, records: list[dict]) -> None:
        """Each record is of another chapter that the book has; the names of files and folders are made from it."""
        labs = [at(record, "lab", "id") for record in records]
        known = {path.parent.name for path in self.root.glob("labs/[0-9][0-9]-*/lab.cpp")}
        if not set(labs) <= known:
            raise Refused("A record is of a chapter that the book doesn't have: send records of its own labs.")
        if len(set(labs)) < len(labs):
            raise Refused("There are two records of one chapter: send one of each.")

    def check(self, files: list[Path], *words: str | Path) -> None:
        """Refused, with the record tool's own line, if it refuses a record."""
        result = self.tool(*words)
        if result.returncode:
            said = (result.stderr.strip().splitlines() or ["no reason given"])[0]
            said = said.replace(f"{files[0].parent}/", "").replace(f"{self.root}/", "")
            raise Refused(f"The check of the record says: {quoted(said)}.")

    def credited(self, name: str, credit: str, browser: bool, records: list[dict]) -> list[str]:
        """Writes the credit; the paths of all that was added."""
        paths = [f"figures/{'browsers' if browser else 'records'}/{name}/{at(record, 'lab', 'id')}.json" for record in records]
        if credit:
            paths.append(f"figures/credits/{name}.txt")
            (self.root / paths[-1]).parent.mkdir(exist_ok=True)
            (self.root / paths[-1]).write_text(f"{credit}\n", encoding="utf-8")
        return sorted(paths)


def judged(record: dict, browser: bool, sent: datetime) -> None:
    """Refused if a valid record is from after the issue, or a browser's has numbers or texts that the page doesn't make."""
    if datetime.fromisoformat(record["run"]["started"]) > sent + EARLY:
        raise Refused("The record says that it was measured after this issue was opened: set the machine's clock, and measure "
                      "again.")
    if not browser:
        lab = record["lab"]["id"]
        if not any(name.startswith(f"source:labs/{lab}/") for name in record["lab"]["inputs"]):
            raise Refused(f"A record says that it is of {lab}, but wasn't measured by that lab: send the records as they are.")
        return
    for place, text in texts_in(record):
        if not any(re.fullmatch(where, place) and re.fullmatch(what, text) for where, what in TEXTS.items()):
            raise Refused(f"The record has a text at {quoted(place)} that the page doesn't write: {MEASURE_AGAIN}.")
    series = [(each["y"]["unit"], point["median"], 1) for each in record["series"] for point in each["points"]]
    values = [(each["unit"], each["value"], CORES if "_all_" in each["id"] else 1) for each in record["values"]]
    for unit, number, cores in series + values:
        least, most = LIMITS.get(unit, LIMITS[""])
        if not least <= number <= cores * most:
            raise Refused(f"The record has a number, {number:.3g} {unit}, that no core can reach: {MEASURE_AGAIN}.")
    ladders = [[point["x"] for point in each["points"]] for each in record["series"]]
    if len(ladders) != 2 or not all(13 <= len(xs) <= 16 and xs == [2.0 ** (13 + i) for i in range(len(xs))] for xs in ladders):
        raise Refused(f"The record doesn't have the sizes of data that the page measures: {MEASURE_AGAIN}.")


def texts_in(value: object, place: str = "") -> list[tuple[str, str]]:
    """(place, text) of every text in a record."""
    if isinstance(value, str):
        return [(place, value)]
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    return [found for key, part in parts for found in texts_in(part, f"{place}/{key}")]


def quoted(text: str) -> str:
    """A text that may be a stranger's as code in Markdown, which notifies nobody and links nowhere."""
    plain = re.sub(r"[^\w .,:;/()'\"<>=+*%-]", "?", text, flags=re.ASCII)
    return f"`{plain[:300]}`"

"""Names that lead nowhere, each with the nearest right one: of values, claims, terms and sources in pages, of values in a lab's
files and in the scripts of figures; and keys of claims.json and predictions.json. A build finds most of them too, much later.
"""

import dataclasses
import difflib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..json_file import ContentError, read_json
from ..measurements.claims import Statement, read_statements
from ..measurements.outcomes import Pair, read_declared
from ..measurements.record import RecordError
from ..pictures.gnuplot import loaded_file
from .mentions import Mention
from .myst import parse
from .names import Lab, line_of

Problems = Iterator[tuple[Path, int, str]]
TERM = re.compile(r"^([^\s:{#].*)\n: ", re.M)
SOURCE = re.compile(r"^@\w+\{\s*([^,\s]+)\s*,", re.M)
ASSIGNED = re.compile(r"\b(value_\w+)\s*=(?!=)")
IN_TABLES = re.compile(r"\b(?:exists\(\"(?:have|value)_(\w+)\"\)|(?<!\")value_(\w+))|\"/(\w+)\.tsv\"|^look_(\w+)")
COLUMN = re.compile(r"\$(\d+)|\b(?:str|string)?col(?:umn)?\((\d+)\)")
USING = re.compile(r"\busing ((?:[^\s,(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+)")
COLUMNS, OF_ATTEMPTS = 5, 6  # of a record's tables (record table), and of the reader's attempts (gnuplot.py)


def misnamed(root: Path, labs: dict[str, Lab], mentions: list[Mention]) -> Problems:
    """Every (file, line, problem) of a book, but for values that are perhaps not measured yet."""
    for name, known in (("term", terms(root)), ("source", sources(root))):
        for each in mentions:
            if each.kind == name and (each.name.lower() if name == "term" else each.name) not in known:
                file = "glossary.md has no term" if name == "term" else "references.bib has no source"
                yield each.path, each.line, f'{file} "{each.name}"{nearest(each.name, known.values())}'
    yield from misnamed_of_labs(labs, [each for each in mentions if each.lab and not each.pending])
    for page in sorted((root / "chapters").glob("*.md")):
        yield from claims_without_a_sentence(page)
    for lab in labs.values():
        yield from in_files(lab)
    for script in sorted(root.glob("figures/*.gp")):
        yield from in_figure(script, labs)


def misnamed_of_labs(labs: dict[str, Lab], mentions: list[Mention]) -> Problems:
    """The problems of mentioned values and claims."""
    for each in mentions:
        if (lab := labs.get(each.lab)) is None:
            yield each.path, each.line, f'"{each.name}" is of no lab, as {each.lab} is none{nearest(each.lab, labs)}'
        elif each.kind == "value":
            if not lab.has(each.name):
                yield each.path, each.line, unrecorded(each.name, lab)
        elif each.name not in lab.claims:
            file = f"labs/{lab.name}/claims.json"
            yield each.path, each.line, f'{file} has no claim "{each.name}"{nearest(each.name, lab.claims)}'


def unrecorded(name: str, *labs: Lab) -> str:
    """The problem of the name of a value that none of these labs has."""
    known = [name for lab in labs for name in (*lab.recorded, *lab.defined)]
    return f'no source in labs/{labs[0].name + "/" if len(labs) == 1 else ""} records "{name}"{nearest(name, known)}'


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a problem: the remedy."""
    found = difflib.get_close_matches(name, list(known), 1)
    return f": did you mean {found[0]}?" if found else ": correct it, or add it there"


def terms(root: Path) -> dict[str, str]:
    """The names of the glossary's terms, by the same in lower case."""
    return {name.lower(): name for name in TERM.findall(text_of(root / "chapters" / "glossary.md"))}


def sources(root: Path) -> dict[str, str]:
    """The keys of the bibliography, by themselves."""
    return {key: key for key in SOURCE.findall(text_of(root / "chapters" / "references.bib"))}


def text_of(path: Path) -> str:
    """What a file contains; nothing if it is missing."""
    return path.read_text(encoding="utf-8-sig") if path.is_file() else ""


def claims_without_a_sentence(page: Path) -> Problems:
    for box in parse(page.read_text(encoding="utf-8-sig"))[1]:
        if box.name == "claim" and not "".join(box.body[len(box.options):]).strip():
            yield page, box.line, f'claim "{box.argument}" needs a body: the sentence to show where it fails'


def in_files(lab: Lab) -> Problems:
    """The problems in the files of a lab that name its values."""
    for file, form, read in (("claims.json", Statement, read_statements), ("predictions.json", Pair, read_declared)):
        path = lab.folder / file
        problems = [*misspelt_keys(path, form)]
        yield from problems
        if not problems:
            try:
                read(path, path.name)
            except RecordError as error:
                yield path, 1, str(error).removeprefix(f"{path.name}: ")
    named = [(lab.folder / "definitions.json", line, names) for line, names in lab.defined.values()]
    named += [(lab.folder / "laws.json", line, names) for line, names in lab.laws]
    named += [(lab.folder / "claims.json", line, {value}) for line, value in lab.claims.values() if value]
    named += [(path, line_of(path, pair[side]), {pair[side]}) for path in [lab.folder / "predictions.json"]
              for pair in lab.pairs for side in ("predicted", "measured") if side in pair]
    for path, line, names in named:
        for name in sorted(names):
            if "*" not in name and not lab.has(name) and name not in lab.measured:
                yield path, line, unrecorded(name, lab)


def misspelt_keys(path: Path, form: type) -> Problems:
    """The problems of a file of claims or pairs that is not JSON, or has a key that its form lacks."""
    try:
        data = read_json(path) if path.exists() else []
    except json.JSONDecodeError as error:
        yield path, error.lineno, f"is not JSON: {error.msg}; correct it"
        return
    except (ContentError, OSError):
        return  # its reader says so
    keys = [field.name for field in dataclasses.fields(form)]
    for each in data.get("pairs", []) if isinstance(data, dict) else data:
        for key in each if isinstance(each, dict) else ():
            if key not in keys:
                yield path, line_of(path, key), f'expected {", ".join(keys)}, not "{key}"{nearest(key, keys)}'


def in_figure(script: Path, labs: dict[str, Lab]) -> Problems:
    """The names in a figure's script of series and values that its lab doesn't record, and the columns that no table has."""
    text = script.read_text(encoding="utf-8")
    own = [lab for lab in labs.values() if lab.name[:2] == script.name[:2]] or [*labs.values()]
    loaded = [loaded_file(script, name) for name in re.findall(r'^\s*load "([\w.-]+)"', text, re.M)]
    assigned = set(ASSIGNED.findall(text + "".join(path.read_text(encoding="utf-8") for path in loaded if path.is_file())))
    columns = OF_ATTEMPTS if 'exists("yours")' in text else COLUMNS
    for number, line in enumerate(text.splitlines(), 1):
        for name in names_in(line):
            if "*" not in name and f"value_{name}" not in assigned and not any(lab.has(name) for lab in own):
                yield script, number, unrecorded(name, *own)
        if line.startswith("#"):
            continue
        for column in columns_in(line):
            if column > columns:
                yield script, number, f"reads column {column}, but a table has only {columns} (record table): correct it"


def names_in(line: str) -> Iterator[str]:
    """The series and values that a line of a figure's script names in full."""
    if head := re.match(r"# (?:needs|shows): (.*)", line):
        yield from head[1].split()
    elif not line.startswith("#"):
        names = ("".join(filter(None, match.groups())) for match in IN_TABLES.finditer(line))
        yield from (name for name in names if not name.endswith("_"))  # which is the beginning of some


def columns_in(line: str) -> Iterator[int]:
    """The columns that a line of a figure's script reads: $2, strcol(5), using 1:2."""
    yield from (int(match[1] or match[2]) for match in COLUMN.finditer(line))
    for using in USING.findall(line):
        yield from (int(part) for part in re.sub(r"\(.*\)", "", using).split(":") if part.isdigit())

#!/usr/bin/env python3
"""Draws figures from a record: `record table`, then gnuplot, then an SVG that follows the page's colours.

Uses only the standard library, so that `make lab-NN` can draw without a virtual environment.
A script figures/NN-name.gp begins with comments that give its title and its series:

    # title: Sorting on this machine
    # needs: quicksort insertion            series without which it cannot be drawn
    # shows: quicksort quicksort_predicted  series that its description covers, if the record has them; * fits any characters

(a field may take several such lines).

The record of a machine without, say, a GPU lacks the GPU's series and says so in its notes. Figures that need such series
are then left out, with one line of output; this is not a failure.
"""

import argparse
import fnmatch
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    from .. import json_file
    from . import svg
except ImportError:  # run as a script
    sys.path.append(str(Path(__file__).parents[1]))
    import json_file
    import svg

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
CSS = HERE.parent / "static" / "figures.css"
PLOT = HERE / "plot"  # what all books' figures load: colours and lines, and a frame
GNUPLOT_SECONDS = 60
AXES_ROUNDS = 6


class DrawError(Exception):
    """A figure could not be drawn; the text is one line that names the file and the remedy."""


class SeriesAbsent(DrawError):
    """The record lacks a series that the figure needs; `notes` are the record's notes on what its machine lacked."""

    def __init__(self, text, notes):
        super().__init__(text)
        self.notes = notes


def draw(record_path, script_path, out_dir, tool, axes=None, name=None, attempts=()):
    """Draws one figure and returns its path, `out_dir`/<`name`>.svg, written only when its content changed.

    `tool` is the `record` executable, `axes` the result of common_axes(). `name` is the script's by default; the figure's
    ids begin with it. `attempts` are the records of the reader's own kernel (tools/yours), oldest first, for a script that
    draws them. Raises DrawError.

    Draws only if the content of something that the figure depends on has changed; the last line of the file has the key.
    """
    record_path, script_path, out_dir = Path(record_path), Path(script_path), Path(out_dir)
    name = name or script_path.stem
    figure = out_dir / (name + ".svg")
    attempts = list(attempts) if 'exists("yours")' in read_text(script_path) else []
    made_of = f"<!-- {key_of([record_path, Path(tool), *inputs(script_path), *attempts], json.dumps([name, axes]))} -->\n"
    if figure.exists() and figure.read_bytes().endswith(made_of.encode()):
        return figure
    header, series = checked(record_path, script_path)
    description = " ".join(describe(series[each]) for each in shown(header, series))
    with tempfile.TemporaryDirectory() as folder:
        drawn = run_gnuplot(script_path, record_path, tool, kept(axes or {}) + given_attempts(attempts, folder))
    try:
        themed = svg.themed(drawn, name, header["title"], description,
                            read_text(PLOT / "style.gp"), read_text(CSS))
    except svg.SvgError as error:
        raise DrawError(f"{script_path}: {error}") from None
    write_if_changed(figure, themed + made_of)
    return figure


def attempts_in(folder):
    """The records of the attempts at a reader's own kernel, oldest first; none if there is no such folder."""
    return sorted(Path(folder).glob("[0-9]*.json"), key=lambda file: int(file.stem))


def attempt(file):
    """The record of an attempt."""
    return read_json(file, "remove it")


def given_attempts(files, folder):
    """The command that gives a script the table of the last few attempts, written to `folder`: x, median, low, high, how many
    attempts came later, and the speedup over the race's second row."""
    if not files:
        return ""
    table = Path(folder) / "yours.tsv"
    rows = []
    for later, file in enumerate(reversed(files[-6:])):  # more would hide each other
        for heat in attempt(file)["race"]["heats"]:
            if heat["x"] is None:  # the figure doesn't show it
                continue
            of, slowest = heat["rows"][:2]
            row = [heat["x"], of["median"], of["low"], of["high"], later, of["median"] / slowest["median"]]
            rows.append("\t".join(map(str, row)) + "\n")
    table.write_text("".join(rows), encoding="utf-8")
    return f"; yours = {quoted(table)}"


def key_of(files, also=""):
    """A digest that changes when the content of any of the files does, or `also`."""
    return hashlib.sha256(" ".join([*map(content_digest, files), also]).encode()).hexdigest()


def content_digest(path):
    """SHA-256 of a file's content; empty when it cannot be read."""
    try:
        return digest_of(path)
    except OSError:
        return ""


def digest_of(path):
    """SHA-256 of a file's content, cached while its time and size stay the same. Raises OSError."""
    status = path.stat()
    return _digest(path, status.st_ino, status.st_mtime_ns, status.st_size)


@functools.cache
def _digest(path, *_):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def checked(record_path, script_path):
    """A script's head, and {id: series} of a record that has everything the script needs."""
    record = read_record(record_path)
    header = read_header(script_path)
    series = {one["id"]: one for one in record["series"]}
    for name in header["needs"]:
        if name not in series:
            raise SeriesAbsent(f"{record_path}: series {name} is absent, and {script_path.name} needs it; measure again",
                               record.get("run", {}).get("notes", []))
    return header, series


def shown(header, ids):
    """Those of a record's series that a script with this head shows, in the order of the head."""
    return [each for name in header["shows"] for each in fnmatch.filter(ids, name)]


def common_axes(record_paths, script_path, tool):
    """The common axes for drawing a figure from each of the records, as an argument for draw(); small and JSON-compatible.

    Runs the script for each record until no range has to be widened, because one range may depend on another. Raises DrawError,
    or SeriesAbsent if a record lacks something the figure needs.
    """
    script_path = Path(script_path)
    record_paths = [*map(Path, record_paths)]
    for record_path in record_paths:
        checked(record_path, script_path)
    with tempfile.TemporaryDirectory() as scratch:
        axes, came_to = {}, Path(scratch) / "ranges"
        for _ in range(AXES_ROUNDS):
            for record_path in record_paths:
                run_gnuplot(script_path, record_path, tool, f"; sharing = 1; set print {quoted(came_to)} append" + kept(axes))
            before, axes = axes, widest(read_text(came_to)) if came_to.exists() else {}
            if axes == before:
                break
    return axes


def widest(ranges):
    """{name: [from, to]}, each as wide as the widest range of that name, in either direction. `ranges` are lines "x1 0.5 64",
    as style.gp prints them."""
    ends = {}
    for name, *pair in map(str.split, ranges.splitlines()):
        old, new = ends.get(name), list(map(float, pair))
        further = (min, max) if new[0] <= new[1] else (max, min)
        ends[name] = [pick(a, b) for pick, a, b in zip(further, old, new)] if old else new
    return ends


def kept(axes):
    """The commands that make style.gp use these ranges."""
    return "".join(f"; common_{name}_from = {low!r}; common_{name}_to = {high!r}" for name, (low, high) in axes.items())


def inputs(script_path):
    """Every file a figure depends on besides the record: its script, the files that the script loads, the palette and this
    code."""
    scripts, waiting = [], [Path(script_path)]
    while waiting:
        script = waiting.pop()
        if script not in scripts:
            scripts.append(script)
            try:
                loaded = re.findall(r'^\s*load "([\w.-]+)"', read_text(script), re.M)
            except DrawError:  # draw() will report it; the figure still depends on the file, which may come back.
                loaded = []
            waiting += [loaded_file(script, name) for name in loaded]
    modules = (__file__, json_file.__file__, svg.__file__, svg.labels.__file__, svg.labels.TABLE)
    return [*scripts, CSS, *map(Path, modules)]


def loaded_file(script, name):
    """What a script loads by this name: a file beside it, else one of PLOT, as gnuplot finds it."""
    beside, shared = script.with_name(name), PLOT / name
    return shared if shared.exists() and not beside.exists() else beside


def read_text(path):
    return _read(json_file.decoded, path)


def read_json(path, remedy):
    """What a JSON file contains; `remedy` follows the complaint that it is not JSON."""
    try:
        return _read(json_file.read_json, path)
    except ValueError as error:
        raise DrawError(f"{path}: is not JSON ({error}); {remedy}") from None


def _read(reader, path):
    try:
        return reader(path)
    except OSError as error:
        raise DrawError(f"{path}: cannot be read ({error.strerror}); restore it") from None
    except json_file.ContentError as error:
        raise DrawError(f"{path}: {error}") from None


def read_record(path):
    record = read_json(path, "measure again")
    try:
        record["series"][0]["id"]
    except (KeyError, IndexError, TypeError):
        raise DrawError(f"{path}: has no series; measure again") from None
    return record


def read_header(path):
    """The title, the series needed and the series shown, from the comments at the top of a script."""
    found = re.findall(r"^# (title|needs|shows): (.+)$", read_text(path), re.M)
    fields = {name: " ".join(text for field, text in found if field == name) for name in ("title", "needs", "shows")}
    for name, text in fields.items():
        if not text:
            raise DrawError(f"{path}: has no comment line '# {name}: …'; add one at its top")
    return {"title": fields["title"], "needs": fields["needs"].split(), "shows": fields["shows"].split()}


def tables_of(record_path, tool):
    """The folder with a record's tables, which are written once per process for all figures."""
    return _tables(record_path, Path(tool), content_digest(record_path), content_digest(Path(tool)))


@functools.cache
def _tables(record_path, tool, *_):
    tables = tempfile.mkdtemp(dir=scratch().name)
    run_tool(tool, record_path, tables)
    return Path(tables)


@functools.cache
def scratch():
    """A folder that is removed when this process ends."""
    return tempfile.TemporaryDirectory()


def run_tool(tool, record_path, tables):
    try:
        result = subprocess.run([str(tool), "table", str(record_path), "--out", str(tables)],
                                capture_output=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise DrawError(f"{tool}: cannot be run ({error.strerror}); build it with cmake --build build") from None
    if result.returncode != 0:
        raise DrawError(last_line(result.stderr) or f"{record_path}: {tool} failed with status {result.returncode}")


def run_gnuplot(script_path, record_path, tool, given=""):
    """The SVG that gnuplot makes of a script and a record; runs the commands `given` first. The variable `tables` is the folder
    of the record's tables, `output` the file to draw."""
    gnuplot = shutil.which("gnuplot")
    if not gnuplot:
        raise DrawError(f"{script_path}: gnuplot is missing; install it (apt-get install gnuplot-nox)")
    tables = tables_of(record_path, tool)
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "figure.svg"
        variables = f"set loadpath {quoted(PLOT)}; tables = {quoted(tables)}; output = {quoted(output)}"
        try:
            result = subprocess.run([gnuplot, "--default-settings", "-e", variables + given, script_path.name],
                                    cwd=script_path.parent, capture_output=True, encoding="utf-8", errors="replace",
                                    stdin=subprocess.DEVNULL, timeout=GNUPLOT_SECONDS)
        except subprocess.TimeoutExpired:
            raise DrawError(f"{script_path}: gnuplot did not finish in {GNUPLOT_SECONDS} s; look for a loop") from None
        if absent := re.search(r"undefined variable: value_(\w+)", result.stderr):
            raise DrawError(f"{record_path}: value {absent[1]} is absent, and {script_path.name} needs it; measure again")
        if result.returncode != 0:
            raise DrawError(f"{script_path}: gnuplot reported: {complaint(result.stderr)}; correct the script")
        if not output.exists() or output.stat().st_size == 0:
            raise DrawError(f"{script_path}: drew nothing; it must load style.gp and plot")
        return read_text(output)


def complaint(stderr):
    """gnuplot's error message and line number, warnings first, on one line, without the quoted script."""
    told = re.findall(r'line \d+: .+', stderr)
    return "; ".join(dict.fromkeys(told)) or last_line(stderr) or "nothing"


def quoted(path):
    """A gnuplot string in single quotes, in which only the quote itself needs escaping."""
    return "'" + str(path).replace("'", "''") + "'"


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def write_if_changed(path, text):
    try:
        if path.exists() and path.read_bytes() == text.encode("utf-8"):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            partial.write_text(text, encoding="utf-8")
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise DrawError(f"{path}: cannot be written ({error.strerror}); the old file is unchanged") from None


# The description of a figure for screen readers.

def describe(series):
    """One sentence about a series: its points by name, or the shape of its curve."""
    points = series["points"]
    if any("label" in point for point in points):
        told = ", ".join(f"{point.get('label', quantity(point['x'], series['x']['unit']))} "
                         f"{quantity(point['median'], series['y']['unit'])}" for point in points)
        return f"{sentence_start(series)}: {told}."
    return f"{sentence_start(series)}: {course(series)}."


def sentence_start(series):
    name = called(series)
    return name[:1].upper() + name[1:]


def called(series):
    """The label of a series, with its kind unless that is "measured" or in the label already."""
    label, kind = series["label"], series["kind"]
    return label if kind == "measured" or kind in label else f"{label} ({kind})"


def course(series):
    """The shape of a curve from its smallest x to its largest: where it starts, peaks and ends."""
    points = sorted(series["points"], key=lambda point: point["x"])
    x = lambda point: quantity(point["x"], series["x"]["unit"])
    y = lambda point: quantity(point["median"], series["y"]["unit"])
    first, last = points[0], points[-1]
    low, high = (pick(points, key=lambda point: point["median"]) for pick in (min, max))
    if high["median"] <= 1.15 * low["median"]:
        middle = sorted(points, key=lambda point: point["median"])[len(points) // 2]
        return f"stays near {y(middle)} from {x(first)} to {x(last)}"
    settled = next(i for i in range(len(points)) if all(near(p, last) for p in points[i:]))
    past = x(points[max(settled - 1, 0)])
    if near(high, last):
        return f"rises from {y(first)} at {x(first)} to {y(last)} beyond {past}"
    return f"peaks at {x(high)} with {y(high)}, then falls to {y(last)} beyond {past}"


def near(point, other):
    return abs(point["median"] - other["median"]) <= 0.1 * abs(other["median"])


def quantity(value, unit):
    """A number with three digits; bytes in KiB, MiB or GiB."""
    if unit == "B":
        size, unit = next((each for each in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")) if value >= each[0]), (1, "B"))
        value /= size
    digits = f"{value:.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.3g}"
    return digits if unit == "1" else f"{digits}%" if unit == "%" else f"{digits} {unit}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Draws figures from a record with gnuplot.")
    parser.add_argument("scripts", nargs="+", metavar="SCRIPT", help="figures/NN-name.gp")
    parser.add_argument("--record", required=True, metavar="FILE", help="the record to draw, build/records/NN-slug.json")
    parser.add_argument("--out", default="build/figures", metavar="DIR",
                        help="the folder for the figures (default: %(default)s)")
    parser.add_argument("--tool", default=str(ROOT / "build" / "bin" / "record"), metavar="FILE",
                        help="the record tool (default: build/bin/record)")
    parser.add_argument("--yours", metavar="DIR", help="attempts at your own kernel, yours/attempts/NN-slug")
    options = parser.parse_args(arguments)
    failures, left_out = 0, {}  # the figures left out, and why
    for script in options.scripts:
        try:
            print(draw(options.record, script, options.out, options.tool,
                       attempts=attempts_in(options.yours) if options.yours else ()))
        except DrawError as error:
            if isinstance(error, SeriesAbsent) and error.notes:
                left_out[Path(script).stem] = error.notes
            else:
                print(f"draw: {error}", file=sys.stderr)
                failures += 1
    if left_out:
        why = "; ".join(dict.fromkeys(note for notes in left_out.values() for note in notes))
        print(f"not drawn, because this machine has not measured them: {', '.join(left_out)} ({why})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

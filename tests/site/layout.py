"""The actual positions of a figure's words, in a browser with the book's own font, and the obstacles in their way."""

import functools
import json
import math
import os
import re
import warnings
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from urllib.parse import quote

from made import RECORDS, ROOT
from playwright.sync_api import Browser
from test_gnuplot import SVG, TOOL, gnuplot, labels
from whole import DEFAULT

SCRIPTS = sorted((ROOT / "figures").glob("[0-9][0-9]-*.gp"))
OTHERS = {"01-roofline": ["front-roofline"], "02-matmul": ["start-two-orders"]}  # figures of other pages, by their record
STATIC = ROOT / "site" / "press" / "static"
# The machines whose figures are known to be without faults, and must remain so. Colliding labels on a new machine are not the
# contributor's fault: they only warn until the machine is added here.
FAULTLESS = {"amd-epyc-zen-3-2-cores-vm", "amd-epyc-zen-4-2-cores-vm", "amd-epyc-zen-5-2-cores-vm",
             "amd-epyc-zen-5-4-hosts-1-gbit", "intel-xeon-2-cores-vm", "intel-xeon-nvidia-h100-vm", DEFAULT}
# Baseline to the top of a digit or capital, and to the bottom of a comma, in em. Few letters go below that.
ABOVE, BELOW = 0.66, 0.12
# A curve may touch the edge of a label's box; only a line through the middle of the letters is a fault.
STRUCK_FROM, STRUCK_TO = 0.03, 0.5

# The words of every figure on the page: string, place, width, size in units of the figure, and colour class.
MEASURE = """() => Object.fromEntries([...document.querySelectorAll("[data-figure]")].map(box => {
  const texts = [...box.querySelectorAll("text")].map(text => ({
    string: text.textContent, x: +text.getAttribute("x"), y: +text.getAttribute("y"),
    anchor: text.getAttribute("text-anchor") || "start", turn: text.getAttribute("transform") || "",
    width: text.getComputedTextLength(), size: parseFloat(getComputedStyle(text).fontSize),
    name: text.getAttribute("class")}));
  return [box.dataset.figure, texts];
}))"""


def draw_one(job: tuple[Path, Path, Path]) -> str:
    """A figure's SVG; empty if the record lacks what the figure needs."""
    record, script, folder = job
    try:
        return gnuplot.draw(record, script, folder / "figures", TOOL).read_text(encoding="utf-8")
    except gnuplot.SeriesAbsent:
        return ""


def draw_all(records: dict[str, dict], folder: Path) -> dict[tuple[str, str], str]:
    """{(record's name, figure): SVG} for every figure that each generated record allows."""
    jobs = {}
    for i, (name, record) in enumerate(records.items()):
        path = folder / str(i) / f"{record['lab']['id']}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(record), encoding="utf-8")
        jobs |= {(name, script.stem): (path, script, path.parent) for script in scripts_of(path)}
    return draw_jobs(jobs)


@functools.cache
def draw_published() -> dict[tuple[str, str], str]:
    """{("machine/lab", figure): SVG} for every published record, in the book's own files, which need not be drawn again."""
    jobs = {}
    for path in sorted(RECORDS.glob("*/*.json")):
        folder = ROOT / "build" / "published" / path.parent.name
        jobs |= {(f"{path.parent.name}/{path.stem}", script.stem): (path, script, folder) for script in scripts_of(path)}
    return draw_jobs(jobs)


def scripts_of(record: Path) -> list[Path]:
    others = [ROOT / "figures" / f"{name}.gp" for name in OTHERS.get(record.stem, [])]
    return [script for script in SCRIPTS if script.stem[:2] == record.stem[:2]] + others


def draw_jobs(jobs: dict[tuple[str, str], tuple[Path, Path, Path]]) -> dict[tuple[str, str], str]:
    """The figures that their records allow, drawn two at a time."""
    gnuplot.scratch()  # shared, because nothing would delete a worker's own folder
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return {key: source for key, source in zip(jobs, pool.map(draw_one, jobs.values(), chunksize=4)) if source}


def measure(browser: Browser, figures: dict[tuple[str, str], str], folder: Path) -> dict[tuple[str, str], list[dict]]:
    """The words of all figures, as the browser lays them out: all on one page without other words."""
    boxes = "".join(f'<div data-figure="{quote(json.dumps(key))}"><svg class="hf-figure" viewBox="0 0 560 900">'
                    f'{"".join(re.findall("<text.*?</text>", source))}</svg></div>' for key, source in figures.items())
    sheets = "".join(f'<link rel="stylesheet" href="{(STATIC / name).as_uri()}">' for name in ("fonts.css", "figures.css"))
    path = folder / "figures.html"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{sheets}{boxes}', encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(120_000)
    page.goto(path.as_uri())
    page.evaluate("() => document.fonts.ready")
    assert page.evaluate("() => document.fonts.check('18px \"Press Text\"')")
    found = page.evaluate(MEASURE)
    page.close()
    return {key: found[quote(json.dumps(key))] for key in figures}


def box(text: dict, above: float = ABOVE, below: float = BELOW, inset: float = 0.0) -> labels.Shape:
    """A word's box, rotated like the word."""
    left = {"start": 0.0, "middle": -text["width"] / 2, "end": -text["width"]}[text["anchor"]] + inset
    right = left + text["width"] - 2 * inset
    turn = re.match(r"rotate\((\S+) ", text["turn"])
    angle = math.radians(float(turn[1])) if turn else 0.0
    cos, sin = math.cos(angle), math.sin(angle)
    size = text["size"]
    corners = ((left, -above), (right, -above), (right, below), (left, below))
    return labels.Shape([(text["x"] + a * cos - b * size * sin, text["y"] + a * sin + b * size * cos) for a, b in corners])


def curves(source: str) -> list[tuple[str, labels.Shape]]:
    """The straight pieces of every line except the grid, with their colours."""
    pieces = []
    for path in ElementTree.fromstring(source).iter(SVG + "path"):
        colour = path.get("class").removeprefix("s-")
        if colour == "grid":
            continue
        for run in path.get("d").split("M")[1:]:
            points = [tuple(map(float, pair.split(","))) for pair in run.split("L")]
            pieces += [(colour, labels.Shape(list(pair))) for pair in zip(points, points[1:])]
    return pieces


def marks(source: str) -> list[tuple[str, labels.Shape]]:
    """The marker of every point, with its colour. Areas, unlike markers, have an opacity."""
    found = []
    for shape in ElementTree.fromstring(source).iter():
        if shape.tag == SVG + "circle":
            x, y, radius = (float(shape.get(name)) for name in ("cx", "cy", "r"))
            turns = [math.pi * (eighth + 0.5) / 4 for eighth in range(8)]
            corners = [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
        elif shape.tag == SVG + "polygon" and not shape.get("fill-opacity"):
            corners = [tuple(map(float, pair.split(","))) for pair in shape.get("points").split()]
        else:
            continue
        found.append((re.search(r"[sf]-(\w+)", shape.get("class"))[1], labels.Shape(corners)))
    return found


def faults(source: str, texts: list[dict]) -> list[str]:
    """The faults of a figure: words that leave it, words that overlap, curves through words, words on marks."""
    top, width, height = map(float, re.search(r'viewBox="0 (\S+) (\S+) (\S+)"', source).groups())
    told = []
    boxes = [(text["string"], box(text)) for text in texts]
    for i, (string, own) in enumerate(boxes):
        if own.x0 < 0 or own.y0 < top or own.x1 > width or own.y1 > top + height:
            told.append(f"{string!r} leaves the figure")
        told += [f"{string!r} lies on {other!r}" for other, its in boxes[:i] if labels.overlap(own, its)]
    pieces, points = curves(source), marks(source)
    for text in texts:
        middle = box(text, STRUCK_TO, -STRUCK_FROM, inset=2)
        colours = {colour for colour, piece in pieces if labels.overlap(middle, piece)}
        told += [f"{text['string']!r} is struck through by a {colour} line" for colour in sorted(colours)]
        covered = {colour for colour, mark in points if labels.overlap(box(text, below=0), mark)}
        told += [f"{text['string']!r} lies on a mark that is {colour}" for colour in sorted(covered)]
    return told


def judge(told: dict[tuple[str, str], list[str]]) -> None:
    """Fails on the faults of machines in FAULTLESS, {("machine/lab", figure): faults}, and warns of those of others."""
    known = {where: each for where, each in told.items() if where[0].partition("/")[0] in FAULTLESS}
    for where in told.keys() - known.keys():
        for fault in told[where]:
            warnings.warn(f"a new machine's labels collide: {': '.join(where)}: {fault}", stacklevel=2)
    assert not any(known.values()), "\n".join(f"{': '.join(where)}: {fault}" for where, each in known.items() for fault in each)

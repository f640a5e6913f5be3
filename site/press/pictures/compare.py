"""Two machines in one figure: both drawings on the same axes, and a sentence on what differs beyond the noise.

    _machines/PAGE/A+B.js    press.pair("PAGE", "A+B", {figure: [drawing of A, drawing of B, sentence]})

One file for each machine that measured a figure of the page, paired with the first that did. static/compare-view.js loads it on
demand.
Drawing a pair takes several runs of gnuplot, so it is kept in build/compared/ until a record or a script changes.
"""

import html
import json
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ..domain import of_page, press
from ..measurements.quantity import quantity
from ..measurements.record import Record, RecordError
from ..measurements.records import Records
from . import gnuplot

PAIRS = "hf-pairs"  # of a figure: {"A+B": [drawing, drawing, sentence]}
TIMES = ("ns", "us", "ms", "s", "cycles")


def add_pairs(records: Records, figure: nodes.figure, script: Path, own: list[Record], series: list[str]) -> nodes.Node | None:
    """Adds the pairs to the figure, for machines whose `own` records draw it, and returns a placeholder for their button; None
    if there is no pair. Raises RecordError."""
    pairs = {}
    series = [each["id"] for name in series for each in own[0].series_like(name)] if own else []
    for a, b in ((own[0], other) for other in own[1:]):
        names = tuple(records.machine_of(each).short for each in (a, b))
        if sentence(a, b, series, names) and (drawn := both_drawn(records, a, b, script)):
            pairs[f"{a.slug}+{b.slug}"] = [*drawn, sentence(a, b, series, names, words_of(drawn))]
    if not pairs:
        return None
    figure[PAIRS] = (script.stem, pairs)
    return nodes.raw("", f'<span class="hf-compare" data-figure="{html.escape(script.stem)}" '
                         f'data-pairs="{html.escape(" ".join(pairs))}"></span>', format="html")


def pairs_of_page(doctree: nodes.document) -> dict[str, dict[str, list[str]]]:
    """{"A+B": {figure: [drawing, drawing, sentence]}} of a page."""
    found: dict[str, dict[str, list[str]]] = {}
    for figure in doctree.findall(nodes.figure):
        name, pairs = figure.get(PAIRS, ("", {}))
        for pair, content in pairs.items():
            found.setdefault(pair, {})[name] = content
    return found


def forget_what_no_page_names(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """env-updated: removes pairs from build/compared that no page shows any more."""
    named = {f"{pair}/{figure}" for page in env.found_docs
             for pair, figures in of_page(env, page, "pairs", names_of_pairs).items() for figure in figures}
    for folder in (press(env).records.build / "compared").glob("*+*"):
        for kept in folder.glob("*.json"):
            if f"{folder.name}/{kept.stem}" not in named:
                for drawing in folder.glob(f"*/figures/{kept.stem}-on-*.svg"):
                    drawing.unlink()
                kept.unlink()
        if not any(folder.glob("*.json")):
            shutil.rmtree(folder)
    return []


def names_of_pairs(doctree: nodes.document) -> dict[str, list[str]]:
    """{"A+B": [figure, …]} of a page."""
    return {pair: list(figures) for pair, figures in pairs_of_page(doctree).items()}


def both_drawn(records: Records, a: Record, b: Record, script: Path) -> list[str] | None:
    """The drawings of both machines on the same axes; None if one of them has not measured everything that the figure shows."""
    folder = records.build / "compared" / f"{a.slug}+{b.slug}"
    kept, key = folder / f"{script.stem}.json", gnuplot.key_of([a.path, b.path, *gnuplot.inputs(script)])
    try:
        known = json.loads(kept.read_text(encoding="utf-8"))
        if known["key"] == key:
            return known["drawn"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # never drawn, or drawn by an earlier version
    try:
        axes = gnuplot.common_axes([a.path, b.path], script, records.tool.program)
        files = [gnuplot.draw(each.path, script, folder / each.slug / "figures", records.tool.program, axes=axes,
                           name=f"{script.stem}-on-{each.slug}") for each in (a, b)]
        drawn = [gnuplot.svg.inline(file.read_text(encoding="utf-8")) for file in files]
        gnuplot.write_if_changed(kept, json.dumps({"key": key, "drawn": drawn}))
    except gnuplot.SeriesAbsent:
        return None
    except (gnuplot.DrawError, OSError) as error:
        raise RecordError(str(error).replace(f"{records.root}{os.sep}", "")) from None
    return drawn


# What differs.

MOST = 2  # how many differences the sentence lists; the figure shows the rest


def sentence(a: Record, b: Record, series: list[str], names: tuple[str, str], drawn: set[str] = frozenset()) -> str:
    """A sentence on the largest differences between two records beyond the noise: the intervals from the 5th to the 95th
    percentile must not overlap, and the medians must differ by more than either machine's noise floor. Points are matched by
    label, else by their place on the x axis. A series is named as in the figure, if the figure names it (`drawn`). Empty if
    the records share no measured point."""
    noise = max(record.data["run"]["noise_floor"] for record in (a, b))
    groups: dict[tuple, list[tuple[str, dict]]] = {}
    for name in series:
        of_a, of_b = a.series(name), b.series(name)
        both_measured = of_a and of_b and of_a["kind"] == of_b["kind"] == "measured"
        if both_measured and (found := differences(of_a, of_b, noise)):
            extents = tuple((winner, where) for winner, where, _ in found)
            groups.setdefault((of_a["y"]["unit"], extents), []).append((of_a["label"], [ratios for *_, ratios in found]))
    if not groups:
        return ""
    ties = [label for (_, extents), members in groups.items() if not extents[0][0] for label, _ in members]
    differ = sorted((group for group in groups.items() if group[0][1][0][0]), key=furthest, reverse=True)
    if not differ:
        return "Any difference is within the noise."
    called = short_labels([label for members in groups.values() for label, _ in members], drawn)
    said = [clause(unit, extents, [(called[label], ratios) for label, ratios in members], names)
            for (unit, extents), members in differ[:MOST]]
    if len(differ) > MOST:
        said.append("The other series differ by less.")
    elif ties:
        said.append(f"They tie on {listed(ties)}.")
    return " ".join(re.sub(r"\w", lambda letter: letter[0].upper(), each, count=1) for each in said)


def furthest(group: tuple[tuple, list[tuple[str, list[list[float]]]]]) -> float:
    """The largest factor in a group of series."""
    return max(ratio for _, found in group[1] for ratios in found for ratio in ratios)


def words_of(drawings: Iterable[str]) -> set[str]:
    """All words written in drawings."""
    return {html.unescape(words) for drawing in drawings for words in re.findall(r"<text[^>]*>([^<]+)<", drawing)}


def short_labels(labels: list[str], drawn: set[str]) -> dict[str, str]:
    """A name for each series: the part of its label that the figure shows, if that is unique; else the label."""
    short = {label: next((part for part in (label, *label.split(", ")) if part in drawn), label) for label in labels}
    only = {label: part for label, part in short.items() if list(short.values()).count(part) == 1}
    return {label: only.get(label, label) for label in labels}


def differences(a: dict, b: dict, noise: float) -> list[tuple[str, str, list[float]]]:
    """Where two series differ: (whose is larger, "a" or "b"; where; by which factors); if any points tie, ("", "", []) comes
    last. Empty if the series share no point."""
    shared = shared_points(a, b)
    larger = [whose_is_larger(*points, noise) for _, points in shared]
    found = []
    for winner in ("a", "b"):
        at = [i for i, each in enumerate(larger) if each == winner]
        if at:
            ratios = [max(p["median"], q["median"]) / min(p["median"], q["median"]) for i in at for p, q in [shared[i][1]]]
            found.append((winner, extent(at, [place for place, _ in shared], labelled(a, b)), ratios))
    if shared and not all(larger):
        found.append(("", "", []))
    return found


def shared_points(a: dict, b: dict) -> list[tuple[str, tuple[dict, dict]]]:
    """(name of the place, the two points) in the order of the first series; only points with a ratio."""
    key = (lambda point: point["label"]) if labelled(a, b) else (lambda point: float(f"{point['x']:.9g}"))
    others = {key(point): point for point in b["points"]}
    named = lambda point: point["label"] if labelled(a, b) else gnuplot.quantity(point["x"], a["x"]["unit"])
    points = a["points"] if labelled(a, b) else sorted(a["points"], key=key)
    return [(named(point), (point, others[key(point)])) for point in points
            if key(point) in others and point["median"] > 0 and others[key(point)]["median"] > 0]


def labelled(a: dict, b: dict) -> bool:
    return all("label" in point for series in (a, b) for point in series["points"])


def whose_is_larger(a: dict, b: dict, noise: float) -> str:
    """"a" or "b"; empty if they tie."""
    winner, larger, smaller = ("a", a, b) if a["median"] > b["median"] else ("b", b, a)
    apart = larger.get("low", larger["median"]) > smaller.get("high", smaller["median"])
    return winner if apart and larger["median"] > smaller["median"] * (1 + noise) else ""


def extent(at: list[int], places: list[str], by_label: bool) -> str:
    """Where: empty for everywhere; "from … to …" for neighbouring points; else names, or a count."""
    if len(at) == len(places):
        return ""
    if len(at) == 1:
        return f"{'for' if by_label else 'at'} {places[at[0]]}"
    if by_label:
        return f"for {listed([places[i] for i in at])}" if len(at) <= 4 else f"for {len(at)} of {len(places)}"
    if at[-1] - at[0] + 1 == len(at):
        return f"from {places[at[0]]} to {places[at[-1]]}"
    return f"at {len(at)} of {len(places)} points from {places[at[0]]} to {places[at[-1]]}"


def clause(unit: str, extents: tuple, members: list[tuple[str, list[list[float]]]], names: tuple[str, str]) -> str:
    """The clause about series that differ in the same places."""
    parts = []
    for number, (winner, where) in enumerate(extents):
        if not winner:
            parts.append("elsewhere they tie")
            continue
        ratios = [ratio for _, of_member in members for ratio in of_member[number]]
        does = "takes" if word(unit) == "long" else "is"
        parts.append(f"{names[winner == 'b']} {does} {factor(ratios)} times as {word(unit)} {where}".rstrip())
    return f"{listed([label for label, _ in members])}: {'; '.join(parts)}."


def word(unit: str) -> str:
    """Describes a larger number: "long", "fast" or "high"."""
    return "long" if unit in TIMES else "fast" if unit.endswith(("/s", "Hz")) else "high"


def factor(ratios: list[float]) -> str:
    digits = lambda ratio: quantity(float(f"{ratio:.{3 if ratio < 1.1 else 2}g}"), "1", exact=True).number
    low, high = digits(min(ratios)), digits(max(ratios))
    return low if low == high else f"{low} to {high}"


def listed(words: list[str]) -> str:
    """"a, b and c"; a part that contains a comma goes in brackets."""
    words = [re.sub(r",\s+(.*)", r" (\1)", word) for word in dict.fromkeys(words)]
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def add_to(app: Sphinx) -> None:
    app.connect("env-updated", forget_what_no_page_names)

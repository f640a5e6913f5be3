"""How wrong the predictions were: pairs of series in records, matched point by point.

What counts: a *modelled* series X_predicted beside a *measured* X (or X_measured), both a time or a speed in the same unit.
Points are matched by their labels, or by their places where either has none. What does not: ratios and shares, whose times
are counted already, and a point whose prediction is its own measurement, from which a law starts.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .quantity import quantity
from .records import Record

TIMES = {"ns", "us", "ms", "s"}
TWIN = "_predicted"


@dataclass(frozen=True)
class Outcome:
    """A prediction and what came of it. `took`: the measured time over the predicted one."""

    series: str
    name: str
    predicted: str
    measured: str
    took: float

    @property
    def error(self) -> float:
        """How far the predicted time was from the measured one, as a share of that: labs/01-roofline, Outcome::error()."""
        return abs(1 / self.took - 1)

    @property
    def factor(self) -> float:
        """The same both ways: 2 where it took twice as long, and where it took half."""
        return max(self.took, 1 / self.took)


@dataclass(frozen=True)
class Tally:
    """Many outcomes in a line."""

    count: int
    median: float
    worst: Outcome
    within: tuple[float, float, float]  # shares with an error of at most 10, 25 and 50 %


def outcomes(record: Record) -> list[Outcome]:
    """Every prediction of a record that counts, in the record's order."""
    found: list[Outcome] = []
    for predicted in record.data["series"]:
        name = predicted["id"].removesuffix(TWIN)
        if name == predicted["id"] or predicted["kind"] != "modelled":
            continue
        measured = record.series(name) or record.series(f"{name}_measured")
        if measured and measured["kind"] == "measured" and measured["y"]["unit"] == predicted["y"]["unit"]:
            found += pairs(name, predicted, measured)
    return found


def pairs(name: str, predicted: dict, measured: dict) -> Iterator[Outcome]:
    unit = predicted["y"]["unit"]
    if unit not in TIMES and not unit.endswith("/s"):
        return
    by_label = all("label" in point for point in [*predicted["points"], *measured["points"]])
    key = (lambda point: point["label"]) if by_label else (lambda point: point["x"])
    observed = {key(point): point for point in measured["points"]}
    for point in predicted["points"]:
        other = observed.get(key(point))
        if other is None or min(point["median"], other["median"]) <= 0 or point["median"] == other["median"]:
            continue
        took = other["median"] / point["median"]
        label = point.get("label") or other.get("label") or place(measured["x"], point["x"])
        yield Outcome(name, label, *(str(quantity(float(f"{each['median']:.3g}"), unit)) for each in (point, other)),
                      took if unit in TIMES else 1 / took)


def place(axis: dict, x: float) -> str:
    """A point without a label, in words: "batch 16", "256 KiB"."""
    if axis["unit"] == "B":
        return str(quantity(x, "B"))
    number = quantity(float(f"{x:.4g}"), "1").number
    return f"{axis['name']} {number}" + ("" if axis["unit"] == "1" else f" {axis['unit']}")


def tally(found: Iterable[Outcome]) -> Tally:
    """Of at least one outcome."""
    found = list(found)
    errors = [each.error for each in found]
    within = tuple(sum(error <= limit for error in errors) / len(errors) for limit in (0.10, 0.25, 0.50))
    return Tally(len(found), statistics.median(errors), max(found, key=lambda each: each.factor), within)


def times_as_long(took: float) -> str:
    """ "1.2×", "0.31×", "160×", near one "1.01×": the measured time in predicted ones."""
    digits = 3 if 0.95 < took < 1.05 else 2
    return str(quantity(float(f"{took:.{digits}g}"), "1", style="times"))


def place_on_axis(took: float, octaves: int = 3) -> float:
    """Where a dot goes on a strip, in per cent: 50 where the prediction was right, 0 and 100 where it was off by as many
    octaves or more."""
    return 50 + 50 * max(-1.0, min(1.0, math.log2(took) / octaves))


def percent(share: float) -> str:
    """Two digits are enough for a miss."""
    return str(quantity(float(f"{share:.2g}"), "1", style="percent"))

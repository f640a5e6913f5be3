"""How wrong the predictions were: each point that a lab predicted, with the outcome.

The predictions that count are declared in labs/NN-slug/predictions.json:

    {"pairs": [{"what": "ten kernels", "predicted": "kernels_predicted", "measured": "kernels"}, …],
     "left_out": [{"why": "counted above, as times", "ids": ["some_ratio_predicted", …]}]}

A pair is two series or two values in the same unit, the first modelled or simulated, the second measured or quoted. Pairs that
a record lacks are skipped; a value may have a "name" to distinguish it from others with the same "what". Points are matched by
their labels, or by x if either series lacks labels. A point that equals its own measurement, from which a law starts, does not
count.
"""

import math
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..json_file import ContentError, read_json
from .quantity import quantity
from .record import Record, RecordError

TIMES = {"ns", "us", "ms", "s"}
WITHIN = (1.1, 1.25, 2)
OCTAVES = 3  # from the middle of a strip to each end


@dataclass(frozen=True)
class Pair:
    """The ids of a prediction and of the measurement to compare it with."""

    what: str
    predicted: str
    measured: str
    name: str = ""


@dataclass(frozen=True)
class Declared:
    """A lab's predictions.json."""

    pairs: tuple[Pair, ...] = ()
    left_out: tuple[str, ...] = ()


def read_declared(path: Path, shown: str) -> Declared:
    """A lab's predictions; none if the file is missing. RecordError if it is malformed."""
    try:
        data = read_json(path) if path.exists() else {"pairs": []}
        left_out = [name for group in data.pop("left_out", []) if group["why"] for name in group["ids"]]
        return Declared(tuple(Pair(**pair) for pair in data.pop("pairs")), tuple(left_out), **data)
    except ContentError as error:
        raise RecordError(f"{shown}: {error}") from None
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        raise RecordError(f'{shown}: expected "pairs", each with "what", "predicted" and "measured", and "left_out", '
                          'each with "why" and "ids"; correct it') from None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction and its outcome: the number that was expected, and the one that came. `took`: the measured time over the
    predicted one; for quantities that are neither times nor speeds, the measured number over the predicted one."""

    what: str
    name: str
    expected: float
    came: float
    took: float
    unit: str = "1"

    @property
    def predicted(self) -> str:
        """In words."""
        return in_three_digits(self.expected, self.unit)

    @property
    def measured(self) -> str:
        return in_three_digits(self.came, self.unit)

    @property
    def missed_by(self) -> str:
        """The miss in words: "3× longer than predicted", "3× slower than predicted", "predicted 3× too high"."""
        by = missed(self.miss)
        ways = ("shorter", "longer") if self.unit in TIMES else ("faster", "slower") if self.unit.endswith("/s") else None
        if ways:
            return f"{by} {ways[self.took > 1]} than predicted"
        return f"predicted {by} too {'low' if self.took > 1 else 'high'}"

    @property
    def miss(self) -> float:
        """The factor by which the prediction was off in either direction: 2 both for twice and for half the predicted time."""
        return max(self.took, 1 / self.took)


@dataclass(frozen=True)
class Tally:
    """A summary of many outcomes."""

    count: int
    median: float  # miss
    worst: Outcome
    within: tuple[float, ...]  # shares with a miss of at most WITHIN


def outcomes(record: Record, declared: Declared) -> list[Outcome]:
    """Every prediction of a record that counts, in the order in which they are declared."""
    return [each for pair in declared.pairs for each in of_pair(record, pair)]


def of_pair(record: Record, pair: Pair) -> Iterator[Outcome]:
    predicted, measured = (record.series(name) for name in (pair.predicted, pair.measured))
    if predicted and measured:
        if predicted["y"]["unit"] == measured["y"]["unit"]:
            yield from of_series(pair.what, predicted, measured)
        return
    values = {value["id"]: value for value in record.data["values"] if value["id"] in (pair.predicted, pair.measured)}
    if len(values) == 2:
        expected, came = values[pair.predicted], values[pair.measured]
        if expected["unit"] == came["unit"]:
            yield from outcome(pair.what, pair.name or pair.what, expected["value"], came["value"], expected["unit"])


def of_series(what: str, predicted: dict, measured: dict) -> Iterator[Outcome]:
    by_label = all("label" in point for point in [*predicted["points"], *measured["points"]])
    key = (lambda point: point["label"]) if by_label else (lambda point: point["x"])
    observed = {key(point): point for point in measured["points"]}
    for point in predicted["points"]:
        if other := observed.get(key(point)):
            name = point.get("label") or other.get("label") or place(measured["x"], point["x"])
            yield from outcome(what, name, point["median"], other["median"], predicted["y"]["unit"])


def outcome(what: str, name: str, predicted: float, measured: float, unit: str) -> Iterator[Outcome]:
    """Yields nothing if a number is not positive, or if the prediction is the measurement."""
    if min(predicted, measured) > 0 and predicted != measured:
        ratio = measured / predicted
        yield Outcome(what, name, predicted, measured, 1 / ratio if unit.endswith("/s") else ratio, unit)


def in_three_digits(number: float, unit: str) -> str:
    return str(quantity(float(f"{number:.3g}"), unit))


def place(axis: dict, x: float) -> str:
    """A point without a label, in words: "batch 16", "256 KiB"."""
    if axis["unit"] == "B":
        return str(quantity(x, "B"))
    number, unit = quantity(float(f"{x:.4g}"), "1").number, axis["unit"]
    return f"{axis['name']} {number}{'' if unit == '1' else unit if unit == '%' else f' {unit}'}"


def tally(found: Iterable[Outcome]) -> Tally:
    """The summary of at least one outcome."""
    found = list(found)
    misses = [each.miss for each in found]
    within = tuple(sum(miss <= limit for miss in misses) / len(misses) for limit in WITHIN)
    return Tally(len(found), statistics.median(misses), max(found, key=lambda each: each.miss), within)


def times_as_long(took: float) -> str:
    """ "1.2×", "0.31×", "160×", near one "1.01×": the measured time over the predicted time."""
    digits = 3 if 0.95 < took < 1.05 else 2
    return str(quantity(float(f"{took:.{digits}g}"), "1", style="times"))


def missed(miss: float) -> str:
    """ "1.13×", "2.4×", "160×": a miss; with a third digit below 2."""
    return str(quantity(float(f"{miss:.{3 if miss < 2 else 2}g}"), "1", style="times"))


def place_on_axis(took: float) -> float:
    """A dot's place on a strip, in percent: 50 for a perfect prediction, 0 and 100 for one off by OCTAVES or more."""
    return 50 + 50 * max(-1.0, min(1.0, math.log2(took) / OCTAVES))


def percent(share: float) -> str:
    """A share, with two digits."""
    return str(quantity(float(f"{share:.2g}"), "1", style="percent"))

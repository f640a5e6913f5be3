"""The chapters' claims: labs/NN-slug/claims.json contains each sentence and its bound, which decide for every machine's record.

A claim's "shown" says how its number is shown if the sentence is not about the value itself: a name in WAYS, such as "times",
"more" or "left"; after a space, the things counted, as in "whole calls".
"""

import enum
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..json_file import ContentError, read_json
from .quantity import DIGITS, MINUS, NO_BREAK_SPACE, Quantity, quantity, rounded
from .record import Record, RecordError

SIGNS = {">=": ("≥", operator.ge), "<=": ("≤", operator.le), ">": (">", operator.gt), "<": ("<", operator.lt)}
OPPOSITE = {">=": "<=", ">": "<", "<=": ">=", "<": ">"}


class Way(NamedTuple):
    """How a ratio is shown: a conversion, and quantity()'s style."""

    of: Callable[[float], float]
    style: str = ""
    falls: bool = False  # whether the shown number decreases as the ratio grows


WAYS = {
    "times": Way(float, "times"),
    "percent": Way(float, "percent"),
    "number": Way(float),
    "whole": Way(math.ceil),
    "points": Way(lambda ratio: round(100 * ratio, 2)),
    "more": Way(lambda ratio: ratio - 1, "percent"),                     # "takes at most a tenth longer"
    "saved": Way(lambda ratio: 1 - 1 / ratio, "percent"),                # "takes a tenth less time"
    "left": Way(lambda ratio: 1 / ratio, "percent", falls=True),         # "takes at most a tenth of the time"
    "inverse": Way(lambda ratio: 1 / ratio, "times", falls=True),
    "rest": Way(lambda ratio: 1 - ratio, "percent", falls=True),         # "takes away at least half"
}
NOTHING = "nothing"  # for claims that are simply true or false
MEASURED = "measured"  # only numbers of this kind get a tick
OTHER_WAY = "the other way"


class Answer(enum.Enum):
    """A record's verdict on a claim; in C++: labs/record/claims.hpp."""

    HOLDS = "holds"
    FAILS = "does not hold"
    TOO_CLOSE = "too close to call"  # the bound lies inside the number's interval


@dataclass(frozen=True)
class Statement:
    """A claim: a sentence, the id of the value that decides it, the bound of that value, ">= 3", and how the value is shown:
    one of WAYS and a unit, or NOTHING; empty, a ratio is shown with ×, or as a percentage if its bound is below 1."""

    id: str
    text: str
    value: str
    bound: str
    shown: str = ""

    @property
    def sign(self) -> str:
        return self.bound.split()[0]

    @property
    def limit(self) -> float:
        return float(self.bound.split()[1])

    def answer(self, record: Record) -> Answer:
        """The verdict of a record that has the value: the whole interval of the number must be on one side of the bound."""
        low, high = (self._keeps(end) for end in interval(record.value(self.value)))
        return Answer.TOO_CLOSE if low != high else Answer.HOLDS if low else Answer.FAILS

    def kind(self, record: Record) -> str:
        """The kind of the deciding number: MEASURED, "modelled", "simulated" or "quoted"."""
        return record.value(self.value)["kind"]

    def range(self, record: Record) -> str:
        """The interval of the record's value, converted as the sentence needs: "1.06–1.16×"."""
        value = record.value(self.value)
        low, high = sorted(self._of(end, value) for end in interval(value))
        limit = self._of(self.limit, value)
        short = (float(f"{end:.{3 if .9 < abs(end) < 2 else 2}g}") for end in (low, high))  # near 1, a third digit matters
        low, high = (brief if (brief < limit) == (end < limit) and brief != limit else end
                     for brief, end in zip(short, (low, high)))  # on its side of the bound
        ends = [self._printed(end, value) for end in (low, high)]
        return f"{ends[0].number}–{ends[1]}" if ends[0].unit == ends[1].unit else f"{ends[0]} to {ends[1]}"

    def observed(self, record: Record) -> Quantity | str:
        """The record's value, converted as the sentence needs: a ratio with ×, a share as a percentage, a count as a number; ""
        for claims that are simply true or false."""
        value = record.value(self.value)
        if self.shown == NOTHING:
            return ""
        observed = self._printed(self._as_in_the_text(value), value)
        if observed.number.startswith(MINUS) and observed.unit == "%":  # negative: the opposite of what the sentence says
            return Quantity(observed.number.removeprefix(MINUS), f"% {OTHER_WAY}")
        return observed

    def asked(self, record: Record | None) -> str:
        """The bound, converted like the record's value, or like a ratio if there is no record."""
        value = record.value(self.value) if record else {"unit": "1", "value": 0, "low": 0}
        shown = SIGNS[OPPOSITE[self.sign] if value["unit"] == "1" and self._way(value)[0].falls else self.sign][0]
        return f"{shown}{NO_BREAK_SPACE}{self._printed(self._of(self.limit, value), value, exact=True)}"

    def _keeps(self, number: float) -> bool:
        return SIGNS[self.sign][1](number, self.limit)

    def _of(self, number: float, value: dict) -> float:
        """The converted number in the value's unit."""
        return self._way(value)[0].of(number) if value["unit"] == "1" else number

    def _as_in_the_text(self, value: dict) -> float:
        """The converted value, rounded to its spread unless rounding would move it across the bound."""
        number = self._of(value["value"], value)
        way = self._way(value)[0] if value["unit"] == "1" else Way(float)
        low, high = interval(value)
        counted = low == high and float(number).is_integer()
        if counted or way.of is math.ceil or way.of is not float and low <= 0:
            return number
        keeps = SIGNS[OPPOSITE[self.sign] if way.falls else self.sign][1]
        limit = float(f"{self._of(self.limit, value):.9g}")  # 0.1 for a bound of 1.1, without rounding error
        short = rounded(number, *sorted((self._of(low, value), self._of(high, value))), digits=DIGITS)
        return short if keeps(short, limit) == keeps(number, limit) else number

    def _printed(self, shown: float, value: dict, exact: bool = False) -> Quantity:
        """A number as printed; `exact`: with every digit, if it is not converted."""
        if value["unit"] != "1":
            return quantity(shown, value["unit"], exact=exact)
        way, unit = self._way(value)
        if exact and way.of is not float:
            shown = float(f"{shown:.2g}")  # 9.9%, for a bound of 1.11
        made = quantity(shown, "1", style=way.style, exact=exact and way.of is float)
        return Quantity(made.number, unit.removesuffix("s") if made.number == "1" else unit) if unit else made

    def _way(self, value: dict) -> tuple[Way, str]:
        """How a value without a unit is shown, and the unit that it counts."""
        name, _, unit = self.shown.partition(" ")
        if name in WAYS and (value["value"] > 0 or name not in ("saved", "left", "inverse")):
            return WAYS[name], "points" if name == "points" else unit
        counted = "low" not in value and float(value["value"]).is_integer()
        return WAYS["number" if counted else "percent" if abs(self.limit) < 1 else "times"], ""


def interval(value: dict) -> tuple[float, float]:
    """The low and high end of a value's interval, or the number itself twice."""
    return value.get("low", value["value"]), value.get("high", value["value"])


def read_statements(path: Path, shown: str) -> list[Statement]:
    """The claims of a lab, in the chapter's order; none if the file is missing. RecordError if it is unusable; the record tool
    checks more (labs/record/claims.cpp)."""
    try:
        claims = read_json(path) if path.exists() else []
        found = [Statement(**claim) for claim in claims]
        texts = [text for claim in claims for text in claim.values()]
        if (isinstance(claims, list) and all(isinstance(text, str) for text in texts)
                and all(each.sign in SIGNS and math.isfinite(each.limit) for each in found)):
            for each in found:
                if each.shown and each.shown.partition(" ")[0] not in (*WAYS, NOTHING):
                    known = ", ".join((*WAYS, NOTHING))
                    raise RecordError(f'{shown}: {each.id}: expected one of {known} for shown, not "{each.shown}"; correct it')
            return found
    except ContentError as error:
        raise RecordError(f"{shown}: {error}") from None
    except (OSError, ValueError, TypeError, AttributeError, LookupError):
        pass
    raise RecordError(f"{shown}: expected a list of claims with id, text, value, bound and perhaps shown; correct it") from None

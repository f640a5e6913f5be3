"""What the chapters claim: labs/NN-slug/claims.json, the one place of each sentence and of its bound. Every machine's record
is held to these, whatever bound and sentence it was written with."""

from __future__ import annotations

import json
import operator
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from .quantity import NO_BREAK_SPACE, Quantity, quantity
from .records import Record, RecordError

SIGNS = {">=": ("≥", operator.ge), "<=": ("≤", operator.le), ">": (">", operator.gt), "<": ("<", operator.lt)}
FLIPPED = {">=": "≤", ">": "<"}
# A sentence that says what is left, "less than a fifth of the time", of a value that says how often the other is as large.
WHAT_IS_LEFT = re.compile(r"\b(?:less than|at most) (?:a|one) (?:half|third|quarter|fifth|sixth|tenth)\b")
MEMBERS = {"id": r"[a-z][a-z0-9-]*", "text": r"\S.*", "value": r"[a-z][a-z0-9_]*",
           "bound": r"(?:>=|<=|>|<) -?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?"}


@dataclass(frozen=True)
class Statement:
    """A claim: a sentence, the id of the value that decides it, and the bound which that value must keep, ">= 3"."""

    id: str
    text: str
    value: str
    bound: str

    @property
    def limit(self) -> float:
        return float(self.bound.split()[1])

    def holds(self, record: Record) -> bool:
        """Whether the record, which has the value, bears the sentence out."""
        return SIGNS[self.bound.split()[0]][1](record.value(self.value)["value"], self.limit)

    def observed(self, record: Record) -> Quantity:
        """The record's value as the sentence speaks of it: a ratio as times, a share or what is left as per cent, a count
        as a number."""
        value = record.value(self.value)
        if self._says_what_is_left(value):
            return quantity(1 / value["value"], "1", style="percent")
        return quantity(value["value"], value["unit"], style=self._style(value))

    def asked(self, record: Record | None) -> str:
        """The bound in the terms of a record's value; where there is none, as a bare number."""
        value = record.value(self.value) if record else {"unit": "1", "value": 0}
        sign = self.bound.split()[0]
        if self._says_what_is_left(value):
            return f"{FLIPPED[sign]}{NO_BREAK_SPACE}{quantity(1 / self.limit, '1', style='percent')}"
        limit = quantity(self.limit, value["unit"], style=self._style(value), exact=True)
        return f"{SIGNS[sign][0]}{NO_BREAK_SPACE}{limit}"

    def _says_what_is_left(self, value: dict) -> bool:
        least = self.bound.split()[0] in FLIPPED and self.limit > 1
        return least and value["unit"] == "1" and value["value"] > 0 and bool(WHAT_IS_LEFT.search(self.text))

    def _style(self, value: dict) -> str:
        counted = "low" not in value and float(value["value"]).is_integer()
        if value["unit"] != "1" or counted:
            return ""
        return "percent" if abs(self.limit) < 1 else "times"


def read_statements(path: Path, shown: str) -> list[Statement]:
    """The claims of a lab, in the chapter's order; none where the file is missing. RecordError where it is malformed."""
    try:
        claims = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        stated = [Statement(**claim) for claim in claims]
        texts = [(MEMBERS[name], text) for claim in stated for name, text in asdict(claim).items()]
        if isinstance(claims, list) and all(re.fullmatch(pattern, text) for pattern, text in texts):
            return stated
    except (OSError, ValueError, TypeError):
        pass
    raise RecordError(f"{shown}: expected a list of claims with id, text, value and bound; correct it") from None

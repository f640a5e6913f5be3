"""Puts together the calls that are alike: the same operation on the same shapes, at the same place of layers of one kind."""

import re
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    module: str
    line: str
    operation: str
    shapes: str
    calls: int = 0
    flops: int = 0
    bytes: int = 0
    predicted: float = 0.0
    waits: str = ""
    is_view: bool = False
    samples: list = field(default_factory=list)  # seconds of all calls together, one a round
    by_reason: dict = field(default_factory=dict)  # the predicted seconds of each thing that calls wait for
    modules: set = field(default_factory=set)

    @property
    def seconds(self):
        return median(self.samples)

    @property
    def miss(self):
        return self.seconds / self.predicted

    @property
    def loss(self):
        return self.seconds - self.predicted

    def add(self, operation, prediction, samples):
        self.calls += 1
        self.flops += operation.flops
        self.bytes += operation.bytes
        self.predicted += prediction.seconds
        self.by_reason[prediction.waits] = self.by_reason.get(prediction.waits, 0) + prediction.seconds
        self.waits = max(self.by_reason, key=self.by_reason.get)
        self.samples = [sum(pair) for pair in zip(self.samples, samples)] if self.samples else list(samples)
        self.modules.add(operation.module)
        if len(self.modules) > 1:
            self.module = kind(operation.module)


def kind(module):
    """The module's name without its numbers: h.*.mlp for h.0.mlp and its brothers."""
    return re.sub(r"(?<![^._])\d+(?=[. ]|$)", "*", module)


def rows_of(operations, predictions, timed=None, watching=0.0):
    """The rows, worst loss first; without times, the longest first. `timed` has the samples of each
    operation, `watching` is what the clock adds to one."""
    rows = {}
    for at, (operation, prediction) in enumerate(zip(operations, predictions)):
        key = kind(operation.module), operation.line, operation.name, operation.shapes
        if key not in rows:
            rows[key] = Row(operation.module, operation.line, operation.name, operation.shapes, is_view=operation.is_view)
        samples = [max(each - watching, 0) for each in timed[at]] if timed else []
        rows[key].add(operation, prediction, samples)
    order = (lambda row: row.loss) if timed else (lambda row: row.predicted)
    return sorted(rows.values(), key=order, reverse=True)

"""{predict-table}: a question for each row of a table: does the kernel wait for memory, for arithmetic, or for itself?
{predict-scores}: the reader's answers beside the roofline's and the measured ones.

    ```{predict-table} kernels
    :reveals: fig-roofline kernels-scored      as in {predict}
    The question.

    | kernel | what it computes |
    |---|---|
    | vector add | `c[i] = a[i] + b[i]` |
    ```

    ```{predict-scores} kernels                the {predict-table} of that id, on the same page
    :name: kernels-scored                      optional
    ```

The first cell of a row is the label of a point in the lab's series `kernels`. "Memory" is predicted under the slanted roof,
and measured if the kernel runs at least 1.5 times as fast on nearer data. Near that threshold, both answers are right. A kernel
that reaches less than 1/4 of what both roofs allow waits for itself, which no roof predicts. The record contains the number of
kernels for which prediction and measurement agree, as the lab counted them: if the page would count differently, the build
fails.
"""

import html
import json
from dataclasses import dataclass

from docutils import nodes
from docutils.parsers.rst import directives
from press.domain import press
from press.measurements.measured import split_target
from press.measurements.outcomes import missed
from press.measurements.quantity import quantity
from press.measurements.record import Machine, Record, RecordError
from press.page.notice import NoticeDirective
from press.page.tables import scrolling_table
from press.reader.per_machine import for_each_machine
from press.reader.predict import Question, form, predict_answer, prediction, script_controls, whose
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

LAB, SERIES = "01-roofline", ("kernels_predicted", "kernels", "kernels_in_cache")
MEMORY, ARITHMETIC, ITSELF = SIDES = "memory", "arithmetic", "itself"
PEAK, RIGHT = "peak_fp32_gflops", "prediction_sides_right"
NEARER_GAIN, CLOSE, NEITHER = 1.5, 1.25, 4  # CLOSE: a factor on either side of NEARER_GAIN


@dataclass(frozen=True)
class Scored:
    """A kernel: both sides, how many times as fast it was in a nearer cache, and the factor by which the predicted time was
    off. `measured` is the side that the lab counts."""

    name: str
    predicted: str
    measured: str
    gain: float
    miss: float

    @property
    def right(self) -> bool:
        return self.predicted == self.measured

    @property
    def answers(self) -> list[str]:
        """The right answers: two for a close call."""
        close = self.measured != ITSELF and 1 / CLOSE <= self.gain / NEARER_GAIN <= CLOSE
        return [MEMORY, ARITHMETIC] if close else [self.measured]


def scored(record: Record) -> list[Scored]:
    """Every kernel of a record. Raises RecordError if the lab classified them differently."""
    predicted, measured, near = ({point["label"]: point["median"] for point in record.series(name)["points"]}
                                 for name in SERIES)
    peak = record.value(PEAK)["value"]
    found = []
    for name, speed in predicted.items():
        gain, share = near[name] / measured[name], measured[name] / speed
        side = ITSELF if share < 1 / NEITHER else SIDES[gain < NEARER_GAIN]
        found.append(Scored(name, SIDES[speed > peak * 0.99], side, gain, max(share, 1 / share)))
    if (here := sum(each.right for each in found)) != (there := record.value(RIGHT)["value"]):
        raise RecordError(f"this page counts {here} sides predicted correctly, but the record's {RIGHT} is {there:g}: "
                          "set NEARER_GAIN and NEITHER in site/book/predict_table.py to the lab's values in "
                          "Measurement::side() and Outcome::waits_for_neither()")
    return found


def kernels(directive: SphinxDirective, machine: Machine) -> tuple[Record, list[Scored]]:
    """The record a page is about, and its kernels."""
    domain = press(directive.env)
    lab, _ = split_target(f"{LAB}/kernels", directive.env.docname)
    domain.note_lab(lab)
    record = domain.records.choose(lab, machine, having=[*(("series", name) for name in SERIES), ("values", PEAK),
                                                       ("values", RIGHT)])
    return record, scored(record)


class PredictTable(Question):
    """A question for each row."""

    option_spec = {"reveals": directives.unchanged_required}
    kind = "table"

    def question(self) -> prediction:
        box = self.box()
        tables = list(box.findall(nodes.table))
        if len(tables) != 1:
            raise RecordError("its body must have exactly one table, with a row for each bet")
        self.rows = add_bets(tables[0], self.arguments[0])
        box += form('<button type="button" class="hf-predict-commit" disabled="">These are my answers</button>')
        box += self.each_machine(self.answer)
        return box

    def answer(self, machine: Machine) -> predict_answer:
        record, found = kernels(self, machine)
        sides = {each.name: each.answers for each in found if each.name in self.rows}
        if unknown := [row for row in self.rows if row not in sides]:
            raise RecordError(f'the lab has no kernel "{unknown[0]}"')
        right = sum(each.right for each in found if each.name in self.rows)
        where = whose(press(self.env).records, record)
        words = f"Measured{where}. The roofline got {right} of {len(self.rows)} right."
        return predict_answer("", words, data={"answer": json.dumps(sides)})


def add_bets(table: nodes.table, name: str) -> list[str]:
    """Adds a column with two buttons per row. Returns the rows' names."""
    group = next(table.findall(nodes.tgroup))
    group["cols"] += 1
    group.insert(group.index(next(group.findall(nodes.thead))), nodes.colspec(colwidth=1))
    rows = []
    for row in table.findall(nodes.row):
        if isinstance(row.parent, nodes.thead):
            content = nodes.paragraph("", "it waits for")
        else:
            rows.append(" ".join(row[0].astext().split()))
            content = script_controls(html=sides(name, len(rows), rows[-1]))
        row += nodes.entry("", content, classes=["hf-predict-bet"])
    return rows


def sides(name: str, number: int, row: str) -> str:
    choices = "".join(f'<label><input type="radio" name="{name}-{number}" value="{side}"/>{side}</label>' for side in SIDES)
    return f'<div role="radiogroup" aria-label="{html.escape(row)}" data-row="{html.escape(row)}">{choices}</div>'


class PredictScores(NoticeDirective):
    """The table of scores; the script fills in the reader's answers."""

    required_arguments = 1
    option_spec = {"name": directives.unchanged}
    subject = "{name} {0}: "

    def show(self) -> list[nodes.Node]:
        tables = for_each_machine(self.env, lambda machine: [self.table(machine)])
        box = nodes.container("", *tables, classes=["hf-predict-scores"])
        self.add_name(box)
        return [box]

    def table(self, machine: Machine) -> nodes.Node:
        _, found = kernels(self, machine)
        heads = ["kernel", "you said", "the roofline predicted", "it waits for", "faster with data in cache", "missed by"]
        rows = [[each.name, script_controls(html=self.bet(each.name)), mark(each),
                 "≈ both" if len(each.answers) > 1 else each.measured,
                 str(quantity(float(f"{each.gain:.2g}"), "1", style="times")), missed(each.miss)] for each in found]
        table = scrolling_table(heads, rows)
        for row in table.findall(nodes.row):
            row[1]["classes"].append("hf-predict-bet")
        return table

    def bet(self, row: str) -> str:
        question = html.escape(f"{self.env.docname}/{self.arguments[0]}")
        return f'<span data-bet-of="{question}" data-bet-row="{html.escape(row)}">–</span>'


def mark(kernel: Scored) -> nodes.inline:
    """The predicted side, marked as right, wrong, or too close to call."""
    sign, kind = ("✓", "yes") if kernel.right else ("≈", "close") if kernel.predicted in kernel.answers else ("✗", "no")
    return nodes.inline("", f"{kernel.predicted} {sign}", classes=["hf-verdict", f"hf-{kind}"])


def add_to(app: Sphinx) -> None:
    app.add_directive("predict-table", PredictTable)
    app.add_directive("predict-scores", PredictScores)

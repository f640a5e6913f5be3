"""{predict-table}: a question for each row of a table: does the kernel wait for memory, or for arithmetic?
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
and measured if the kernel runs at least 1.5 times as fast on nearer data. The record contains the number of kernels for which
both agree, as the lab counted them: if the page would count differently, the build fails.
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
SIDES = ("memory", "arithmetic")
PEAK, RIGHT = "peak_fp32_gflops", "prediction_sides_right"
NEARER_GAIN = 1.5


@dataclass(frozen=True)
class Scored:
    """A kernel: both sides, how many times as fast it was in a nearer cache, and the factor by which the predicted time was
    off."""

    name: str
    predicted: str
    measured: str
    gain: float
    miss: float

    @property
    def right(self) -> bool:
        return self.predicted == self.measured


def scored(record: Record) -> list[Scored]:
    """Every kernel of a record. Raises RecordError if the lab classified them differently."""
    predicted, measured, near = ({point["label"]: point["median"] for point in record.series(name)["points"]}
                                 for name in SERIES)
    peak = record.value(PEAK)["value"]
    found = [Scored(name, SIDES[speed > peak * 0.99], SIDES[near[name] / measured[name] < NEARER_GAIN],
                    near[name] / measured[name], max(measured[name] / speed, speed / measured[name]))
             for name, speed in predicted.items()]
    if (here := sum(each.right for each in found)) != (there := record.value(RIGHT)["value"]):
        raise RecordError(f"the roofline predicts {here} sides correctly on this page and {there:g} in the record's {RIGHT}: "
                          "set NEARER_GAIN in site/book/predict_table.py to the lab's value in Measurement::side()")
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
        box += form('<button type="button" class="hf-predict-commit" disabled>Those are my answers</button>')
        box += self.each_machine(self.answer)
        return box

    def answer(self, machine: Machine) -> predict_answer:
        record, found = kernels(self, machine)
        sides = {each.name: each.measured for each in found if each.name in self.rows}
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
    choices = "".join(f'<label><input type="radio" name="{name}-{number}" value="{side}">{side}</label>' for side in SIDES)
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
        rows = [[each.name, script_controls(html=self.bet(each.name)), mark(each), each.measured,
                 str(quantity(float(f"{each.gain:.2g}"), "1", style="times")),
                 missed(each.miss)] for each in found]
        table = scrolling_table(heads, rows)
        for row in table.findall(nodes.row):
            row[1]["classes"].append("hf-predict-bet")
        return table

    def bet(self, row: str) -> str:
        question = html.escape(f"{self.env.docname}/{self.arguments[0]}")
        return f'<span data-bet-of="{question}" data-bet-row="{html.escape(row)}">–</span>'


def mark(kernel: Scored) -> nodes.inline:
    """The predicted side, marked as right or wrong."""
    return nodes.inline("", f"{kernel.predicted} {'✓' if kernel.right else '✗'}",
                        classes=["hf-verdict", "hf-yes" if kernel.right else "hf-no"])


def add_to(app: Sphinx) -> None:
    app.add_directive("predict-table", PredictTable)
    app.add_directive("predict-scores", PredictScores)

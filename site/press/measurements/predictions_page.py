"""The page of predictions. {predictions-overview}: one line for every machine and chapter. {predictions} NN-slug: one chapter,
series by series on the chosen machine, and kernel by kernel on every machine. Of many machines, the first have lines and
columns of their own, and the others share one.

    ```{predictions-overview}
    ```

    ```{predictions} 01-sorting
    ```

What counts as a prediction: outcomes.py.
"""

import html
import statistics
from collections import Counter

from docutils import nodes
from sphinx.application import Sphinx

from ..domain import PressDomain, press
from ..page.links import machine_link, page_link
from ..page.notice import NoticeDirective
from ..page.tables import scrolling_table, written_table
from ..reader.per_machine import for_each_machine
from .outcomes import WITHIN, Outcome, missed, outcomes, percent, place_on_axis, read_declared, tally, times_as_long
from .quantity import NO_BREAK_SPACE
from .record import CHANGED, Machine, Record, RecordError

TICKS = (("⅛×", 0.125), ("¼×", 0.25), ("½×", 0.5), ("1×", 1), ("2×", 2), ("4×", 4), ("8×", 8))
PLACES = 40  # on the axis, for a hill
HEADS = ("predictions", "median miss", f"within {WITHIN[0]}×", *(f"{limit}×" for limit in WITHIN[1:]))


def outcomes_of(domain: PressDomain, lab: str, record: Record) -> list[Outcome]:
    """A record's predictions; the page being read depends on the lab's list of them."""
    path = domain.records.root / "labs" / lab / "predictions.json"
    domain.note_file(path)
    return outcomes(record, read_declared(path, domain.records.shown(path)))


class PredictionsOverview(NoticeDirective):
    """For every machine a line for all chapters together, then one for each chapter."""

    def run(self) -> list[nodes.Node]:
        domain = press(self.env)
        domain.note_all_labs()
        by_machine: dict[str, list[tuple[str, list[Outcome]]]] = {each.slug: [] for each in domain.records.machines()}
        notices: list[nodes.Node] = []
        for lab in domain.records.labs():
            records, errors = domain.records.all(lab)
            notices += [self.notice(str(error)) for error in errors]
            try:
                for record in records:
                    if found := outcomes_of(domain, lab, record):
                        by_machine[record.slug].append((lab, found))
            except RecordError as error:
                notices.append(self.notice(str(error)))
        if not any(by_machine.values()):
            return [*notices, nodes.paragraph("", "No record here has both a prediction and its measurement.")]
        having = [machine for machine in domain.records.machines() if by_machine[machine.slug]]
        few, rows = domain.records.few(having), []
        for machine in few:
            rows += self.of([machine_link(machine.slug, machine.short)], by_machine[machine.slug])
        if others := having[len(few):]:
            together: dict[str, list[Outcome]] = {}
            for lab, found in (each for machine in others for each in by_machine[machine.slug]):
                together.setdefault(lab, []).extend(found)
            rows += self.of([nodes.Text(f"The other {len(others)} machines")], sorted(together.items()), "hf-together")
        example = nodes.raw("", f'<div class="hf-strip-example">{annotated()}</div>', format="html")
        return [*notices, nodes.container("", example, strips("machine and chapter", rows), classes=["hf-predictions"])]

    def of(self, title: list[nodes.Node], chapters: list[tuple[str, list[Outcome]]], *classes: str) -> list["Row"]:
        """A row for all chapters together, and one for each."""
        return [Row(title, [each for _, found in chapters for each in found], "hf-of-all", *classes),
                *(Row([page_link(lab, f"Chapter {lab[:2]}")], found, *classes) for lab, found in chapters)]


class Predictions(NoticeDirective):
    """One chapter."""

    required_arguments = 1
    subject = "{name} {0}: "

    def show(self) -> list[nodes.Node]:
        domain, lab = press(self.env), self.arguments[0]
        domain.note_all_labs()
        self.found = {record.slug: outcomes_of(domain, lab, record) for record in domain.records.all(lab)[0]}
        of_lab = {record.slug: record for record in domain.records.all(lab)[0] if self.found[record.slug]}
        own = [of_lab[machine.slug] for machine in domain.records.machines() if machine.slug in of_lab]
        if not own:
            raise RecordError(f"no record of {lab} has both a prediction and its measurement")
        strips = for_each_machine(self.env, lambda machine: self.of_machine(machine, of_lab.get(machine.slug, own[0])),
                                  everyone=True)
        return [nodes.container("", *strips, self.kernels(own), classes=["hf-predictions"])]

    def of_machine(self, wanted: Machine, record: Record) -> list[nodes.Node]:
        """A strip for each predicted quantity, from the machine's record or one that replaces it."""
        by_what: dict[str, list[Outcome]] = {}
        for each in self.found[record.slug]:
            by_what.setdefault(each.what, []).append(each)
        rows = [Row([nodes.Text(what)], found) for what, found in by_what.items()]  # no links
        machine = press(self.env).records.machine_of(record)
        whose = "On " if machine == wanted else f"Not measured on {wanted.short}; on "
        since = f" ({CHANGED})" if record.changed else ""
        return [nodes.paragraph("", "", nodes.Text(whose), machine_link(machine.slug, machine.short),
                                nodes.Text(f", measured {record.date}{since}:"), classes=["hf-whose"]),
                strips_of_one(rows)]

    def kernels(self, records: list[Record]) -> nodes.Node:
        """Every kernel on every machine, folded away: the measured time over the predicted time."""
        name = lambda record: press(self.env).records.machine_of(record).short
        few = press(self.env).records.few(records)
        by_machine = {name(record): {(each.what, each.name): each for each in self.found[record.slug]} for record in few}
        others: dict[tuple[str, str], list[float]] = {}
        for each in (each for record in records[len(few):] for each in self.found[record.slug]):
            others.setdefault((each.what, each.name), []).append(each.took)
        keys = list(dict.fromkeys(key for found in by_machine.values() for key in found))
        heads = ["", "which", *by_machine, *[f"the other {len(records) - len(few)}"] * bool(others)]
        rows = [[nodes.Text(what), nodes.Text(name if name != what else ""),
                 *(cell(found.get((what, name))) for found in by_machine.values()),
                 *[nodes.Text(middle(others.get((what, name), [])))] * bool(others)] for what, name in keys]
        box = nodes.admonition("", nodes.title("", "Each prediction, on every machine"), classes=["hf-data"],
                               collapsible="closed")
        box += nodes.paragraph("", "Bold: measured time divided by predicted time (for other quantities, measured number "
                                   "divided by predicted number). In brackets: the predicted and the measured number.")
        box += scrolling_table(heads, rows)
        return box


def middle(took: list[float]) -> str:
    """The median over many machines, and the range of nine in ten of them."""
    if not took:
        return "–"
    ordered = sorted(took)
    ends = (ordered[round(share * (len(ordered) - 1))] for share in (.05, .95))
    return f"{times_as_long(statistics.median(took))} ({' to '.join(map(times_as_long, ends))})"


def cell(outcome: Outcome | None) -> nodes.Node:
    if outcome is None:
        return nodes.Text("–")
    both = f"{outcome.predicted}, {outcome.measured}"
    return nodes.inline("", "", nodes.strong("", times_as_long(outcome.took)), nodes.Text(f" ({both})"))


class Row:
    """A row in a table of strips: its subject and its outcomes."""

    def __init__(self, title: list[nodes.Node], found: list[Outcome], *classes: str) -> None:
        self.title, self.found, self.classes = title, found, list(classes)


def strips(about: str, rows: list[Row]) -> nodes.container:
    """A table: each row's dots on one shared logarithmic axis, then the same as numbers."""
    heads = [about, nodes.raw("", head_of_strips(), format="html"), *HEADS, "worst"]
    lines = [[nodes.inline("", "", *row.title), nodes.raw("", drawn, format="html"), *map(nodes.Text, words)]
             for row, (drawn, *words) in zip(rows, map(cells, rows))]
    made = scrolling_table(heads, lines)
    made["classes"].append("hf-strips")
    for row, line in zip(rows, list(made.findall(nodes.row))[1:]):
        line["classes"] += row.classes
    return nodes.container("", made, classes=["hf-counts"])


def strips_of_one(rows: list[Row]) -> nodes.container:
    """The same for one of many machines: rows whose titles are only words."""
    lines = [[f"<span>{html.escape(nodes.inline('', '', *row.title).astext())}</span>", drawn, *map(html.escape, words)]
             for row, (drawn, *words) in zip(rows, map(cells, rows))]
    heads = ["what was predicted", head_of_strips(), *HEADS, "worst"]
    numbers = range(2, len(heads) - 1)
    return nodes.container("", written_table(heads, lines, numbers, "hf-strips"), classes=["hf-counts"])


def head_of_strips() -> str:
    return axis() + '<span class="visually-hidden">time over prediction</span>'


def cells(row: Row) -> list[str]:
    """A row's strip, and what it says in numbers."""
    summary = tally(row.found)
    which = about(summary.worst) if len({each.what for each in row.found}) > 1 else summary.worst.name
    worst = f"{which}: {summary.worst.missed_by}"
    shares = [percent(share) for share in summary.within]
    drawn = strip(row.found, together="hf-together" in row.classes)
    return [drawn, str(summary.count), missed(summary.median), *shares, worst]


def about(outcome: Outcome) -> str:
    """What was predicted, in words: "all-reduces, 4 B"."""
    return outcome.what if outcome.name == outcome.what else f"{outcome.what}, {outcome.name}"


def annotated() -> str:
    """A strip with two dots, and what they mean."""
    half, twice = (Outcome("", "", 1, took, took) for took in (0.5, 2))
    row = lambda *words: '<svg class="hf-strip" translate="no" aria-hidden="true">' + "".join(
        f'<text x="{place_on_axis(took):g}%" y="16" class="{side}">{each}</text>' for took, side, each in words) + "</svg>"
    return (row((0.5, "hf-before", "took half as long ↓"), (2, "hf-after", "↓ took twice as long"))
            + strip([half, twice], told=False) + axis() + row((1, "", f"tinted: a miss of at most {WITHIN[1]}×")))


def axis() -> str:
    """The numbers of the strips' shared axis."""
    ticks = "".join(f'<text x="{place_on_axis(took):g}%" y="14">{words}</text>' for words, took in TICKS)
    return f'<svg class="hf-strip" translate="no" aria-hidden="true">{ticks}</svg>'


def strip(found: list[Outcome], *, told: bool = True, together: bool = False) -> str:
    """A dot for each outcome, with a tooltip if wanted; dots beyond the axis are drawn at its ends. `together`: a hill
    instead, which is highest where most outcomes are. Hidden from screen readers, because the numbers are beside it."""
    lines = "".join(f'<line x1="{place_on_axis(took):g}%" x2="{place_on_axis(took):g}%" y2="100%"/>' for _, took in TICKS)
    low, high = place_on_axis(1 / WITHIN[1]), place_on_axis(WITHIN[1])
    band = f'<rect x="{low:.2f}%" width="{high - low:.2f}%" height="100%"/>'
    dots = hill(found) if together else "".join(
        f'<circle cx="{place_on_axis(each.took):.1f}%" cy="50%" r="3.5">'
        + (f"<title>{html.escape(words(each))}</title>" if told else "") + "</circle>" for each in found)
    return f'<svg class="hf-strip" aria-hidden="true">{band}{lines}{dots}</svg>'


def hill(found: list[Outcome]) -> str:
    """How many outcomes are at each place on the axis."""
    counts = Counter(min(PLACES - 1, int(place_on_axis(each.took) / 100 * PLACES)) for each in found)
    steps = "h1".join(f"V{99 * (1 - counts[place] / max(counts.values())):.0f}" for place in range(PLACES))
    return (f'<svg width="100%" height="100%" viewBox="0 0 {PLACES} 99" preserveAspectRatio="none">'
            f'<path d="M0,99{steps}h1V99Z"/></svg>')


def words(outcome: Outcome) -> str:
    return f"{outcome.name}: predicted {outcome.predicted}, measured {outcome.measured}".replace(NO_BREAK_SPACE, " ")


def add_to(app: Sphinx) -> None:
    app.add_directive("predictions-overview", PredictionsOverview)
    app.add_directive("predictions", Predictions)

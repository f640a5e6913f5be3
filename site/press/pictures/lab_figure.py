"""{lab-figure}: a figure drawn from a record, with everything a reader needs to judge it."""

import functools
import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from ..domain import press
from ..measurements.measured import citation, measured_number
from ..measurements.outcomes import percent
from ..measurements.quantity import NO_BREAK_SPACE, quantity
from ..measurements.record import Machine, NotMeasured, Record, RecordError
from ..measurements.records import Records
from ..page.links import file_link, machine_link
from ..page.notice import NoticeDirective, pending_line
from ..page.tables import scrolling_table
from ..reader.per_machine import for_each_machine, variant
from . import compare, gnuplot

DOT = f"{NO_BREAK_SPACE}· "  # never at the head of a line
CONDITIONS = "conditions_"  # begins the ids of series that say in which state a machine was, such as its clock, while it
                            # measured others: their points are labelled with the ids of the others


@dataclass(frozen=True)
class View:
    """A figure as one machine's page shows it."""

    record: Record
    drawn: str  # as inline SVG, so that it follows the page's colours
    series: list[dict]  # what its table shows
    missing: bool  # whether no machine has measured some of its lines


class LabFigure(NoticeDirective):
    """figures/NAME.gp, drawn from the record of the lab with the same number."""

    required_arguments = 1
    has_content = True
    option_spec = {"series": directives.unchanged_required, "pending": directives.unchanged,
                   "lab": directives.unchanged_required, "name": directives.unchanged}
    subject = "Figure {0}: "

    def show(self) -> list[nodes.Node]:
        domain = press(self.env)
        name, records = self.arguments[0], domain.records
        lab = self.options.get("lab") or lab_of(name, records.labs())
        script = records.root / "figures" / f"{name}.gp"
        wanted, pending = (self.options.get(option, "").split() for option in ("series", "pending"))
        if not pending and "pending" in self.options:
            raise RecordError("needs the names of series after :pending:")
        if not (wanted or pending):
            wanted = header(script)["shows"]
        domain.note_lab(lab)
        for file in [*gnuplot.inputs(script), *records.attempts(lab)]:
            domain.note_file(file)
        figure = nodes.figure("", classes=["hf-lab-figure"])
        caption = takeaway(self)
        drawing = functools.cache(functools.partial(drawn, records, script))
        views = {machine: view(records, machine, lab, wanted, pending, drawing)
                 for machine in records.machines_of(self.env.docname)}
        if all(isinstance(each, RecordError) for each in views.values()):
            raise next(iter(views.values()))
        if None in views.values():
            figure["classes"].append("hf-pending")
            figure += pending_line(header(script)["title"])
        else:
            each = lambda make: for_each_machine(self.env, lambda machine: self.of_view(views[machine], make))
            figure += [*each(lambda view: [nodes.raw("", view.drawn, format="html")]), caption]
            own = [each.record for each in views.values() if isinstance(each, View) and not each.record.elsewhere]
            button = compare.add_pairs(records, figure, script, own, wanted + pending)
            fold = sources_fold(each(self.sign), *each(lambda view: conditions(view.record, view.series)),
                                *each(self.provenance), self.sources(script, views.values()),
                                *each(lambda view: [data_table(view.series)]))
            lacking = each(lambda view: [pending_line("some of its lines", end="")] * view.missing)
            figure += nodes.legend("", fold, *lacking)
            if button:  # docutils expects the caption right after the first child
                figure[0] = variant("", button, figure[0])
        self.add_name(figure)
        return [figure]

    def of_view(self, view: View | RecordError, make: Callable[[View], list[nodes.Node]]) -> list[nodes.Node]:
        """A part of the figure, or a notice in its place."""
        if isinstance(view, View):
            return make(view)
        return [self.notice(f"Figure {self.arguments[0]}: {view}")]

    def sign(self, view: View) -> list[nodes.Node]:
        """The short name of the machine that measured the numbers, or else their kinds."""
        kinds = list(dict.fromkeys(each["kind"] for each in view.series))
        words = press(self.env).records.machine_of(view.record).short if "measured" in kinds else compare.listed(kinds)
        return [nodes.inline("", words, classes=["hf-elsewhere"] * (view.record.elsewhere and "measured" in kinds))]

    def provenance(self, view: View) -> list[nodes.Node]:
        """One line: the kind of the numbers, their machine, the noise of measurements, and the record."""
        record = view.record
        kinds = dict.fromkeys(each["kind"] for each in view.series)
        line = nodes.paragraph("", compare.listed(list(kinds)).capitalize(), classes=["hf-provenance"])
        if "measured" in kinds:
            line["classes"] += ["hf-elsewhere"] * record.elsewhere
            whose = press(self.env).records.machine_of(record).name
            line += [nodes.Text(DOT), machine_link(record.slug, whose)]
        if noise := spread(record, view.series):
            line += [nodes.Text(DOT), noise]
        line += [nodes.Text(DOT), file_link(self.env, record.path, "record")]
        return [line]

    def sources(self, script: Path, views: Iterable[View | RecordError]) -> nodes.paragraph:
        """The sources of the quoted lines of all machines, each once because references are counted; and the script."""
        line = nodes.paragraph("", "Drawn by this ", file_link(self.env, script, "script"))
        quoted = {each.get("source", ""): each for view in views if isinstance(view, View) for each in view.series
                  if each["kind"] != "measured"}
        for each in quoted.values():
            line += citation(self.env, each, self.lineno, self.state.inliner)
        return line


def header(script: Path) -> dict:
    """The header of a figure's script. Raises RecordError."""
    try:
        return gnuplot.read_header(script)
    except gnuplot.DrawError as error:
        raise RecordError(str(error)) from None


def takeaway(figure: SphinxDirective) -> nodes.caption:
    """A figure's body as its caption; RecordError unless it is one paragraph."""
    parsed = figure.parse_content_to_nodes()
    if len(parsed) != 1 or not isinstance(parsed[0], nodes.paragraph):
        raise RecordError("needs a body of one paragraph: its takeaway")
    return nodes.caption("", "", *parsed[0].children)


def view(records: Records, machine: Machine, lab: str, wanted: list[str], pending: list[str],
         drawing: Callable[[Path], str]) -> View | RecordError | None:
    """The figure for a machine's page, or why it cannot be drawn; None if it only shows series that no machine has measured."""
    try:
        record = choose(records, machine, lab, wanted, pending)
        if not record:
            return None
        series = [record.series_like(each) for each in wanted + pending]
        return View(record, drawing(record.path), sum(series, []), not all(series))
    except RecordError as error:
        return error


def choose(records: Records, machine: Machine, lab: str, wanted: list[str], pending: list[str]) -> Record | None:
    """A record that has all series, else one that lacks only pending ones; None if only pending series are wanted."""
    try:
        return records.choose(lab, machine, having=[("series", each) for each in wanted + pending if "*" not in each])
    except NotMeasured:
        if not pending:
            raise
    return records.choose(lab, machine, having=[("series", each) for each in wanted if "*" not in each]) if wanted else None


def lab_of(figure: str, labs: list[str]) -> str:
    """The lab with the figure's number."""
    for lab in labs:
        if lab[:2] == figure[:2]:
            return lab
    raise RecordError(f"no lab has the number {figure[:2]}; name one with :lab:")


def drawn(records: Records, script: Path, record: Path) -> str:
    """The figure's SVG."""
    local = record == records.local_path(record.stem)
    build = records.build if local else records.build / "published" / record.parent.name
    try:
        attempts = records.attempts(record.stem) if local else []
        figure = gnuplot.draw(record, script, build / "figures", tool=records.tool.program, attempts=attempts)
        return gnuplot.svg.inline(figure.read_text(encoding="utf-8"))
    except (gnuplot.DrawError, OSError) as error:
        raise RecordError(str(error).replace(f"{records.root}/", "")) from None


def spread(record: Record, series: Iterable[dict]) -> nodes.Node | None:
    """The spread of repeated samples over all measured points; without repeats, the machine's noise floor. None if nothing was
    measured."""
    measured = [each for each in series if each["kind"] == "measured"]
    spreads = [(point["high"] - point["low"]) / 2 / abs(point["median"]) for each in measured for point in each["points"]
               if "low" in point and "high" in point and point["median"]]
    noise = f"noise floor {percent(record.data['run']['noise_floor'])}"
    when = f"{record.date}{record.since}"
    if any(spreads):
        # Where most points were counted, not timed, the median says nothing about the others.
        middle, most = statistics.median(spreads), f"at most ±{percent(max(spreads))}"
        text = f"±{percent(middle)}, {most}" if middle else most
        which = "The first ± is the median over all points, the second the largest." if middle else "The largest of all points."
        tooltip = (f"{which} Each ± is half the range from the 5th to the 95th percentile (from the smallest to the largest "
                   f"if samples are few). {noise[0].upper()}{noise[1:]}; {when}")
    else:
        text, tooltip = noise, when
    shown = measured_number(tooltip=tooltip, stops=True)
    shown += nodes.Text(text)
    return shown if measured else None


def conditions(record: Record, series: Iterable[dict]) -> list[nodes.Node]:
    """A line that says in which state the machine was while it measured these series; none if the record doesn't have it."""
    labels = {}  # of the series that were measured in a state
    for each in series:
        if states := [*state_of(record, each["id"])]:
            labels.setdefault(", ".join(states), []).append(each["label"])
    text = "; ".join(f"{compare.listed(of)} at {states}" if len(labels) > 1 else f"at {states}"
                     for states, of in labels.items())
    return [nodes.paragraph("", f"Measured {text}", classes=["hf-conditions"])] if text else []


def state_of(record: Record, series: str) -> Iterator[str]:
    """The state in which a series was measured: "1755 MHz", "640 W", "61 °C", "limited by power in 97% of readings"."""
    for each in record.data["series"]:
        for point in each["points"] if each["id"].startswith(CONDITIONS) else ():
            shown, unit = f"{point['median']:.0f}", each["y"]["unit"]
            if point.get("label") == series and shown != "0":
                yield f"{each['label']} in {shown}% of readings" if unit == "%" else f"{shown}{NO_BREAK_SPACE}{unit}"


def sources_fold(sign: list[nodes.Node], *content: nodes.Node) -> nodes.admonition:
    """Where a figure's numbers come from, behind one sign."""
    says = nodes.inline("", ": sources and data", classes=["visually-hidden"])
    return nodes.admonition("", nodes.title("", "", *sign, says), *content, classes=["hf-sources"], collapsible="closed")


def data_table(series: list[dict]) -> nodes.Node:
    """The same data as tables."""
    box = nodes.container("", classes=["hf-data"])
    for each in series:
        box += nodes.paragraph("", gnuplot.called(each), classes=["hf-table-title"])
        box += series_table(each)
    return box


def series_table(series: dict) -> nodes.table:
    x, y, points = series["x"], series["y"], series["points"]
    labelled = any("label" in point for point in points)
    spread = any("low" in point and "high" in point for point in points)
    heads = ["point"] * labelled + [axis_head(x), axis_head(y)] + ["low", "high"] * spread
    rows = []
    for point in points:
        low, high = point.get("low"), point.get("high")
        shown = quantity(point["median"], "1", low, high, exact=series["kind"] == "quoted")
        cells = [point.get("label", "")] * labelled
        cells += [x_cell(point["x"], x["unit"]), shown.number]
        cells += [shown.low or shown.number, shown.high or shown.number] * spread
        rows.append(cells)
    return scrolling_table(heads, rows)


def axis_head(axis: dict) -> str:
    unit = axis["unit"]
    return axis["name"] if unit in ("1", "B") else f"{axis['name']}, {'µs' if unit == 'us' else unit}"


def x_cell(x: float, unit: str) -> str:
    """Capacities have their own unit; other positions are numbers in the unit of the table's head."""
    return str(quantity(x, "B")) if unit == "B" else quantity(x, "1", exact=float(x).is_integer()).number

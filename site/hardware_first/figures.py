"""{lab-figure}: a figure drawn from a record, with everything a reader needs to judge it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from . import draw
from .domain import hardware_first
from .links import file_link
from .measured import citation
from .notice import block_notice, pending_line
from .quantity import quantity
from .records import NotMeasured, Record, RecordError, Records
from .tables import scrolling_table


class LabFigure(SphinxDirective):
    """figures/NAME.gp, drawn from the record of the lab with the same number."""

    required_arguments = 1
    has_content = True
    option_spec = {"series": directives.unchanged_required, "pending": directives.unchanged,
                   "lab": directives.unchanged_required, "name": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        try:
            return [self.figure()]
        except RecordError as error:
            return [block_notice(self.env, self.lineno, f"Figure {self.arguments[0]}: {error}")]

    def figure(self) -> nodes.figure:
        domain = hardware_first(self.env)
        name, records = self.arguments[0], domain.records
        wanted, pending = (self.options.get(option, "").split() for option in ("series", "pending"))
        if not (wanted or pending) or not self.content:
            raise RecordError("needs :series: (what its table shows) and a body (its takeaway)")
        lab = self.options.get("lab") or lab_of(name, records.labs())
        script = records.root / "figures" / f"{name}.gp"
        domain.note_lab(lab)
        for file in draw.inputs(script):
            domain.note_file(file)
        record = choose(records, lab, wanted, pending)
        figure = nodes.figure("", classes=["hf-lab-figure"])
        takeaway = self.takeaway()
        if not record:
            figure["classes"].append("hf-pending")
            figure += pending_line(draw.read_header(script)["title"])
        else:
            figure += [drawing(records, record, script), nodes.caption("", "", *takeaway)]
            series = [found for each in wanted + pending if (found := record.series(each))]
            missing = [pending_line("some of its lines")] if len(series) < len(wanted + pending) else []
            figure += nodes.legend("", *self.provenance(record, series), *missing,
                                   *self.links(record, script), data_table(series))
        self.add_name(figure)
        return figure

    def takeaway(self) -> list[nodes.Node]:
        """The body, as the inline content of a caption."""
        parsed = self.parse_content_to_nodes()
        if len(parsed) != 1 or not isinstance(parsed[0], nodes.paragraph):
            raise RecordError("its takeaway must be one paragraph")
        return parsed[0].children

    def provenance(self, record: Record, series: list[dict]) -> list[nodes.Node]:
        """Who measured what, where, when, with which compiler; what is not a measurement says so."""
        lines: list[nodes.Node] = []
        if any(each["kind"] == "measured" for each in series):
            lines.append(measurement(record, series))
        for kind in ("modelled", "simulated", "quoted"):
            of_kind = [each for each in series if each["kind"] == kind]
            labels = ", ".join(dict.fromkeys(each["label"] for each in of_kind))
            sources = {each.get("source"): each for each in of_kind}.values()
            cited = [node for each in sources for node in citation(self.env, each, self.lineno, self.state.inliner)]
            if of_kind:
                lines.append(nodes.paragraph("", "", nodes.strong("", kind.capitalize()), nodes.Text(f": {labels}"),
                                             *cited, nodes.Text(".")))
        return lines

    def links(self, record: Record, script: Path) -> list[nodes.Node]:
        return [nodes.paragraph("", "", file_link(self.env, record.path, "the record"), nodes.Text(" · "),
                                file_link(self.env, script, "the script that drew this"), classes=["hf-links"])]


def choose(records: Records, lab: str, wanted: list[str], pending: list[str]) -> Record | None:
    """A record that has all series; where none has, one without those pending; None where nothing is wanted but those."""
    try:
        return records.choose(lab, having=[("series", each) for each in wanted + pending])
    except NotMeasured:
        if not pending:
            raise
    return records.choose(lab, having=[("series", each) for each in wanted]) if wanted else None


def lab_of(figure: str, labs: list[str]) -> str:
    """The lab with the figure's number."""
    for lab in labs:
        if lab[:2] == figure[:2]:
            return lab
    raise RecordError(f"no lab has its number {figure[:2]}; name one with :lab:")


def drawing(records: Records, record: Record, script: Path) -> nodes.raw:
    """The figure as inline SVG, so that it follows the page's colours."""
    build = records.build if record.local else records.build / "published" / record.published_as
    try:
        drawn = draw.draw(record.path, script, build / "figures", tool=records.tool)
        return nodes.raw("", drawn.read_text(encoding="utf-8"), format="html")
    except (draw.DrawError, OSError) as error:
        raise RecordError(str(error).replace(f"{records.root}/", "")) from None


def measurement(record: Record, series: list[dict]) -> nodes.paragraph:
    """Machine, date, compiler, flags and spread of what was measured."""
    toolchain = record.data["toolchain"]
    where = "" if record.local else ", a published record: this machine has not measured it"
    return nodes.paragraph(
        "", "", nodes.strong("", "Measured"),
        nodes.Text(f" on {record.machine_name}{where}; {record.date}{record.since}; {toolchain['compiler']} with "),
        *flags(toolchain["flags"]), nodes.Text(f". {spread_sentence(record, series)}"))


def flags(text: str) -> list[nodes.Node]:
    """Each flag by itself, so that a line breaks between them and not within."""
    words = [node for flag in text.split() for node in (nodes.literal("", flag), nodes.Text(" "))]
    return words[:-1] or [nodes.Text("no flags")]


def spread_sentence(record: Record, series: Iterable[dict]) -> str:
    """How far repeated samples lie apart, over all measured points."""
    spreads = [(point["high"] - point["low"]) / 2 / abs(point["median"])
               for each in series if each["kind"] == "measured" for point in each["points"]
               if "low" in point and "high" in point and point["median"]]
    noise = percent(record.data["run"]["noise_floor"])
    if not spreads:
        return f"Noise floor {noise}."
    return (f"Points are medians; from the 5th to the 95th percentile they typically spread by "
            f"±{percent(statistics.median(spreads))}, at most ±{percent(max(spreads))}. Noise floor {noise}.")


def percent(share: float) -> str:
    """Two digits are enough for a spread."""
    return str(quantity(float(f"{share:.2g}"), "1", style="percent"))


def data_table(series: list[dict]) -> nodes.Node:
    """The same data as tables, folded away."""
    box = nodes.admonition("", nodes.title("", "The data as a table"), classes=["hf-data"], collapsible="closed")
    for each in series:
        box += nodes.paragraph("", f"{each['label']} ({each['kind']})", classes=["hf-table-title"])
        box += series_table(each)
    return box


def series_table(series: dict) -> nodes.table:
    x, y, points = series["x"], series["y"], series["points"]
    labelled = any("label" in point for point in points)
    spread = any("low" in point and "high" in point for point in points)
    heads = ["point"] * labelled + [axis_head(x), axis_head(y)] + ["5 %", "95 %"] * spread
    rows = []
    for point in points:
        low, high = point.get("low"), point.get("high")
        shown = quantity(point["median"], "1", low, high, exact=series["kind"] == "quoted")
        cells = [point.get("label", "")] * labelled
        cells += [x_cell(point["x"], x["unit"]), shown.number]
        cells += [shown.low or shown.number, shown.high or shown.number] * spread
        rows.append([nodes.Text(cell) for cell in cells])
    return scrolling_table([nodes.Text(head) for head in heads], rows)


def axis_head(axis: dict) -> str:
    unit = axis["unit"]
    return axis["name"] if unit in ("1", "B") else f"{axis['name']}, {'µs' if unit == 'us' else unit}"


def x_cell(x: float, unit: str) -> str:
    """Capacities carry their own prefix; other positions are numbers in the head's unit."""
    return str(quantity(x, "B")) if unit == "B" else quantity(x, "1", exact=float(x).is_integer()).number

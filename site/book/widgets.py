"""The book's calculators, which run in the reader's browser.

    ```{roofline-explorer}             a machine, an operator and its shape: where the dot falls
    ```{planner}                       a step of training on many chips
    ```{array-explorer}                a systolic array and a product
    :name: fig-live-roofline
    The takeaway, one paragraph.

    What a reader without JavaScript sees instead: also correct, perhaps with {measured} numbers.
    ```

Each calculator has a form in forms/, a script in static/, which live.js fetches when the reader scrolls near, and formulas,
which a test compares with the labs' C++ (tests/site/formulas). Its data is inline in the page, and comes from records, from
the labs' tables and from the page's own table of chips.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from press.domain import press
from press.measurements.record import Machine, Record, RecordError
from press.measurements.record_files import read_data
from press.page.links import file_link
from press.page.notice import NoticeDirective
from press.web.assets import fetched_later, scripts_of
from sphinx.application import Sphinx

from .roofs import ALL, ONE, measured_bandwidths

FORMS = Path(__file__).parent / "forms"
TABLES = Path(__file__).parents[2] / "labs" / "05-scaling" / "data" / "planner.json"  # the lab reads it too
MEASURED, QUOTED, PLANNED = "Measured", "Makers’ figures", "The planner’s chips"
PEAKS = {ONE: {"fp64": "peak_fp64_gflops", "fp32": "peak_fp32_gflops", "bf16": "peak_bf16_gflops", "int8": "peak_int8_gops"},
         ALL: {"fp64": "peak_fp64_all_gflops", "fp32": "peak_fp32_all_gflops"}}
# Models of the planner whose names need special capitals.
FAMILIES = {"gpt3": "GPT-3", "llama3": "Llama 3", "nemotron": "Nemotron-4", "palm": "PaLM"}
ROOFLINE_LAB = "01-roofline"
CHIP_TABLE = ["chip", "bf16 TFLOP/s", "memory TB/s"]  # the first cells of the heading row of a page's table of chips


class Calculator(NoticeDirective):
    """A figure that computes. Its subclasses name the form and the labs' sources."""

    has_content = True
    option_spec = {"name": directives.unchanged}
    subject = "{name}: "
    widget: str
    source: str  # the files, below the project's folder, with the formulas
    kind, means = "Modelled", " in your browser, by the formulas of "

    def show(self) -> list[nodes.Node]:
        domain = press(self.env)
        form = FORMS / f"{self.widget}.html"
        for file in (form, TABLES, *scripts_of(self.widget)):
            domain.note_file(file)
        parsed = self.parse_content_to_nodes()
        if len(parsed) < 2 or not isinstance(parsed[0], nodes.paragraph):
            raise RecordError("needs its takeaway, one paragraph, and below it what is shown without JavaScript")
        figure = nodes.figure("", classes=["hf-widget", f"hf-widget-{self.widget}"])
        # In one box, because docutils expects a figure's second part to be the caption.
        figure += nodes.container(
            "", calculator("", widget=self.widget, form=form.read_text(encoding="utf-8"), data=(data := self.data()),
                           rows=self.rows(data)),
            nodes.container("", *parsed[1:], *self.without_script(), classes=["hf-without-script"]))
        figure += nodes.caption("", "", *parsed[0].children)
        source = file_link(self.env, domain.records.root / self.source, self.source)
        figure += nodes.legend("", nodes.paragraph("", "", nodes.strong("", self.kind), nodes.Text(self.means), source,
                                                   nodes.Text("."), classes=["hf-provenance"]), *self.sources())
        self.add_name(figure)
        return [figure]

    def data(self) -> dict:
        """The script's initial data."""
        raise NotImplementedError

    def without_script(self) -> list[nodes.Node]:
        """What follows the author's words where there is no JavaScript."""
        return []

    def rows(self, data: dict) -> int:
        """How many rows of its tables depend on the records, for the height of its place."""
        return 0

    def sources(self) -> list[nodes.Node]:
        """What the legend says beyond the file with the formulas."""
        return []


class calculator(nodes.General, nodes.Element):
    """The form and its data; a page's own table of chips is added after the page is read."""


class RooflineExplorer(Calculator):
    widget, source = "roofline", "labs/kit/work.cpp"

    def data(self) -> dict:
        domain = press(self.env)
        domain.note_lab(ROOFLINE_LAB)
        records = domain.records
        own = [(machine, record) for machine in records.machines_of(ROOFLINE_LAB)
               if not (record := records.choose(ROOFLINE_LAB, machine)).elsewhere]
        return {"chips": [roof for machine, record in own for roof in measured_roofs(machine, record)]}


class Planner(Calculator):
    widget, source = "planner", "labs/05-scaling/kernels/planner/step_time.cpp"

    def data(self) -> dict:
        tables = planner_tables()
        for kind, names in (("chips", called), ("models", model_called)):
            tables[kind] = [{**each, "called": names(each["name"])} for each in tables[kind]]
        return tables


class ArrayExplorer(Calculator):
    widget, source = "array", "labs/04-tpu/kernels/systolic.cpp"

    def data(self) -> dict:
        return {}


def planner_tables() -> dict:
    """The planner's constants, chips and models, except those with experts, which the page's planner doesn't support."""
    tables = read_data(TABLES, TABLES.parents[3])
    return {"fitted": tables["fitted"], "flashShare": tables["flashShare"], "chips": tables["chips"],
            "models": [model for model in tables["models"] if "experts" not in model]}


def measured_roofs(machine: Machine, record: Record) -> Iterator[dict]:
    """The roofs of one core and of all cores, in GFLOP/s and GB/s, if the record has them."""
    bandwidths = measured_bandwidths(record)
    for cores, peaks in PEAKS.items():
        found = {width: value["value"] for width, name in peaks.items() if (value := record.value(name))}
        if found and cores in bandwidths:
            yield {"id": machine.slug + ("" if cores == ONE else ".all"), "machine": machine.slug, "group": MEASURED,
                   "name": f"{machine.short}: {cores}", "peaks": found, "bandwidth": bandwidths[cores]}


def called(name: str) -> str:
    """The maker's name for a chip, whose name in the planner is for typing: "tpu-v4" is the TPU v4."""
    if name.startswith("tpu-"):
        return name.replace("tpu-v", "TPU v").replace("tpu-", "TPU")
    model, _, capacity = name.upper().partition("-")
    return f"{model}, {capacity} GB" if capacity else model


def model_called(name: str) -> str:
    """The maker's name for a model of the planner: "llama3-70b" is Llama 3 70B."""
    family, _, size = name.rpartition("-")
    return f"{FAMILIES.get(family, family.upper())} {size.upper()}"


def chip(name: str, group: str, peak: float, bandwidth: float) -> dict:
    """A chip with a known bf16 peak, in GFLOP/s, and bandwidth, in GB/s."""
    return {"id": re.sub(r"[^a-z0-9]+", "-", name.lower()), "group": group, "name": name, "peaks": {"bf16": peak},
            "bandwidth": bandwidth}


def quoted_chips(doctree: nodes.document) -> Iterator[dict]:
    """The chips in the page's own table."""
    for table in doctree.findall(nodes.table):
        head, *rows = [[entry.astext().strip() for entry in row.children] for row in table.findall(nodes.row)]
        if head[:len(CHIP_TABLE)] == CHIP_TABLE:
            for name, peak, bandwidth, *_ in rows:
                yield chip(name, QUOTED, 1e3 * float(peak), 1e3 * float(bandwidth))


def planned_chips(quoted: list[dict]) -> Iterator[dict]:
    """The planner's chips, except those that are in the page's table, to within 2%."""
    near = lambda a, b: abs(a / b - 1) <= .02
    for each in planner_tables()["chips"]:
        one = chip(each["name"], PLANNED, each["peak"] / 1e9, each["bandwidth"] / 1e9)
        if not any(near(one["peaks"]["bf16"], other["peaks"]["bf16"]) and near(one["bandwidth"], other["bandwidth"])
                   for other in quoted):
            yield {**one, "name": called(each["name"])}


def add_chips(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: adds the roofline's chips that this project has not measured."""
    for node in doctree.findall(calculator):
        if node["widget"] == RooflineExplorer.widget:
            quoted = list(quoted_chips(doctree))
            node["data"] = {"chips": [*node["data"]["chips"], *quoted, *planned_chips(quoted)]}


def visit_calculator(self, node: calculator) -> None:
    data = json.dumps(node["data"], ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    scripts = fetched_later(node["widget"])
    high = f' style="--hf-rows:{node["rows"]}"' * bool(node["rows"])
    self.body.append(f'<div class="hf-live" data-widget="{node["widget"]}"{scripts}{high}><template>{node["form"]}</template>'
                     f'<script type="application/json">{data}</script></div>\n')
    raise nodes.SkipNode


def add_to(app: Sphinx) -> None:
    app.add_node(calculator, html=(visit_calculator, None))
    for name, directive in (("roofline-explorer", RooflineExplorer), ("planner", Planner), ("array-explorer", ArrayExplorer)):
        app.add_directive(name, directive)
    app.connect("doctree-read", add_chips)

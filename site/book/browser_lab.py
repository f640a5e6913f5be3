"""{measure-here}: chapter 01's experiments in the reader's browser, beside published machines and browsers.
{reader-gpu}: what they found about the reader's GPU. {where-browsers-measure}: prose for a book with compiled kernels.

    ```{measure-here}
    The takeaway, one paragraph.

    What a reader without JavaScript sees instead.
    ```

    ```{reader-gpu}
    What is shown until a GPU has been measured.
    ```

    ```{where-browsers-measure}
    Prose that is left out of a book without compiled kernels.
    ```

The page can save a browser's record, which is published as figures/browsers/NAME/01-roofline.json. Only this page shows it,
because a browser hides too much of the machine for the other pages.

The page runs the labs' own kernels, which site/browser/build compiles to WebAssembly. They are inline, because a page opened
from a file can't load them. If nothing was compiled, the page says so.
"""

import base64
import hashlib
from pathlib import Path

from docutils import nodes
from press.domain import PressDomain, press
from press.measurements.measured import measured_number
from press.measurements.record import Record
from press.measurements.record_files import read_data
from press.measurements.records import Records
from press.pictures.gnuplot import content_digest
from press.web.assets import fetched_later, named_with_digests
from press.web.head import POLICY
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .widgets import ROOFLINE_LAB, Calculator

MODULES = ("relaxed", "plain")  # in the order in which they are tried
ROOFS = ("peak_fp32_gflops", "bandwidth_dram_gbs")
LADDERS = {"reads": "bandwidth_read", "waits": "latency_4k"}
# {lab: the values that a reader's browser can measure}, by their names in static/measure-record.js
KNOWN_TO_BROWSERS = {
    ROOFLINE_LAB: {"peak_fp32_gflops", "peak_fp32_scalar_gflops", "peak_fp32_all_gflops", "simd_over_scalar_fp32",
                   "bandwidth_l1_gbs", "bandwidth_dram_gbs", "bandwidth_dram_all_gbs", "bandwidth_l1_over_dram",
                   "latency_l1_ns", "ridge_flop_per_byte", "flops_per_float_loaded"},
    "02-matmul": {"peak_fp32_gflops", "peak_fp32_all_gflops", "naive_gflops_1023", "naive_gflops_1024", "naive_gflops_1025",
                  "power_of_two_slowdown"},
    "03-gpu": {"mlp_gain_16"},
}
GITHUB = "https://github.com/"  # a project there gets the link that adds a reader's machine
# The compiled modules are inline in the page, and so is the code of its worker, because a page opened from a file can load
# neither. This allows no script from elsewhere.
MEASURING = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'") + "; worker-src blob:"


class MeasureHere(Calculator):
    widget, source = "measure", "site/browser/experiments.cpp"
    kind, means = "Measured", " in your browser, with the labs' own kernels, called by "

    def data(self) -> dict:
        domain = press(self.env)
        domain.note_lab(ROOFLINE_LAB)
        records = domain.records
        chosen = [(machine, records.choose(ROOFLINE_LAB, machine)) for machine in records.machines_of(ROOFLINE_LAB)]
        drawn = [measured(machine.slug, machine.short, record) for machine, record in chosen if not record.elsewhere]
        domain.note_folder(records.root / "figures" / "browsers")
        for record in browsers(records):
            domain.note_file(record.path)
            name, by = record.published_as, domain.credit(record.published_as)
            words = f"{name.replace('-', ' ')}: a {record.cpu}" + (f", measured by {by}" if by else "")
            drawn.append(measured(f"browser/{name}", words, record))
        files = compiled(domain)
        return {"modules": [base64.b64encode(file.read_bytes()).decode() for file in files if file.exists()],
                "machines": [each for each in drawn if each], "record": empty_record(records.root, files),
                "source": source if (source := self.config.press_source).startswith(GITHUB) else "",
                "definitions": {lab: [each for each in records.definitions(lab) if each["id"] in known]
                                for lab, known in KNOWN_TO_BROWSERS.items()}}


def browsers(records: Records) -> list[Record]:
    """The valid rooflines measured by browsers: figures/browsers/NAME/01-roofline.json."""
    return records.valid(sorted((records.root / "figures" / "browsers").glob(f"*/{ROOFLINE_LAB}.json")))


def compiled(domain: PressDomain) -> list[Path]:
    """The paths of the compiled kernels; the page being read depends on them."""
    files = [domain.records.root / "build" / "browser" / f"{name}.wasm" for name in MODULES]
    for file in files:
        domain.note_file(file)
    return files


def empty_record(root: Path, modules: list[Path]) -> dict:
    """A browser's record before any measurement: only what it is measured with."""
    laws = read_data(root / "labs" / ROOFLINE_LAB / "laws.json", root)
    inputs = {"schema": "4", **{f"module:{file.name}": content_digest(file) for file in modules if file.exists()}}
    key = hashlib.sha256("".join(f"{name}\0{inputs[name]}\n" for name in sorted(inputs)).encode()).hexdigest()
    return {"schema": 4, "lab": {"id": ROOFLINE_LAB, "title": "The roofline", "key": f"sha256:{key}", "inputs": inputs},
            "laws": laws,
            "toolchain": {"compiler": "the browser's own, from WebAssembly that Clang made", "flags": "-O3 -msimd128",
                          "libraries": {}, "commit": "unknown"}}


def measured(slug: str, name: str, record: Record) -> dict | None:
    """The data drawn for one core of a machine or a browser; None if its record lacks a part."""
    roofs = [record.value(name) for name in ROOFS]
    ladders = {name: record.series(series) for name, series in LADDERS.items()}
    if not all([*roofs, *ladders.values()]):
        return None
    peak, bandwidth = (float(f"{value['value']:.4g}") for value in roofs)
    return {"slug": slug, "name": name, "peak": peak, "bandwidth": bandwidth,
            **{name: [[point["x"], float(f"{point['median']:.3g}")] for point in series["points"]]
               for name, series in ladders.items()}}


class ReaderGpu(SphinxDirective):
    """The place that static/reader-gpu.js fills."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        opened = nodes.raw("", f"<div{fetched_later('reader-gpu')}>", format="html")
        closed = nodes.raw("", "</div>", format="html")
        return [nodes.container("", opened, *self.parse_content_to_nodes(), closed, classes=["hf-reader-gpu"])]


class WhereBrowsersMeasure(SphinxDirective):
    """Prose about what a reader's browser can measure."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        content = self.parse_content_to_nodes()  # even if it isn't shown, so that mistakes in it are found
        return content if any(file.exists() for file in compiled(press(self.env))) else []


def mark_known(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: tells static/this-browser.js which numbers it can exchange."""
    for number in doctree.findall(measured_number):
        lab, value_id = number.get("of", ("", ""))
        if value_id in KNOWN_TO_BROWSERS.get(lab, ()):
            number["data"] = {**number.get("data", {}), "value": f"{lab}/{value_id}", **number["written"]}
            number["classes"].append("hf-known")


def allow(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """html-page-context: the policy of the page that measures; the script of pages that show what it measured."""
    if doctree and any("hf-widget-measure" in figure["classes"] for figure in doctree.findall(nodes.figure)):
        context["policy"] = MEASURING
    if doctree and any("hf-known" in number["classes"] for number in doctree.findall(measured_number)):
        app.add_js_file("own-numbers.js", loading_method="defer", **{"data-fetched": named_with_digests("own-numbers")})


def add_to(app: Sphinx) -> None:
    app.connect("doctree-read", mark_known)
    app.connect("html-page-context", allow)  # after press.head has set the policy of other pages
    app.add_directive("measure-here", MeasureHere)
    app.add_directive("reader-gpu", ReaderGpu)
    app.add_directive("where-browsers-measure", WhereBrowsersMeasure)

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

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from docutils import nodes
from press.assets import fetched_later
from press.domain import PressDomain, press
from press.draw import content_digest, read_json
from press.measured import KNOWN_TO_BROWSERS
from press.records import ROOFLINE_LAB, Record
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .widgets import Calculator

MODULES = ("relaxed", "plain")  # in the order in which they are tried
ROOFS = ("peak_fp32_gflops", "bandwidth_dram_gbs")
LADDERS = {"reads": "bandwidth_read", "waits": "latency_4k"}


class MeasureHere(Calculator):
    widget, source = "measure", "site/browser/experiments.cpp"
    kind, means = "Measured", " in your browser, with the labs' own kernels, called by "

    def data(self) -> dict:
        domain = press(self.env)
        domain.note_lab(ROOFLINE_LAB)
        records = domain.records
        chosen = [(machine, records.choose(ROOFLINE_LAB, machine)) for machine in records.machines()]
        drawn = [measured(machine.slug, machine.name, record) for machine, record in chosen if not record.elsewhere]
        for record in records.browsers():
            domain.note_file(record.path)
            name = record.published_as
            drawn.append(measured(f"browser/{name}", f"{name.replace('-', ' ')}: a {record.cpu}", record))
        files = compiled(domain)
        return {"modules": [base64.b64encode(file.read_bytes()).decode() for file in files if file.exists()],
                "machines": [each for each in drawn if each], "record": empty_record(records.root, files),
                "definitions": {lab: [each for each in records.definitions(lab) if each["id"] in known]
                                for lab, known in KNOWN_TO_BROWSERS.items()}}


def compiled(domain: PressDomain) -> list[Path]:
    """The paths of the compiled kernels; the page being read depends on them."""
    files = [domain.records.root / "build" / "browser" / f"{name}.wasm" for name in MODULES]
    for file in files:
        domain.note_file(file)
    return files


def empty_record(root: Path, modules: list[Path]) -> dict:
    """A browser's record before any measurement: only what it is measured with."""
    laws = read_json(root / "labs" / ROOFLINE_LAB / "laws.json")
    inputs = {"schema": "4", **{f"module:{file.name}": content_digest(file) for file in modules if file.exists()}}
    key = hashlib.sha256("".join(f"{name}\0{inputs[name]}\n" for name in sorted(inputs)).encode()).hexdigest()
    return {"schema": 4, "lab": {"id": ROOFLINE_LAB, "title": "The roofline", "key": f"sha256:{key}", "inputs": inputs},
            "laws": laws, "toolchain": {"compiler": "the browser's, of WebAssembly by Clang 19", "flags": "-O3 -msimd128",
                                        "libraries": {}, "commit": "unknown", "dirty": False}}


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


def add_to(app: Sphinx) -> None:
    app.add_directive("measure-here", MeasureHere)
    app.add_directive("reader-gpu", ReaderGpu)
    app.add_directive("where-browsers-measure", WhereBrowsersMeasure)

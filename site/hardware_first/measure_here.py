"""{measure-here}: chapter 01's experiments in the reader's browser, and published machines to see them beside.

    ```{measure-here}
    The takeaway, one paragraph.

    What a reader without JavaScript is shown in its place.
    ```

What runs are the labs' kernels, compiled to WebAssembly by site/browser/build, in the page itself, since a page that is opened
from a file may load nothing. Where nothing was compiled, the page says so.
"""

from __future__ import annotations

import base64

from sphinx.application import Sphinx

from .domain import hardware_first
from .records import Machine, Record
from .widgets import ROOFLINE_LAB, Calculator

MODULES = ("relaxed", "plain")  # in the order in which they are tried
ROOFS = ("peak_fp32_gflops", "bandwidth_dram_gbs")
LADDERS = {"reads": "bandwidth_read", "waits": "latency_4k"}


class MeasureHere(Calculator):
    widget, source = "measure", "site/browser/experiments.cpp"
    kind, means = "Measured", " in your browser, by the labs' own kernels behind "

    def data(self) -> dict:
        domain = hardware_first(self.env)
        domain.note_lab(ROOFLINE_LAB)
        records = domain.records
        chosen = [(machine, records.choose(ROOFLINE_LAB, machine)) for machine in records.machines()]
        drawn = [measured(machine, record) for machine, record in chosen if not record.elsewhere]
        folder = records.root / "build" / "browser"
        files = [folder / f"{name}.wasm" for name in MODULES]
        for file in files:
            domain.note_file(file)
        return {"modules": [base64.b64encode(file.read_bytes()).decode() for file in files if file.exists()],
                "machines": [each for each in drawn if each]}


def measured(machine: Machine, record: Record) -> dict | None:
    """What is drawn of a machine, one core of it; None where its record lacks a part."""
    roofs = [record.value(name) for name in ROOFS]
    ladders = {name: record.series(series) for name, series in LADDERS.items()}
    if not all([*roofs, *ladders.values()]):
        return None
    peak, bandwidth = (float(f"{value['value']:.4g}") for value in roofs)
    return {"slug": machine.slug, "name": machine.name, "peak": peak, "bandwidth": bandwidth,
            **{name: [[point["x"], float(f"{point['median']:.3g}")] for point in series["points"]]
               for name, series in ladders.items()}}


def add_to(app: Sphinx) -> None:
    app.add_directive("measure-here", MeasureHere)

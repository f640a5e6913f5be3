"""The rooflines of the page of machines, all on one scale. {compare-machines}: two machines in one drawing.

    ```{compare-machines}
    :values: 01-roofline/peak_fp32_gflops …
    ```
"""

import json

from docutils import nodes
from press.measurements.measured import value_quantity
from press.measurements.record import Machine, Record
from press.page.machines_page import Gallery, label, value_of
from press.reader.predict import script_controls
from sphinx.application import Sphinx

from . import roofs
from .roofs import Roofline, drawing, roofline, scale_of


def rooflines(machines: dict[Machine, dict[str, Record]]) -> dict[Machine, Roofline]:
    """The rooflines of the machines that have one."""
    return {machine: found for machine, records in machines.items()
            if roofs.LAB in records and (found := roofline(records[roofs.LAB]))}


def multiples(app: Sphinx, machines: dict[Machine, dict[str, Record]]) -> list[nodes.Node]:
    """press-machines: a drawing for each machine with a roofline, all on one scale."""
    lines = rooflines(machines)
    if not lines:
        return []
    scale = scale_of(lines.values())
    box = nodes.container(classes=["hf-multiples"])
    for machine, own in lines.items():
        first = {} if box.children else {"behind": roofs.all_behind(lines.values(), scale)}
        to_card = nodes.reference("", machine.name, refid=f"machine-{machine.slug}", internal=True)
        ridge = f"ridge at {own.all.ridge:.2g} FLOP/byte; with one thread, {own.one.ridge:.2g}"
        box += nodes.container("", nodes.paragraph("", "", to_card, classes=["hf-multiple-name"]),
                               nodes.raw("", drawing(machine.slug, machine.name, own, scale, **first), format="html"),
                               nodes.paragraph("", ridge, classes=["hf-multiple-ridge"]), classes=["hf-multiple"])
    key = "Speed in GFLOP/s against arithmetic intensity in FLOP/byte. Thick lines: all threads. Thin lines: one thread; " \
          "dots: kernels on one thread." + (" Grey lines: the other machines." if len(lines) > 1 else "")
    box += nodes.paragraph("", key, classes=["hf-multiples-key"])
    return [box]


class CompareMachines(Gallery):
    """Two machines: their roofs in one drawing, their values in one table. static/gallery.js makes both from the data here."""

    def run(self) -> list[nodes.Node]:
        machines = self.read()
        lines = rooflines(machines)
        if len(lines) < 2:
            return [nodes.paragraph("", "A comparison needs two machines with a roofline; so far there is only one.")]
        scale = scale_of(lines.values())
        data = {"width": roofs.WIDTH, "height": roofs.HEIGHT, "grid": roofs.grid(scale), "machines": [
            {"name": machine.name, "slug": machine.slug, "one": roofs.path(own.one, scale), "all": roofs.path(own.all, scale),
             "dots": [scale.place(x, y) for x, y, _ in own.kernels if x > 0 and y > 0],
             "values": self.values(machines[machine])} for machine, own in lines.items()],
                "labels": [label(machines, lab, name) for lab, name in self.wanted()]}
        safe = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
        box = f'<div class="hf-compare-two" hidden><script type="application/json">{safe}</script></div>\n'
        return [script_controls(html=box)]

    def values(self, records: dict[str, Record]) -> list[list]:
        """[number, words] for each headline value; empty if it was not measured."""
        found = [value_of(records, lab, name) for lab, name in self.wanted()]
        return [[value["value"], str(value_quantity(value))] if value else [] for value in found]


def add_to(app: Sphinx) -> None:
    app.add_directive("compare-machines", CompareMachines)
    app.connect("press-machines", multiples)

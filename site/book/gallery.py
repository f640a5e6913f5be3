"""The rooflines of the page of machines, all in one plot. {compare-machines}: two machines in one drawing.

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
from .roofs import Roofline, picture, roofline, scale_of


def rooflines(machines: dict[Machine, dict[str, Record]]) -> dict[Machine, Roofline]:
    """The rooflines of the machines that have one."""
    return {machine: found for machine, records in machines.items()
            if roofs.LAB in records and (found := roofline(records[roofs.LAB]))}


def together(app: Sphinx, machines: dict[Machine, dict[str, Record]]) -> list[nodes.Node]:
    """press-machines: one plot with the roofline of each machine that has one, and a list of these machines."""
    lines = rooflines(machines)
    if not lines:
        return []
    names = nodes.bullet_list(classes=["hf-roof-names"])
    for machine, own in lines.items():
        to_card = nodes.reference("", machine.short, refid=f"machine-{machine.slug}", internal=True)
        words = f"ridge at {own.one.ridge:.2g} FLOP/byte; with all cores, {own.all.ridge:.2g}"
        ridge = nodes.inline("", words, classes=["hf-kind"])
        names += nodes.list_item("", nodes.paragraph("", "", to_card, nodes.Text(" "), ridge))
    key = ("In colour: one core of the machine that you point at, as in chapter 01; dots: its kernels. Thin black line: all of "
           "its cores. Grey: the other machines.")
    plot = nodes.container("", nodes.raw("", picture(lines, scale_of(lines.values())), format="html"), nodes.paragraph("", key))
    return [nodes.container("", plot, names, classes=["hf-together"])]


class CompareMachines(Gallery):
    """Two machines: their roofs in one drawing, their values in one table. static/gallery.js makes both from the data here."""

    def run(self) -> list[nodes.Node]:
        machines = self.read()
        lines = rooflines(machines)
        if len(lines) < 2:
            return [nodes.paragraph("", "A comparison needs two machines with a roofline; so far there is only one.")]
        scale = scale_of(lines.values())
        data = {"width": roofs.WIDTH, "height": roofs.HEIGHT, "grid": roofs.grid(scale), "machines": [
            {"name": machine.short, "slug": machine.slug, "one": roofs.path(own.one, scale), "all": roofs.path(own.all, scale),
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
    app.connect("press-machines", together)

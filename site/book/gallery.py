"""The rooflines of the page of machines, all in one plot, and a search. {compare-machines}: two machines in one drawing. Of
many machines, the page has the first, and static/gallery.js adds those that the reader searches.

    ```{compare-machines}
    :values: 01-roofline/peak_fp32_gflops …
    ```
"""

import json

from docutils import nodes
from press.domain import press
from press.measurements.measured import value_quantity
from press.measurements.record import Machine, Record
from press.page.machines_page import Gallery, label, value_of
from press.reader.predict import script_controls
from sphinx.application import Sphinx

from . import roofs
from .computer_kinds import GROUPS, group_of
from .roofs import Roofline, group, picture, roofline, scale_of


def rooflines(machines: dict[Machine, dict[str, Record]]) -> dict[Machine, Roofline]:
    """The rooflines of the machines that have one."""
    return {machine: found for machine, records in machines.items()
            if roofs.LAB in records and (found := roofline(records[roofs.LAB]))}


def together(app: Sphinx, machines: dict[Machine, dict[str, Record]]) -> list[nodes.Node]:
    """press-machines: one plot with the roofline of each machine that has one, and a list of these machines."""
    lines = rooflines(machines)
    if not lines:
        return []
    few = press(app.env).records.few(list(lines))
    scale, drawn = scale_of(lines.values()), {machine: lines[machine] for machine in few}
    names = nodes.bullet_list(classes=["hf-roof-names"])
    for machine, own in drawn.items():
        to_card = nodes.reference("", machine.short, refid=f"machine-{machine.slug}", internal=True)
        words = f"ridge at {own.one.ridge:.2g} FLOP/byte; with all cores, {own.all.ridge:.2g}"
        ridge = nodes.inline("", words, classes=["hf-kind"])
        names += nodes.list_item("", nodes.paragraph("", "", to_card, nodes.Text(" "), ridge))
    key = ("In colour: one core of the machine that you point at, as in chapter 01; dots: its kernels. Thin black line: all of "
           "its cores. Grey: the other machines.")
    plot = nodes.container("", nodes.raw("", picture(drawn, scale), format="html"), nodes.paragraph("", key))
    search = [script_controls(html=search_form())] if len(machines) > len(drawn) else []
    return [nodes.container("", plot, nodes.container("", *search, names), classes=["hf-together"])]


def search_form() -> str:
    groups = "".join(f'<option value="{group}">{group}s</option>' for group in GROUPS)
    return ('<form class="hf-machine-search" hidden>'
            '<label>Find a machine <input type="search" placeholder="name, cores, compiler"></label>'
            f' <label>among <select><option value="">all kinds</option>{groups}</select></label> <output></output></form>\n')


def drawn_later(app: Sphinx, machines: dict[Machine, dict[str, Record]], others: list[Machine]) -> dict[str, tuple[str, str]]:
    """press-machines-later: the kind of each machine that the page does not show, and its part of the plot."""
    lines = rooflines(machines)
    scale = scale_of(lines.values()) if lines else None
    return {machine.slug: (group_of(next(iter(machines[machine].values()))),
                           group(machine, lines[machine], scale) if machine in lines else "") for machine in others}


class CompareMachines(Gallery):
    """Two machines: their roofs in one drawing, their values in one table. static/gallery.js makes both from the data here."""

    def run(self) -> list[nodes.Node]:
        machines = self.read()
        lines = rooflines(machines)
        few = press(self.env).records.few(list(lines))
        if len(lines) < 2:
            return [nodes.paragraph("", "A comparison needs two machines with a roofline; so far there is only one.")]
        scale = scale_of(lines.values())
        data = {"width": roofs.WIDTH, "height": roofs.HEIGHT, "grid": roofs.grid(scale), "machines": [
            {"name": machine.short, "slug": machine.slug, "one": roofs.path(own.one, scale), "all": roofs.path(own.all, scale),
             "dots": [scale.place(x, y) for x, y, _ in own.kernels if x > 0 and y > 0],
             "values": self.values(machines[machine])} for machine, own in lines.items() if machine in few],
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
    app.connect("press-machines-later", drawn_later)

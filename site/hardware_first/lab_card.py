"""{lab-card}: how to run a chapter's lab yourself."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .domain import hardware_first
from .links import file_link
from .measured import fact
from .notice import block_notice
from .per_machine import for_each_machine
from .records import LAB_ID, Machine, Record, RecordError
from .tables import fields


class LabCard(SphinxDirective):
    """Command, duration, source, record, machine."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        lab = self.arguments[0]
        if not LAB_ID.fullmatch(lab):
            return [block_notice(self.env, self.lineno, f'lab-card: "{lab}" is not a lab: write NN-slug')]
        hardware_first(self.env).note_lab(lab)
        card = nodes.container("", classes=["hf-card", "no-search"])
        card += for_each_machine(self.env, lambda machine: self.of_machine(machine, lab))
        return [card]

    def of_machine(self, machine: Machine, lab: str) -> list[nodes.Node]:
        """What is known of the lab on a machine."""
        records = hardware_first(self.env).records
        pairs = [("Run", [nodes.literal("", f"make lab-{lab[:2]}")])]
        source = records.root / "labs" / lab / "lab.cpp"
        if source.exists():
            pairs.append(("Source", [file_link(self.env, source, f"labs/{lab}/lab.cpp")]))
        try:
            return [fields(pairs + self.about(records.choose(lab, machine)))]
        except RecordError as error:
            return [block_notice(self.env, self.lineno, str(error)), fields(pairs)]

    def about(self, record: Record) -> list[tuple[str, list[nodes.Node]]]:
        run = record.data["run"]
        took = f"{fact(record, 'run.seconds')}, with the {run['budget']} budget"
        if not run["quiet"]:
            took += "; others were using the processor meanwhile"
        pairs = [("Took", [nodes.Text(took)]),
                 ("Measured", [nodes.Text(f"{record.date}, on {record.machine_name}{record.since}")]),
                 ("Raw record", [file_link(self.env, record.path, record.path.name)])]
        if notes := run.get("notes"):
            pairs.append(("Notes", [nodes.Text("; ".join(notes))]))
        return pairs

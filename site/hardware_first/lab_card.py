"""{lab-card}: how to run a chapter's lab yourself."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .domain import hardware_first
from .links import file_link
from .measured import fact
from .notice import block_notice
from .records import LAB_ID, Record, RecordError
from .tables import fields


class LabCard(SphinxDirective):
    """Command, duration, source, record, machine."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        domain, lab = hardware_first(self.env), self.arguments[0]
        if not LAB_ID.fullmatch(lab):
            return [block_notice(self.env, self.lineno, f'lab-card: "{lab}" is not a lab: write NN-slug')]
        domain.note_lab(lab)
        card = nodes.container("", classes=["hf-card"])
        pairs = [("Run", [nodes.literal("", f"make lab-{lab[:2]}")])]
        source = domain.records.root / "labs" / lab / "lab.cpp"
        if source.exists():
            pairs.append(("Source", [file_link(self.env, source, f"labs/{lab}/lab.cpp")]))
        try:
            pairs += self.about(domain.records.choose(lab))
        except RecordError as error:
            card += block_notice(self.env, self.lineno, str(error))
        card += fields(pairs)
        return [card]

    def about(self, record: Record) -> list[tuple[str, list[nodes.Node]]]:
        run = record.data["run"]
        took = f"{fact(record, 'run.seconds')}, with the {run['budget']} budget"
        if not run["quiet"]:
            took += "; others were using the processor meanwhile"
        pairs = [("Took", [nodes.Text(took)]),
                 ("Measured", [nodes.Text(f"{record.date}, on {record.machine_name}{record.since}")]),
                 ("Raw record", [file_link(self.env, record.path, record.path.name)])]
        if notes := run.get("notes"):
            pairs.append(("Left out", [nodes.Text("; ".join(notes))]))
        return pairs

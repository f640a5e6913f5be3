"""{lab-card}: how to run a chapter's lab yourself, and which files to read: those that the page quotes before the card."""

from docutils import nodes

from ..domain import press
from ..measurements.measured import fact
from ..measurements.record import LAB_ID, Machine, Record, RecordError
from ..reader.per_machine import for_each_machine
from .lab_code import QUOTED
from .links import file_link
from .notice import NoticeDirective
from .tables import fields


class LabCard(NoticeDirective):
    """Command, sources, duration, record, machine."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        lab = self.arguments[0]
        if not LAB_ID.fullmatch(lab):
            return [self.notice(f'lab-card: "{lab}" is not a lab: write NN-slug')]
        press(self.env).note_lab(lab)
        card = nodes.container("", classes=["hf-card", "no-search"])
        card += for_each_machine(self.env, lambda machine: self.of_machine(machine, lab))
        return [card]

    def of_machine(self, machine: Machine, lab: str) -> list[nodes.Node]:
        """Information about the lab on a machine."""
        records = press(self.env).records
        pairs = [("Run", [nodes.literal("", f"make lab-{lab[:2]}")])]
        folder = records.root / "labs" / lab
        if (folder / "lab.cpp").exists():
            pairs.append(("Code", [nodes.literal("", f"labs/{lab}/")],
                          *([file_link(self.env, folder / name, name)] for name in ("lab.cpp", *self.quoted(lab)))))
        try:
            return [fields(pairs + self.about(records.choose(lab, machine)))]
        except RecordError as error:
            return [self.notice(str(error)), fields(pairs)]

    def quoted(self, lab: str) -> list[str]:
        """The lab's files, except lab.cpp, that the page quotes before its card."""
        names = [file.removeprefix(f"{lab}/") for file in self.env.temp_data.get(QUOTED, []) if file.startswith(f"{lab}/")]
        return [name for name in dict.fromkeys(names) if name != "lab.cpp"]

    def about(self, record: Record) -> list[tuple[str, list[nodes.Node]]]:
        run = record.data["run"]
        took = f"{fact(record, 'run.seconds')}, with the {run['budget']} budget"
        if not run["quiet"]:
            took += "; other programs used the processor at the same time"
        pairs = [("Time", [nodes.Text(took)]),
                 ("Measured", [nodes.Text(f"{record.date}, on {record.machine_name}{record.since}")]),
                 ("Raw record", [file_link(self.env, record.path, record.path.name)])]
        if notes := run.get("notes"):
            pairs.append(("Notes", [nodes.Text("; ".join(notes))]))
        return pairs

"""{all-numbers}: every published number in one file of the site, numbers.csv, for readers who calculate with them: what its
columns are, and how many numbers it has."""

import csv
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from ..domain import press
from ..measurements.record import Record
from ..measurements.records import Records
from ..page.notice import NoticeDirective, counted
from ..page.tables import scrolling_table

FILE = "numbers.csv"
COLUMNS = {
    "machine": "the name it was published under",
    "chapter": "the lab that measured the number",
    "id": "its name in the lab’s record",
    "value": "the number; of repeated samples, their median",
    "low": "the 5th percentile of the samples; empty if there were none",
    "high": "the 95th percentile",
    "unit": "1 for a ratio or a count",
    "kind": "measured, modelled, simulated or quoted",
    "date": "the day on which the lab ran, in UTC",
}


class AllNumbers(NoticeDirective):
    """A link to the file, and its columns."""

    def run(self) -> list[nodes.Node]:
        domain = press(self.env)
        domain.note_all_labs()
        domain.note_numbers_file()
        records = list(published(domain.records))
        if not records:
            return [nodes.paragraph("", "Nothing has been published yet.")]
        numbers, machines = sum(len(record.data["values"]) for record in records), len({record.slug for record in records})
        link = nodes.reference("", FILE, refuri=FILE, internal=True)
        says = f" has {numbers:,} numbers of {counted(machines, 'machine')}, a line for each."
        return [nodes.paragraph("", "", link, nodes.Text(says)),
                scrolling_table(["column", "what it is"], [[name, means] for name, means in COLUMNS.items()])]


def published(records: Records) -> Iterator[Record]:
    """The valid published records, by machine."""
    for machine in records.machines():
        yield from (record for record in records.of_machine(machine) if not record.local)


def lines(record: Record) -> Iterator[list[str]]:
    for value in record.data["values"]:
        ends = [f"{value[end]:.9g}" if end in value else "" for end in ("low", "high")]
        yield [record.slug, record.lab, value["id"], f"{value['value']:.9g}", *ends, value["unit"], value["kind"],
               record.data["run"]["started"][:10]]


def write(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: the file, if a page describes it."""
    if exception or app.builder.format != "html" or not press(app.env).data["numbers_files"]:
        return
    with open(Path(app.outdir, FILE), "w", encoding="utf-8", newline="") as file:
        made = csv.writer(file, lineterminator="\n")
        made.writerow(COLUMNS)
        for record in published(press(app.env).records):
            made.writerows(lines(record))


def add_to(app: Sphinx) -> None:
    app.add_directive("all-numbers", AllNumbers)
    app.connect("build-finished", write)

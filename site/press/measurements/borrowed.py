"""Numbers taken from another machine because this one has not measured them. A dotted line below a number says so, a section's
first one also names that machine, and a card (static/reading.js) says it of each."""

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

from ..domain import press
from ..reader.per_machine import per_machine
from .record import Record
from .records import Records

LABEL = "hf-whose"
LARGE = {"hf-headline", "hf-chapter-card"}  # parts in large type, in which a name would be in the way


def label(records: Records, record: Record) -> nodes.inline:
    """The label after a borrowed number: paper has no cards."""
    return nodes.inline("", f" ({records.called(record)})", classes=[LABEL])


def name_once(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: keeps the labels that name a machine for the first time in their section."""
    machines = press(app.env).records.machines_of(app.env.docname)
    labels = [node for node in doctree.findall(nodes.inline) if LABEL in node["classes"]]
    needed = {id(node) for part in dict.fromkeys(map(part_of, labels)) for machine in machines
              for node in firsts(labels_in(part, machine.slug))}
    for node in labels:
        if id(node) not in needed:
            node.parent.remove(node)


def part_of(node: nodes.Node) -> nodes.Element:
    """The section or fold that contains a node."""
    while not begins_part(node := node.parent):
        pass
    return node


def begins_part(node: nodes.Node) -> bool:
    return isinstance(node, (nodes.document, nodes.section)) or bool(node.get("collapsible"))


def labels_in(node: nodes.Element, slug: str) -> Iterator[nodes.inline]:
    """The labels on a machine's page, in order, without those of the parts within this one."""
    shown = node[node["of"][slug]] if isinstance(node, per_machine) else node
    for child in shown.children:
        if isinstance(child, nodes.Text) or begins_part(child) or LARGE & set(child["classes"]):
            continue
        if LABEL in child["classes"]:
            yield child
        else:
            yield from labels_in(child, slug)


def firsts(labels: Iterator[nodes.inline]) -> list[nodes.inline]:
    """The first label of each machine."""
    found: dict[str, nodes.inline] = {}
    for node in labels:
        found.setdefault(node.astext(), node)
    return [*found.values()]


def add_to(app: Sphinx) -> None:
    app.connect("doctree-read", name_once)

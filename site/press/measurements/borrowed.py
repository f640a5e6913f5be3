"""Numbers taken from another machine because this one has not measured them: each sentence names the source machine."""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

from ..domain import press
from ..reader.per_machine import per_machine
from .record import Record
from .records import Records

LABEL = "hf-whose"
NUMBERS = {"hf-number", "hf-fact"}
SENTENCE_END = re.compile(r"[.?!][)”’\"']*(?:\s|$)")


def label(records: Records, record: Record) -> nodes.inline:
    """The label after a borrowed number: paper has no tooltips, and a screen reader need not read them."""
    return nodes.inline("", f" (on {records.called(record)})", classes=[LABEL])


def name_once(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: removes labels that repeat what the same sentence has just said."""
    machines = press(app.env).records.machines_of(app.env.docname)
    labels = [node for node in doctree.findall(nodes.inline) if LABEL in node["classes"]]
    needed = {id(node) for block in dict.fromkeys(map(block_of, labels)) for machine in machines
              for node in needed_labels(block, machine.slug)}
    for node in labels:
        if id(node) not in needed:
            node.parent.remove(node)


def block_of(node: nodes.Node) -> nodes.Element:
    """The table row that contains a node; outside tables, its paragraph or caption."""
    above = []
    while node := node.parent:
        above.append(node)
    words = (each for each in above if isinstance(each, nodes.TextElement) and not isinstance(each, nodes.Inline))
    return next((each for each in above if isinstance(each, nodes.row)), None) or next(words)


def needed_labels(block: nodes.Element, slug: str) -> Iterator[nodes.inline]:
    """The labels that a sentence needs so that its readers know which machine each number is from: the first, and the first
    after a number of the page's own machine or of a third machine."""
    said = ""
    for node in parts(block, slug):
        if isinstance(node, nodes.Text):
            said = "" if SENTENCE_END.search(node) else said
        elif LABEL not in node["classes"]:
            said = ""
        elif said != node.astext():
            said = node.astext()
            yield node


def parts(node: nodes.Node, slug: str) -> Iterator[nodes.Node]:
    """The words, the labels and the machine's own numbers, in page order."""
    if isinstance(node, per_machine):
        node = node[node["of"][slug]]
    classes = set() if isinstance(node, nodes.Text) else set(node["classes"])
    if isinstance(node, nodes.Text) or LABEL in classes or (classes & NUMBERS and "hf-elsewhere" not in classes):
        yield node
    else:
        for child in node.children:
            yield from parts(child, slug)


def add_to(app: Sphinx) -> None:
    app.connect("doctree-read", name_once)

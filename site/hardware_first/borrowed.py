"""Numbers that stand in for what a machine has not measured: each sentence names the machine that they are from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

from .domain import hardware_first
from .per_machine import per_machine
from .records import Record, Records

LABEL = "hf-whose"
NUMBERS = {"hf-number", "hf-fact"}
SENTENCE_END = re.compile(r"[.?!][)”’\"']*(?:\s|$)")


def label(records: Records, record: Record) -> nodes.inline:
    """What follows a borrowed number: paper has no tooltips, and a screen reader need not read them."""
    return nodes.inline("", f" (on {records.called(record)})", classes=[LABEL])


def name_once(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: takes out the labels that repeat, in a sentence, what it has just said."""
    machines = hardware_first(app.env).records.machines_of(app.env.docname)
    labels = [node for node in doctree.findall(nodes.inline) if LABEL in node["classes"]]
    needed = {id(node) for block in dict.fromkeys(map(block_of, labels)) for machine in machines
              for node in needed_labels(block, machine.slug)}
    for node in labels:
        if id(node) not in needed:
            node.parent.remove(node)


def block_of(node: nodes.Node) -> nodes.Element:
    """The row of the table that a node is in; outside of tables its paragraph or caption."""
    above = []
    while node := node.parent:
        above.append(node)
    words = (each for each in above if isinstance(each, nodes.TextElement) and not isinstance(each, nodes.Inline))
    return next((each for each in above if isinstance(each, nodes.row)), None) or next(words)


def needed_labels(block: nodes.Element, slug: str) -> Iterator[nodes.inline]:
    """The labels without which the page of a machine would not say whose a number is: in each sentence the first, and the first
    after one of the machine's own numbers or of a third machine's."""
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
    """The words, the labels and the machine's own numbers, in the order in which the page of a machine has them."""
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

"""Tables stand in a box of their own, which scrolls where they are wider than the page. The corner above names of rows is no
heading: it names nothing."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def visit_table(translator: HTML5Translator, node: nodes.table) -> None:
    translator.body.append('<div class="hf-scroll">')
    type(translator).visit_table(translator, node)


def depart_table(translator: HTML5Translator, node: nodes.table) -> None:
    type(translator).depart_table(translator, node)
    translator.body.append("</div>\n")


def visit_entry(translator: HTML5Translator, node: nodes.entry) -> None:
    type(translator).visit_entry(translator, node)
    if isinstance(node.parent.parent, nodes.thead) and not node.astext().strip():
        translator.body[-1] = translator.body[-1].replace("<th", "<td", 1)
        translator.context[-1] = translator.context[-1].replace("th", "td")


def depart_entry(translator: HTML5Translator, node: nodes.entry) -> None:
    type(translator).depart_entry(translator, node)


def add_to(app: Sphinx) -> None:
    app.add_node(nodes.table, override=True, html=(visit_table, depart_table))
    app.add_node(nodes.entry, override=True, html=(visit_entry, depart_entry))

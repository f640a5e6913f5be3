"""Tables stand in a box of their own, which scrolls where they are wider than the page."""

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


def setup(app: Sphinx) -> None:
    app.add_node(nodes.table, override=True, html=(visit_table, depart_table))

"""Puts each table in a box that scrolls if the table is wider than the page. Columns of numbers, and their headings, are
aligned right. The empty corner above the names of rows is not marked as a heading."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from ..measurements.borrowed import LABEL

NUMBER = re.compile(r"[−+≤≥<>]?\s?\d[\d\s.,–]*(to \d[\d.]*)?\S{0,9}(\s\S{1,14})?|[\d\s.+=-]+")  # with a unit, or a sum
NOTHING = {"", "–", "not measured"}


def visit_table(translator: HTML5Translator, node: nodes.table) -> None:
    align_numbers(node)
    translator.body.append('<div class="hf-scroll">')
    type(translator).visit_table(translator, node)


def align_numbers(table: nodes.table) -> None:
    """Aligns columns of numbers right, except the first, which names the rows."""
    rows = list(table.findall(nodes.row))
    if len({len(row) for row in rows}) != 1:
        return
    for column in list(zip(*rows))[1:]:
        body = [words_of(cell) for cell in column if not isinstance(cell.parent.parent, nodes.thead)]
        if set(body) - NOTHING and all(text in NOTHING or NUMBER.fullmatch(text) for text in body):
            for cell in column:
                cell["classes"].append("text-right")


def words_of(cell: nodes.entry) -> str:
    """What a cell says, without the machine that lent its number."""
    words = cell.astext()
    for label in [node for node in cell.findall(nodes.inline) if LABEL in node["classes"]]:
        words = words.replace(label.astext(), "", 1)
    return words.strip()


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

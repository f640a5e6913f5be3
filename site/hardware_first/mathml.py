"""Formulas as MathML, made when the site is built: nothing to fetch and no script to run."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)


def mathml(tex: str, display: str, node: nodes.Node) -> str:
    """The formula as a <math> element; its source, readable, where it cannot be converted."""
    # The converter breaks lines in the starred environment only; on a page without numbers they look the same.
    tex = re.sub(r"\\(begin|end)\{(?:align|gather)(?:ed|\*)?\}", r"\\\1{align*}", tex)
    try:
        element = convert(tex, display=display)
        if "\\" in "".join(ElementTree.fromstring(element).itertext()):  # it passes on commands it does not know
            raise ValueError("unknown command")
        return element
    except Exception as error:  # the converter's errors have no common base
        logger.warning("formula not understood (%s): %s", error or type(error).__name__, tex, location=node)
        return f"<code>{html.escape(tex)}</code>"


def visit_inline(self, node: nodes.math) -> None:
    self.body.append(self.starttag(node, "span", "", CLASS="math"))
    self.body.append(mathml(node.astext(), "inline", node) + "</span>")
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(mathml(node.astext(), "block", node))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode

"""Formulas as MathML, converted when the site is built, so that pages need no script."""

import html
import re
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)
MATHML = "http://www.w3.org/1998/Math/MathML"
SCRIPTED = {f"{{{MATHML}}}{name}" for name in ("msub", "msup", "msubsup", "munder", "mover", "munderover")}
ROWS = {f"{{{MATHML}}}{name}" for name in ("math", "mrow", "mtd", "mstyle", "msqrt")}
FUNCTIONS = {"arccos", "arcsin", "arctan", "cos", "cosh", "det", "dim", "exp", "ln", "log", "max", "min", "sin", "sinh", "tan",
             "tanh"}
OPEN = set("([{|,;=<>≤≥≈≠+−·×/∑∏∈→")  # after these, and at the beginning, a minus sign is unary
CLOSE = set("()[],.;=<>≤≥+−")  # before these a function's name needs no space


def mathml(tex: str, display: str, node: nodes.Node) -> str:
    """The formula as a <math> element; its source, in readable form, if it can't be converted."""
    # The converter breaks lines only in align*, which looks the same on a page without equation numbers.
    tex = re.sub(r"\\(begin|end)\{(?:align|gather)(?:ed|\*)?\}", r"\\\1{align*}", tex)
    try:
        element = convert(tex, display=display)
        formula = ElementTree.fromstring(element)
        if "\\" in "".join(formula.itertext()):  # it passes through commands it does not know
            raise ValueError("unknown command")
        space(formula)
        formula.set("translate", "no")
        return ElementTree.tostring(formula, encoding="unicode")
    except Exception as error:  # the converter's errors have no common base class
        logger.warning("formula not understood (%s): %s", error or type(error).__name__, tex, location=node)
        return f"<code>{html.escape(tex)}</code>"


def plain(tex: str) -> str:
    """The formula as one line of plain text; its source if it can't be converted."""
    try:
        return "".join(ElementTree.fromstring(convert(tex)).itertext())
    except Exception:  # mathml() has warned already
        return tex


def space(formula: ElementTree.Element) -> None:
    """Corrects the converter's spaces to TeX's: thin beside log and other functions, none after a unary minus and none
    beside an operator in braces, as in 18{,}432."""
    ElementTree.register_namespace("", MATHML)
    for element in formula.iter(f"{{{MATHML}}}mo"):
        if element.text in FUNCTIONS:  # an operator has wide gaps, and no name is one
            element.tag = f"{{{MATHML}}}mi"
    for group in formula.iter(f"{{{MATHML}}}mrow"):
        if len(group) == 1 and group[0].tag == f"{{{MATHML}}}mo":
            group[0].attrib.update(lspace="0", rspace="0")
    for row in list(formula.iter()):
        children, before = list(row), ""
        for i, child in enumerate(children):
            after = "".join(children[i + 1].itertext()) if i + 1 < len(children) else ""
            if child.text == "−" and child.tag == f"{{{MATHML}}}mo" and (not before or before[-1] in OPEN):
                child.attrib.update(form="prefix", lspace="0", rspace="0")
            elif row.tag in ROWS and nucleus(child) in FUNCTIONS:
                if before and before[-1] not in OPEN:
                    row.insert(list(row).index(child), thin_space())
                if after and after[0] not in CLOSE:
                    row.insert(list(row).index(child) + 1, thin_space())
            before = "".join(child.itertext()) or before


def nucleus(element: ElementTree.Element) -> str:
    """The name without its index: log for log₂."""
    return nucleus(element[0]) if element.tag in SCRIPTED else element.text or ""


def thin_space() -> ElementTree.Element:
    return ElementTree.Element(f"{{{MATHML}}}mspace", width="0.167em")


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

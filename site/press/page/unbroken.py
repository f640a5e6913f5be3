"""Prevents line breaks between a number and its unit, around the sign in "N = 1024", within "α–β" and short code such as
"-ffast-math", and between a formula and the full stop after it."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

UNITS = (r"×|[KMG]iB|[kMGT]?B(?:/s)?|bytes?|bits?|[nµm]?s|[MG]?Hz|[kMG]?bit/s|[mnp]?J|W|"
         r"cores?|cycles?|threads?|lanes?|million|billion|nm|mm²?|px")
EQUATION = re.compile(r"(?<=\b[A-Za-z]) ([=≈<>≤≥]) (?=\d)")
GREEK_PAIR = re.compile(r"(?<=[α-ω])–(?=[α-ω])")
OPENING, CLOSING = re.compile(r"[(\[“]$"), re.compile(r"^[.,;:?!)\]”’]+")
NO_BREAK, JOINER = "\N{NO-BREAK SPACE}", "\N{WORD JOINER}"
SHORTEST = 16  # maximum length of code that reads as one word: "make lab-03"
LONGEST = 24  # letters of code that fit side by side on the narrowest page
AS_WRITTEN = (nodes.literal, nodes.FixedTextElement, nodes.raw, nodes.math, nodes.math_block)


def unbroken(text: str, own: str = "") -> str:
    """`own`: a pattern of the units that the book has besides the usual ones."""
    number_and_unit = rf"(?<=\d) (?=(?:{'|'.join(filter(None, (own, UNITS)))})(?![\w/]))"
    text = GREEK_PAIR.sub(f"–{JOINER}", re.sub(number_and_unit, NO_BREAK, text))
    return EQUATION.sub(rf"{NO_BREAK}\1{NO_BREAK}", text)


class NoBreakSpaces(SphinxPostTransform):
    """Changes only the written page: the tree keeps ordinary spaces, for search and for other code."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for code in self.document.findall(nodes.literal):
            if max(map(len, code.astext().split()), default=0) <= LONGEST:
                code["classes"].append("hf-short")
            if len(code.astext()) <= SHORTEST:
                code["classes"].append("hf-unbroken")
        own = self.config.press_units.get("beside", "")
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, AS_WRITTEN) and (better := unbroken(str(text), own)) != text:
                text.parent.replace(text, nodes.Text(better))
        for formula in list(self.document.findall(nodes.math)):
            keep_together(formula)


def keep_together(formula: nodes.math) -> None:
    """Keeps a formula with the bracket before it and the punctuation after it: otherwise a line may break beside a formula, as
    beside a picture."""
    parent, at = formula.parent, formula.parent.index(formula)
    beside = lambda i, mark: mark.search(parent[i]) if 0 <= i < len(parent) and isinstance(parent[i], nodes.Text) else None
    opening, closing = beside(at - 1, OPENING), beside(at + 1, CLOSING)
    if not (opening or closing):
        return
    together = nodes.inline(classes=["hf-unbroken"])
    parent[at] = together
    if opening:
        parent[at - 1] = nodes.Text(opening.string[:opening.start()])
        together += nodes.Text(opening[0])
    together += formula
    if closing:
        parent[at + 1] = nodes.Text(closing.string[closing.end():])
        together += nodes.Text(closing[0])


def add_to(app: Sphinx) -> None:
    app.add_post_transform(NoBreakSpaces)

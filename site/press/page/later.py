"""Content that a page has no room for, since there is some for each of hundreds of machines: it comes as a script when the
reader asks for it.

    _machines/PAGE/later.js   press.later("PAGE", [[slug, short name, group, words to search, html, drawing], …])
"""

from docutils import nodes
from sphinx.application import Sphinx

LATER = "hf-later"  # for the document being written: the list in its file


class later(nodes.General, nodes.Element):
    """What is shown of one machine. `entry`: [slug, short name, group]; `drawn`: the machine's part of a common drawing."""


def visit_later(self, node: later) -> None:
    body, self.body = self.body, []
    try:
        for child in node.children:
            child.walkabout(self)
        html = "".join(self.body)
    finally:
        self.body = body
    words = " ".join(node.astext().lower().split())
    self.document.attributes.setdefault(LATER, []).append([*node["entry"], words, html, node["drawn"]])
    raise nodes.SkipNode


def add_to(app: Sphinx) -> None:
    app.add_node(later, html=(visit_later, None))

"""{second-reading}: a fold for parts that are good but not needed to go on. Closed on the page, open on paper; the ledger lists
its claims."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class SecondReading(SphinxDirective):
    """A fold, headed "Second reading: " and the directive's argument."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        words, messages = self.parse_inline(f"Second reading: {self.arguments[0]}")
        fold = nodes.admonition("", nodes.title("", "", *words), classes=["hf-second"], collapsible="closed")
        fold += self.parse_content_to_nodes()
        return [fold, *messages]

"""The front page. {front-figure}: one figure, without what stands under it in its chapter. {chapter-cards}: a card for each
chapter.

    ```{front-figure} 01-roofline
    :lab: 01-roofline                          optional; the lab with the figure's number
    Whose it is, one paragraph.
    ```

    ```{chapter-cards}
    ```
"""

from __future__ import annotations

import re

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import draw
from .chapters import Chapter, chapter_files, read_chapter
from .domain import hardware_first
from .figures import drawn, lab_of
from .notice import block_notice, counted
from .records import Record, RecordError

CARDS = "hf-cards"


class FrontFigure(SphinxDirective):
    """A figure and a line."""

    required_arguments = 1
    has_content = True
    option_spec = {"lab": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        try:
            record, picture = picture_of(self.env, name, self.options.get("lab"))
        except RecordError as error:
            return [block_notice(self.env, self.lineno, f"Figure {name}: {error}")]
        content = self.parse_content_to_nodes()
        where = nodes.paragraph("", record.machine_name, classes=["hf-front-machine"])
        return [nodes.container("", picture, where, *content, classes=["hf-front-figure"])]


class ChapterCards(SphinxDirective):
    """All chapters, in order."""

    def run(self) -> list[nodes.Node]:
        domain = hardware_first(self.env)
        cards = nodes.container(classes=[CARDS])
        for path in chapter_files(domain.records.root / "chapters"):
            domain.note_file(path)
            cards += self.card(read_chapter(path))
        return [cards]

    def card(self, chapter: Chapter) -> nodes.container:
        to_chapter = addnodes.pending_xref("", nodes.inline("", chapter.title), refdomain="std", reftype="doc",
                                           reftarget=f"/{chapter.page}", refexplicit=True, refwarn=True)
        words = nodes.container(
            "", nodes.paragraph("", "", nodes.inline("", chapter.number, classes=["hf-card-number"]), nodes.Text(" "),
                                to_chapter, classes=["hf-card-title"]),
            nodes.paragraph("", chapter.question, classes=["hf-card-question"]),
            nodes.paragraph("", chapter.takeaway, classes=["hf-card-takeaway"]),
            nodes.paragraph("", counted(chapter.minutes, "minute"), classes=["hf-card-minutes"]), classes=["hf-card-words"])
        return nodes.container("", *self.thumbnail(chapter), words, classes=["hf-chapter-card"])

    def thumbnail(self, chapter: Chapter) -> list[nodes.Node]:
        try:
            picture = picture_of(self.env, chapter.card)[1].astext() if chapter.card else ""
        except RecordError as error:
            return [block_notice(self.env, self.lineno, f"the card of chapter {chapter.number}: {error}")]
        return [nodes.raw("", small(picture), format="html")] if picture else []


def picture_of(env, name: str, lab: str | None = None) -> tuple[Record, nodes.raw]:
    """A figure as inline SVG, and the record it is drawn from."""
    domain = hardware_first(env)
    records = domain.records
    lab = lab or lab_of(name, records.labs())
    script = records.root / "figures" / f"{name}.gp"
    domain.note_all_labs()  # and not this one: whose it is stands beside it, so the page needs no banner
    try:
        for file in draw.inputs(script):
            domain.note_file(file)
        needs = draw.read_header(script)["needs"]
    except draw.DrawError as error:
        raise RecordError(str(error).replace(f"{records.root}/", "")) from None
    record = records.choose(lab, having=[("series", each) for each in needs])
    return record, nodes.raw("", drawn(records, script, record.path), format="html")


def small(svg: str) -> str:
    """A figure as an ornament: its shapes alone, in a name of their own."""
    svg = re.sub(r"<(title|desc|text)\b.*?</\1>\s*", "", svg, flags=re.S)
    svg = re.sub(r' (role|aria-\w+)="[^"]*"', "", svg)
    svg = re.sub(r'(\bid="|url\(#|href="#)', r"\1card-", svg)
    svg = re.sub(r"\bhf-figure\b", "hf-thumb", svg)
    return svg.replace("<svg ", '<svg aria-hidden="true" ', 1)


def load_cards(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """html-page-context: the style of the front page."""
    if doctree and any(CARDS in box["classes"] for box in doctree.findall(nodes.container)):
        app.add_css_file("front.css")


def add_to(app: Sphinx) -> None:
    app.add_directive("front-figure", FrontFigure)
    app.add_directive("chapter-cards", ChapterCards)
    app.connect("html-page-context", load_cards)

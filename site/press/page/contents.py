"""The table of contents that the theme shows beside every page: parts, pages, and the sections of the current page."""

import re
from dataclasses import dataclass, field

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


@dataclass
class Section:
    """A section of the current page; `title` is HTML, `number` is such as "1.3" or empty."""

    anchor: str
    title: str
    number: str


@dataclass
class Entry:
    """A page of the book; `number` is such as "01" for a chapter, and empty for other pages."""

    page: str
    title: str
    number: str
    sections: list[Section] = field(default_factory=list)


@dataclass
class Part:
    """Pages under one caption."""

    caption: str
    entries: list[Entry]


def parts_of(env: BuildEnvironment) -> list[tuple[str, list[str]]]:
    """Captions and pages, in the order of the table of contents on the first page."""
    doctree = env.get_doctree(env.config.root_doc)
    return [(toctree.get("caption") or "", [page for _, page in toctree["entries"] if page in env.titles])
            for toctree in doctree.findall(addnodes.toctree)]


def number_of(page: str) -> str:
    """A chapter's number, "01" for 01-sorting; empty for other pages."""
    found = re.match(r"(\d\d)-", page)
    return found[1] if found else ""


def sections_of(app: Sphinx, page: str) -> list[Section]:
    """The sections just below the page's title."""
    top = app.env.tocs[page].next_node(nodes.list_item)
    below = next((child for child in top.children if isinstance(child, nodes.bullet_list)), None) if top else None
    numbers = app.env.toc_secnumbers.get(page, {})
    sections = []
    for item in below.children if below else ():
        link = item.next_node(nodes.reference)
        if link is not None and item.next_node(addnodes.toctree) is None and link.get("anchorname"):
            number = ".".join(map(str, numbers.get(link["anchorname"], ())))
            sections.append(Section(link["anchorname"], html_of(app, link), number))
    return sections


def html_of(app: Sphinx, title: nodes.Element) -> str:
    """A title's words, without its number."""
    return app.builder.render_partial(nodes.inline("", "", *(child.deepcopy() for child in title.children)))["fragment"]


class Contents:
    """Reads the parts once per build, and adds each page's own sections."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, list[str]]] | None = None

    def forget(self, app: Sphinx, env: BuildEnvironment) -> None:
        """env-updated: discards the parts, because the table of contents on the first page may have changed."""
        self.parts = None

    def offer(self, app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
        """html-page-context: `contents`, a list of Part; `chapter` and `name`, this page's number and title as plain text."""
        if self.parts is None:
            self.parts = parts_of(app.env)
        context["chapter"] = number_of(page)
        if page in app.env.titles:
            context["name"] = app.env.titles[page].astext()
        entry = lambda name: Entry(name, html_of(app, app.env.titles[name]), number_of(name),
                                   sections_of(app, name) if name == page else [])
        context["contents"] = [Part(caption, [entry(name) for name in names]) for caption, names in self.parts]


def add_to(app: Sphinx) -> None:
    contents = Contents()
    app.connect("env-updated", contents.forget)
    app.connect("html-page-context", contents.offer)

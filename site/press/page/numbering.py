"""Numbers of chapters, sections and figures, and the links that name them.

Chapter NN-slug.md is numbered NN, its sections N.1, N.2, …, and its figures Figure N.1, Figure N.2, …, with N = 0 for 00. No
other page is numbered. {numref}`fig-bandwidth` reads "Figure 1.2"; {numref}`a-section` reads "section 1.3", also for a heading
below that section; and a plain "chapter 02" in prose becomes a link.

Sphinx numbers the pages of a toctree from 1; it has no setting for a book that begins at 0. So its own numbering (numfig) is
switched off, and these numbers replace it.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from ..domain import of_page, press

CHAPTER = re.compile(r"(\d\d)-[\w-]+")
MENTION = re.compile(r"\b([Cc]hapter) (\d\d)\b")
DEPTH = 2  # chapters and their sections; lower levels have no numbers
UNTOUCHED = (nodes.reference, nodes.title, nodes.literal, nodes.raw, nodes.FixedTextElement, addnodes.toctree)


def chapters(env: BuildEnvironment) -> dict[str, str]:
    """{docname: "NN"} of the chapters, in their order."""
    return {page: found[1] for page in sorted(env.found_docs) if (found := CHAPTER.fullmatch(page))}


def number(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """env-get-updated: numbers the sections and figures of all chapters. Returns the pages to write again: all pages if a
    number changed, because any may contain it."""
    env.toc_secnumbers, env.toc_fignumbers, references = {}, {}, {}
    for page, name in chapters(env).items():
        figures, headings = of_page(env, page, "numbered", lambda document: (figures_of(document), headings_of(document)))
        env.toc_secnumbers[page] = sections = {}
        number_entries(env.tocs[page], name, (), 1, sections)
        numbers = {figure: (str(int(name)), str(place)) for place, figure in enumerate(figures, start=1)}
        env.toc_fignumbers[page] = {"figure": numbers}
        references[page] = {**section_references(app, headings, sections), **figure_references(app, env.toc_fignumbers[page])}
    data = press(env).data
    before, data["numbers"] = data["numbers"], references
    return sorted(env.found_docs) if references != before else []


def number_entries(entries: nodes.Element, name: str, above: tuple, depth: int, numbers: dict[str, tuple]) -> None:
    """Numbers a list of a page's table of contents, and the lists within it. `above` is the number of the enclosing entry.
    Entries that are too deep get an empty number, or Sphinx would give them the chapter's."""
    items = [entry for entry in entries.children if isinstance(entry, nodes.list_item)]
    items = [entry for entry in items if "skip_section_number" not in entry[0]]
    for place, entry in enumerate(items, start=1):
        number = (name,) if depth == 1 else (*above, str(place)) if depth <= DEPTH else ()
        numbers[entry[0][0]["anchorname"]] = entry[0][0]["secnumber"] = number
        for within in entry.children:
            if isinstance(within, nodes.bullet_list):
                number_entries(within, name, (str(int(name)),) if depth == 1 else number, depth + 1, numbers)


def figures_of(document: nodes.document) -> list[str]:
    """The anchors of a chapter's figures, in order."""
    return [figure["ids"][0] for figure in document.findall(nodes.figure)
            if figure["ids"] and figure.first_child_matching_class(nodes.caption) is not None]


def headings_of(document: nodes.document) -> list[tuple[list[str], list[str]]]:
    """(its anchors; the names of it and its enclosing sections in the table of contents) of each section."""
    return [(section["ids"], [anchor(each) for each in (section, *ancestors(section, nodes.section))])
            for section in document.findall(nodes.section)]


def section_references(app: Sphinx, headings: list[tuple[list[str], list[str]]], numbers: dict[str, tuple]) -> dict[str, str]:
    """{anchor: "section 1.3"}; a heading without a number gets that of its enclosing section."""
    references = {}
    for anchors, within in headings:
        number = next(numbers[each] for each in within if numbers[each])
        references.update(dict.fromkeys(anchors, app.config.numfig_format["section"] % ".".join(number)))
    return references


def anchor(section: nodes.section) -> str:
    """A section's anchor in a page's table of contents; empty for the page's own section."""
    return f"#{section['ids'][0]}" if isinstance(section.parent, nodes.section) else ""


def figure_references(app: Sphinx, numbers: dict[str, dict]) -> dict[str, str]:
    """{anchor: "Figure 1.2"}"""
    return {target: app.config.numfig_format["figure"] % ".".join(number) for target, number in numbers["figure"].items()}


class NumberedDomain(StandardDomain):
    """Sphinx's own domain, but {numref} also prints the numbers of chapters."""

    def resolve_xref(self, env: BuildEnvironment, page: str, builder: Builder, kind: str, target: str, node, content):
        if kind != "numref":
            return super().resolve_xref(env, page, builder, kind, target, node, content)
        there, place = self.anonlabels.get(target, ("", ""))
        words = press(env).data["numbers"].get(there, {}).get(place)
        if not words:
            return None
        unbroken = words.replace(" ", "\N{NO-BREAK SPACE}")
        return make_refnode(builder, page, there, place, nodes.inline("", unbroken, classes=["std", "std-numref"]))


class ChapterLinks(SphinxPostTransform):
    """Links each "chapter NN" in prose to that chapter, unless the prose is in that chapter itself."""

    default_priority = 15  # after references are resolved

    def run(self, **kwargs) -> None:
        pages = {name: page for page, name in chapters(self.env).items()}
        for text in list(self.document.findall(nodes.Text)):
            if MENTION.search(text) and not next(ancestors(text, UNTOUCHED), None):
                here = next(ancestors(text, addnodes.start_of_file), {"docname": self.env.docname})["docname"]
                text.parent.replace(text, self.linked(str(text), pages, here))

    def linked(self, text: str, pages: dict[str, str], here: str) -> list[nodes.Node]:
        """The text in pieces, with links for the names of chapters other than `here`."""
        parts, end = [], 0
        for found in MENTION.finditer(text):
            if pages.get(found[2], here) != here:
                words = nodes.Text(f"{found[1]}\N{NO-BREAK SPACE}{found[2]}")
                address = self.app.builder.get_relative_uri(self.env.docname, pages[found[2]])
                parts += [nodes.Text(text[end:found.start()]), nodes.reference("", "", words, internal=True, refuri=address)]
                end = found.end()
        return [*parts, nodes.Text(text[end:])]


def ancestors(node: nodes.Node, kinds: type | tuple[type, ...]) -> Iterator[nodes.Node]:
    """The enclosing nodes of these kinds, innermost first."""
    while (node := node.parent) is not None:
        if isinstance(node, kinds):
            yield node


def add_to(app: Sphinx) -> None:
    app.add_domain(NumberedDomain, override=True)
    app.connect("env-get-updated", number, priority=600)  # after Sphinx, which discards all numbers
    app.add_post_transform(ChapterLinks)

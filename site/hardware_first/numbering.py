"""Numbers of chapters, sections and figures, and the links that name them.

A chapter NN-slug.md is called NN, as in its file's name, its sections N.1, N.2, …, its figures Figure N.1, Figure N.2, …,
whatever draws them; 00 counts as 0. No other page is numbered. {numref}`fig-bandwidth` reads "Figure 1.2",
{numref}`a-section` "section 1.3", also where it is a heading below that section, and a plain "chapter 02" in prose becomes a
link.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.transforms.post_transforms import SphinxPostTransform

CHAPTER = re.compile(r"(\d\d)-[\w-]+")
MENTION = re.compile(r"\b([Cc]hapter) (\d\d)\b")
DEPTH = 2  # chapters and their sections; what is below has a name only
UNTOUCHED = (nodes.reference, nodes.title, nodes.literal, nodes.raw, nodes.FixedTextElement, addnodes.toctree)


def chapters(env: BuildEnvironment) -> dict[str, str]:
    """{docname: "NN"} of the chapters, in their order."""
    return {page: found[1] for page in sorted(env.found_docs) if (found := CHAPTER.fullmatch(page))}


def section_numbers(self, env: BuildEnvironment) -> list[str]:
    """Numbers the sections of all chapters; returns the pages to write again."""
    before, env.toc_secnumbers = env.toc_secnumbers, {}
    for page, name in chapters(env).items():
        env.toc_secnumbers[page] = numbers = {}
        number_entries(env.tocs[page], name, (), 1, numbers)
    return readers(env, before, env.toc_secnumbers)


def number_entries(entries: nodes.Element, name: str, above: tuple, depth: int, numbers: dict[str, tuple]) -> None:
    """Numbers a list of a page's table of contents, and the lists within it. `above` is the number of what it belongs to;
    what is too deep gets the empty number, or Sphinx would give it the chapter's."""
    items = [entry for entry in entries.children if isinstance(entry, nodes.list_item)]
    items = [entry for entry in items if "skip_section_number" not in entry[0]]
    for place, entry in enumerate(items, start=1):
        number = (name,) if depth == 1 else (*above, str(place)) if depth <= DEPTH else ()
        numbers[entry[0][0]["anchorname"]] = entry[0][0]["secnumber"] = number
        for within in entry.children:
            if isinstance(within, nodes.bullet_list):
                number_entries(within, name, (str(int(name)),) if depth == 1 else number, depth + 1, numbers)


def figure_numbers(self, env: BuildEnvironment) -> list[str]:
    """Numbers the figures of all chapters, each chapter by itself; returns the pages to write again."""
    before, env.toc_fignumbers = env.toc_fignumbers, {}
    for page, name in chapters(env).items():
        shown = [figure for figure in env.get_doctree(page).findall(nodes.figure)
                 if figure["ids"] and figure.first_child_matching_class(nodes.caption) is not None]
        env.toc_fignumbers[page] = {"figure": {figure["ids"][0]: (str(int(name)), str(place))
                                               for place, figure in enumerate(shown, start=1)}}
    return readers(env, before, env.toc_fignumbers)


number_of = StandardDomain.get_fignumber


def number_or_that_above(self, env: BuildEnvironment, builder: Builder, kind: str, page: str, target: nodes.Element):
    """What {numref} prints; for a heading without a number that of the section it belongs to."""
    number = number_of(self, env, builder, kind, page, target)
    while kind == "section" and number == () and isinstance(target.parent, nodes.section):
        target = target.parent
        number = number_of(self, env, builder, kind, page, target)
    return number


class ReadOnce:
    """An environment for those who only look at other pages: it does not read a page again for each who asks, which is what
    takes most of the time of writing a book of many {numref}."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.env = env
        self.get_doctree = functools.lru_cache(maxsize=4)(env.get_doctree)

    def __getattr__(self, name: str):
        return getattr(self.env, name)


read_once = functools.lru_cache(maxsize=1)(ReadOnce)
resolve = StandardDomain.resolve_xref


def resolve_and_read_once(self, env: BuildEnvironment, page: str, builder: Builder, kind: str, *reference):
    return resolve(self, read_once(env) if kind == "numref" else env, page, builder, kind, *reference)


def readers(env: BuildEnvironment, before: dict, after: dict) -> list[str]:
    """The pages to write again: all of them where a number changed, for any may name it."""
    return sorted(env.found_docs) if after != before else []


class ChapterLinks(SphinxPostTransform):
    """Makes each "chapter NN" in prose a link to that chapter, but for those of the chapter itself."""

    default_priority = 15  # after references are resolved

    def run(self, **kwargs) -> None:
        pages = {name: page for page, name in chapters(self.env).items()}
        for text in list(self.document.findall(nodes.Text)):
            if MENTION.search(text) and not next(ancestors(text, UNTOUCHED), None):
                here = next(ancestors(text, addnodes.start_of_file), {"docname": self.env.docname})["docname"]
                text.parent.replace(text, self.linked(str(text), pages, here))

    def linked(self, text: str, pages: dict[str, str], here: str) -> list[nodes.Node]:
        """The text in pieces, those that name a chapter other than `here` as links."""
        parts, end = [], 0
        for found in MENTION.finditer(text):
            if pages.get(found[2], here) != here:
                words = nodes.Text(f"{found[1]}\N{NO-BREAK SPACE}{found[2]}")
                address = self.app.builder.get_relative_uri(self.env.docname, pages[found[2]])
                parts += [nodes.Text(text[end:found.start()]), nodes.reference("", "", words, internal=True, refuri=address)]
                end = found.end()
        return [*parts, nodes.Text(text[end:])]


def ancestors(node: nodes.Node, kinds: type | tuple[type, ...]) -> Iterator[nodes.Node]:
    """What the node lies in that is of these kinds, from within."""
    while (node := node.parent) is not None:
        if isinstance(node, kinds):
            yield node


def add_to(app: Sphinx) -> None:
    """Sphinx numbers what one toctree says, from 1; it has no setting for a book that begins at 0."""
    TocTreeCollector.assign_section_numbers = section_numbers
    TocTreeCollector.assign_figure_numbers = figure_numbers
    StandardDomain.get_fignumber = number_or_that_above
    StandardDomain.resolve_xref = resolve_and_read_once
    app.add_post_transform(ChapterLinks)

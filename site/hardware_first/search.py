"""The text that readers search in, written beside the pages: one entry for each section, and one for each glossary term.

Figures' texts, listings' data and other machines' variants are not in it: nobody looks for an axis' label. A browser reads
it only on the search page, as a script, so that it works from a file too (static/search.js).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.osutil import ensuredir

from .contents import number_of, parts_of

FILE = "search-text.js"
UNSEARCHED = {"no-search", "hf-data", "hf-links", "hf-spread", "hf-banner", "hf-notice", "toctree-wrapper"}
BLOCKS = (nodes.TextElement, addnodes.desc_signature)


def texts(node: nodes.Node) -> Iterator[str]:
    """The words of a section's own blocks; not those of sections and terms inside it, which are entries of their own."""
    for child in node.children:
        if isinstance(child, (nodes.section, nodes.raw, nodes.comment, nodes.title, nodes.literal_block, addnodes.glossary,
                              nodes.math_block, nodes.target, nodes.substitution_definition)):
            if isinstance(child, nodes.title) and not isinstance(node, nodes.section):
                yield child.astext()  # of a box
        elif isinstance(child, nodes.Element) and not UNSEARCHED & set(child.get("classes", ())):
            if isinstance(child, BLOCKS):
                yield words(child)
            else:
                yield from texts(child)


def words(node: nodes.Element) -> str:
    """A block's text, without what is not searched."""
    if not any(UNSEARCHED & set(inner.get("classes", ())) for inner in node.findall(nodes.Element)):
        return node.astext()
    return "".join(child.astext() if isinstance(child, nodes.Text) else words(child) for child in node.children
                   if isinstance(child, nodes.Text) or not UNSEARCHED & set(child.get("classes", ())))


def entries(doctree: nodes.document) -> Iterator[tuple[str, str, str, str]]:
    """(kind, anchor, title, text) of a page: kind "page", "section" or "term"; anchor is empty for the page itself."""
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        top = section.parent is doctree
        yield ("page" if top else "section", "" if top else section["ids"][0], title.astext() if title else "",
               one_line(texts(section)))
    for item in doctree.findall(nodes.definition_list_item):
        if isinstance(item.parent.parent, addnodes.glossary):
            terms = [child for child in item.children if isinstance(child, nodes.term)]
            yield ("term", terms[0]["ids"][0], ", ".join(term.astext() for term in terms),
                   one_line(child.astext() for child in item.children if isinstance(child, nodes.definition)))


def one_line(parts) -> str:
    return " ".join(" ".join(parts).split())


def write(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: the text of the whole book, in reading order."""
    if exception or app.builder.format != "html" or not hasattr(app.builder, "get_target_uri"):
        return
    order = [page for _, names in parts_of(app.env) for page in names]
    order += [page for page in sorted(app.env.titles) if page not in order]
    pages = []
    for page in order:
        found = [entry for entry in entries(app.env.get_doctree(page)) if entry[2]]
        pages.append([app.builder.get_target_uri(page), number_of(page), app.env.titles[page].astext(), found])
    static = Path(app.outdir, "_static")
    ensuredir(static)
    text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    (static / FILE).write_text(f"hardwareFirst.searchText({text});\n", encoding="utf-8")


def load(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """html-page-context: the script that searches, on the page for it."""
    if page == "search":
        app.add_js_file("search.js", loading_method="defer")


def replace_sphinx_search(app: Sphinx) -> None:
    """builder-inited: where the book has its own search page, Sphinx writes neither page nor index."""
    if "search" in app.config.html_additional_pages and hasattr(app.builder, "search"):
        app.builder.search = False


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", replace_sphinx_search)
    app.connect("html-page-context", load)
    app.connect("build-finished", write)

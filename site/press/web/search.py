"""The text that readers search in, written beside the pages: one entry for each section, and one for each glossary term.

The index omits text in figures, provenance lines, listings and other machines' variants, which readers don't search for. Text
that a question hides is separate, with the question's name, and is found once the reader has answered. Only the search page
loads the index, as a script, so that it also works from a file (static/search.js).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.osutil import ensuredir

from ..domain import of_page, press
from ..page.contents import number_of, parts_of
from ..page.mathml import plain
from ..reader.predict import hidden_in

FILE = "search-text.js"
UNSEARCHED = {"no-search", "hf-data", "hf-links", "hf-spread", "hf-kind", "hf-banner", "hf-notice", "hf-strips",
              "hf-verdict", "hf-aimed", "hf-conditions", "hf-provenance", "hf-sources"}
SILENT = (nodes.raw, nodes.comment, nodes.literal_block, nodes.math_block, nodes.target, nodes.substitution_definition)


def blocks(node: nodes.Node) -> Iterator[nodes.TextElement]:
    """A section's own blocks, without those of nested sections and terms, which are entries of their own."""
    for child in node.children:
        title_of_section = isinstance(child, nodes.title) and isinstance(node, nodes.section)
        if title_of_section or isinstance(child, nodes.section) or is_glossary(child) or not searched(child):
            continue
        if isinstance(child, nodes.TextElement):
            yield child
        else:
            yield from blocks(child)


def words(node: nodes.Node) -> str:
    """A block's text, without the parts that are not searched."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, addnodes.desc_parameterlist):
        return f"({', '.join(words(child) for child in node.children)})"
    return "".join(words(child) for child in node.children if searched(child))


def readable(app: Sphinx, page: str, doctree: nodes.document) -> nodes.document:
    """A copy of a page's tree with the text that readers see instead of the author's: numbers of figures, names of sources,
    formulas as plain text. Blocks that reveal answers have the names of the questions."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        if link["reftype"] == "numref" or link["refdomain"] == "cite":
            shown = app.env.domains[link["refdomain"]].resolve_xref(app.env, page, app.builder, link["reftype"],
                                                                    link["reftarget"], link, link[0])
            link.replace_self(shown or [])
    for told, question in hidden_in(doctree):
        for block in told.findall(nodes.TextElement):
            block["tells"] = sorted({*block.get("tells", ()), question})
    for formula in list(doctree.findall(nodes.math)):
        formula.replace_self(nodes.Text(plain(formula.astext())))
    return doctree


def searched(node: nodes.Node) -> bool:
    return not isinstance(node, SILENT) and (isinstance(node, nodes.Text) or not UNSEARCHED & set(node.get("classes", ())))


def is_glossary(node: nodes.Node) -> bool:
    return isinstance(node, nodes.definition_list) and "glossary" in node["classes"]


def defined(block: nodes.TextElement) -> list[str]:
    """The terms that a block defines, in bold. Bold text that ends like a sentence is a heading at the start of a paragraph."""
    bold = [strong.astext() for strong in block.findall(nodes.strong)]
    return [term for term in bold if term[-1:].isalnum()]


def hidden(own: list[nodes.TextElement]) -> list[tuple[list[str], str]]:
    """The texts that are hidden until questions are answered, each with the names of those questions."""
    return [([*tells], one_line(in_rows(block for block in own if block.get("tells", []) == [*tells])))
            for tells in dict.fromkeys(tuple(block["tells"]) for block in own if "tells" in block)]


def entries(doctree: nodes.document) -> Iterator[tuple]:
    """(kind, anchor, title, text, terms defined, hidden texts) for each entry of a page: kind is "page", "section" or "term";
    anchor is empty for the page itself."""
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        top = section.parent is doctree
        own = list(blocks(section))
        seen = [block for block in own if "tells" not in block]
        yield ("page" if top else "section", "" if top else section["ids"][0], title.astext() if title else "",
               one_line(in_rows(seen)), one_line(term for block in seen for term in defined(block)), hidden(own))
    for item in doctree.findall(nodes.definition_list_item):
        if is_glossary(item.parent):
            terms = [child for child in item.children if isinstance(child, nodes.term)]
            yield ("term", terms[0]["ids"][0], ", ".join(term.astext() for term in terms),
                   one_line(child.astext() for child in item.children if isinstance(child, nodes.definition)), "", [])


def in_rows(found: Iterable[nodes.TextElement]) -> Iterator[str]:
    """The texts of blocks, with a dot between a table's cells and a semicolon between its rows."""
    before = None
    for block in found:
        cell = block.parent if isinstance(block.parent, nodes.entry) else None
        if cell and before and cell is not before:
            yield "·" if cell.parent is before.parent else ";"
        yield words(block)
        before = cell


def one_line(parts) -> str:
    return " ".join(" ".join(parts).split()).replace(" ;", ";")


def found_in(app: Sphinx, page: str) -> list[tuple]:
    """The entries of a page, cached until the page is read again or the name of something it refers to changes."""
    sources = app.env.domains["cite"].citations if "cite" in app.env.domains else ()
    names = repr((press(app.env).data["numbers"], [(each.key, each.entry) for each in sources]))
    return of_page(app.env, page, "search", lambda doctree: [each for each in entries(readable(app, page, doctree)) if each[2]],
                   but_for=hashlib.sha256(names.encode()).hexdigest())


def remember(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """env-updated: finds the entries of newly read pages before the information about all pages is saved."""
    if is_searched(app):
        for page in env.titles:
            found_in(app, page)
    return []


def is_searched(app: Sphinx) -> bool:
    return app.builder.format == "html" and hasattr(app.builder, "get_target_uri")


def write(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: the text of the whole book, in reading order."""
    if exception or not is_searched(app):
        return
    order = [page for _, names in parts_of(app.env) for page in names]
    order += [page for page in sorted(app.env.titles) if page not in order]
    pages = [[app.builder.get_target_uri(page), number_of(page), app.env.titles[page].astext(), found_in(app, page)]
             for page in order]
    static = Path(app.outdir, "_static")
    ensuredir(static)
    text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    (static / FILE).write_text(f"press.searchText({text});\n", encoding="utf-8")


def replace_sphinx_search(app: Sphinx) -> None:
    """builder-inited: if the book has its own search page, stops Sphinx from writing a search page and an index."""
    if "search" in app.config.html_additional_pages and hasattr(app.builder, "search"):
        app.builder.search = False


def add_to(app: Sphinx) -> None:
    app.connect("builder-inited", replace_sphinx_search)
    app.connect("env-updated", remember, priority=900)  # once sources and numbers are known
    app.connect("build-finished", write)

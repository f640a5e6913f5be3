"""Links to terms and sources explain them, and terms and sources list where they are used.

The title of a link to a glossary term is the first sentence of its definition; a link to a source has the whole source as its
title. static/reading.js shows both on hover, focus and touch. In the glossary and the references, each entry names the chapters
that use it.
"""

import re

from docutils import nodes
from pybtex.plugin import register_plugin
from pybtex.style.sorting.author_year_title import SortingStyle
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

from ..domain import of_page, press
from .numbering import chapters

SENTENCE = re.compile(r".+?[.!?](?=\s+[^\s\da-z]|\s*$)", re.S)


def terms(env: BuildEnvironment) -> dict[str, tuple[str, str]]:
    """{name in lower case: (page, anchor)} of every term of a glossary."""
    objects = env.domains.standard_domain.objects
    return {name.lower(): place for (kind, name), place in objects.items() if kind == "term"}


def texts(env: BuildEnvironment) -> dict[tuple[str, str], str]:
    """{(page, anchor): what the term means, in a sentence}, as plain text."""
    found = {}
    for page in sorted({page for page, _ in terms(env).values()}):
        found |= {(page, anchor): text for anchor, text in of_page(env, page, "definitions", definitions_in).items()}
    return found


def definitions_in(doctree: nodes.document) -> dict[str, str]:
    """{anchor: the first sentence of the term's definition} of a page."""
    found = {}
    for item in doctree.findall(nodes.definition_list_item):
        text = first_sentence(" ".join(part.astext() for part in item.findall(nodes.paragraph)))
        found |= {anchor: text for term in item.findall(nodes.term) for anchor in term["ids"]}
    return found


def first_sentence(text: str) -> str:
    """The whole text if no sentence ends in it."""
    found = SENTENCE.match(text)
    return found[0] if found else text


def terms_in(doctree: nodes.document) -> set[str]:
    """The names, in lower case, of the terms that a page links to."""
    return {link["reftarget"].lower() for link in doctree.findall(addnodes.pending_xref) if link.get("reftype") == "term"}


def uses(env: BuildEnvironment) -> dict[tuple[str, str], dict[str, str]]:
    """{(page, anchor) of a term or a source: {chapter: the anchor of its first use there, or ""}}."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    known = terms(env)
    for page in chapters(env):
        for name in of_page(env, page, "terms", terms_in) & known.keys():
            found.setdefault(known[name], {})[page] = ""
    if "cite" in env.domains:
        sources = {each.key: (each.bibliography_key.docname, each.citation_id) for each in env.get_domain("cite").citations}
        for reference in env.get_domain("cite").citation_refs:
            for target in reference.targets:
                if target.key in sources and reference.docname in chapters(env):
                    found.setdefault(sources[target.key], {}).setdefault(reference.docname, reference.citation_ref_id)
    return found


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """env-updated: all pages if a definition changed, because any may quote it; the page of a definition if its uses
    changed."""
    data, now = press(env).data, (texts(env), uses(env))
    before = data.get("definitions", ({}, {}))
    data["definitions"] = now
    if now[0] != before[0]:
        return sorted(env.found_docs)
    return sorted({page for page, _ in now[1].keys() | before[1].keys()}) if now[1] != before[1] else []


def add_to_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """doctree-resolved: adds titles to the links to terms, and uses to the entries on a page."""
    meaning, used = press(app.env).data["definitions"]
    here = lambda place: f"{app.builder.get_relative_uri(page, place[0])}#{place[1]}"
    titles = {here(place): text for place, text in meaning.items() if place[0] != page}
    for link in doctree.findall(nodes.reference):
        if text := titles.get(link.get("refuri", "")):
            link["reftitle"] = text
    own = {place[1]: where for place, where in used.items() if place[0] == page}
    for element in list(doctree.findall(nodes.Element)):
        if where := next((own[anchor] for anchor in element.get("ids", ()) if anchor in own), None):
            entry = element.next_node(nodes.definition, ascend=True) if isinstance(element, nodes.term) else element
            last = list(entry.findall(nodes.paragraph))[-1]
            last += where_used(app, page, where)


class ByName(SortingStyle):
    """pybtex's own order, except that braces around an organisation's name do not count."""

    def person_key(self, person):
        return super().person_key(person).replace("{", "").replace("}", "")


def list_sources(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """doctree-resolved: turns the sources into a list without bibtex's numbers, because they are cited by author."""
    for group in {citation.parent for citation in doctree.findall(nodes.citation)}:
        items = [nodes.list_item("", *each.children[1:], ids=each["ids"]) for each in group.children]
        group.replace_self(nodes.bullet_list("", *items, classes=["hf-sources-list"]))


def where_used(app: Sphinx, page: str, where: dict[str, str]) -> nodes.inline:
    """" → 00, 03", as links."""
    shown = nodes.inline("", " → ", classes=["hf-uses"])
    for number, (chapter, anchor) in enumerate(where.items()):
        if number:
            shown += nodes.Text(", ")
        name = nodes.Text(chapters(app.env)[chapter])
        shown += make_refnode(app.builder, page, chapter, anchor, name, f"Used in chapter {name}")
    return shown


def add_to(app: Sphinx) -> None:
    register_plugin("pybtex.style.sorting", "author_year_title", ByName, force=True)
    app.connect("env-updated", pages_to_write, priority=600)  # after the sources are known
    app.connect("doctree-resolved", list_sources, priority=400)
    app.connect("doctree-resolved", add_to_page)

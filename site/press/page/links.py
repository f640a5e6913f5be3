"""Links to pages, to targets on pages, and to files of the project, which are copied into the site."""

import os
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment


def cross_reference(role: str, target: str, words: str | nodes.TextElement) -> addnodes.pending_xref:
    """What the role makes of `words <target>`: a link once all pages are read, or only the words if the target doesn't
    exist."""
    domain, kind = role.split(":")
    content = nodes.inline("", words) if isinstance(words, str) else words
    return addnodes.pending_xref("", content, refdomain=domain, reftype=kind, reftarget=target, refexplicit=True,
                                 or_words_alone=True)


def page_link(page: str, words: str | nodes.TextElement) -> addnodes.pending_xref:
    return cross_reference("std:doc", f"/{page}", words)


def machine_link(slug: str, name: str) -> addnodes.pending_xref:
    """A machine's name, linked to its card."""
    return cross_reference("hf:machine", slug, name)


def file_link(env: BuildEnvironment, path: Path, text: str) -> nodes.Node:
    """A link to a copy of the file in the site's downloads."""
    target = "/" + Path(os.path.relpath(path, env.srcdir)).as_posix()
    return addnodes.download_reference("", "", nodes.inline("", text), reftarget=target, refdoc=env.docname)

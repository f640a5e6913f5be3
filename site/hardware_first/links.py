"""Links to files of the project, which are copied into the site."""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment


def file_link(env: BuildEnvironment, path: Path, text: str) -> nodes.Node:
    """A link to a copy of the file in the site's downloads."""
    target = "/" + Path(os.path.relpath(path, env.srcdir)).as_posix()
    return addnodes.download_reference("", "", nodes.inline("", text), reftarget=target, refdoc=env.docname)

"""The parts of a page's head that readers don't see: a description of one sentence, and the policy on what a page may load."""

import base64
import hashlib
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from ..defaults import slug
from ..page.numbering import ancestors

# Allows only the site's own files, and no inline scripts. Inline styles are those of the figures.
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
          "connect-src 'self'; form-action 'self'; base-uri 'self'")
LENGTH = 200  # length of a description; search engines show about this much


def description(doctree: nodes.document) -> str:
    """The chapter's promise, else the first paragraph of prose; cut after a sentence if it is long."""
    promise = next((box for box in doctree.findall(nodes.admonition) if "promise" in box["classes"]), None)
    for paragraph in (promise or doctree).findall(nodes.paragraph):
        aside = any({"hf-banner", "hf-notice"} & set(above.get("classes", ())) for above in ancestors(paragraph, nodes.Element))
        text = " ".join(paragraph.astext().split())
        if not aside and len(text) > 40:
            return shortened(text)
    return ""


def shortened(text: str) -> str:
    if len(text) <= LENGTH:
        return text
    sentences = re.match(rf"(.{{40,{LENGTH - 1}}}[.?!])\s", text)
    return sentences[1] if sentences else text[:LENGTH - 1].rsplit(" ", 1)[0] + "…"


def describe(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """html-page-context: `book`, `description`, `policy` and `rights`; for the 404 page also the script and fonts that it
    embeds."""
    context["book"], context["policy"], context["rights"] = slug(app.config.project), POLICY, app.config.press_rights
    context["description"] = description(doctree) if doctree else ""
    if page == "404":
        script = (Path(__file__).parents[1] / "theme" / "find-home.js").read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        context["find_home"], context["find_home_digest"] = script, f"sha256-{digest}"
        fonts = Path(__file__).parents[1] / "static" / "fonts"
        context["faces"] = {weight: base64.b64encode((fonts / f"text-{name}.woff2").read_bytes()).decode()
                            for weight, name in ((400, "regular"), (700, "bold"))}


def add_to(app: Sphinx) -> None:
    app.connect("html-page-context", describe)

"""{how-to-cite}: how to cite the book, from CITATION.cff."""

import re
import textwrap
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from ..domain import press
from .notice import NoticeDirective


class HowToCite(NoticeDirective):
    """A sentence to cite, and a BibTeX entry."""

    def run(self) -> list[nodes.Node]:
        path = press(self.env).records.root / "CITATION.cff"
        press(self.env).note_file(path)
        try:
            stated = read(path)
        except (OSError, KeyError, yaml.YAMLError) as error:
            return [self.notice(f"CITATION.cff: {error!r}; it needs title, authors, version, date-released")]
        address = self.config.html_baseurl or stated["url"]
        code = nodes.literal_block("", bibtex(stated, address), language="bibtex")
        return [nodes.paragraph("", "", *sentence(stated, address)), code]


def read(path: Path) -> dict[str, str]:
    """title, author, version, year and url (perhaps empty) of a citation file."""
    fields = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    return {"title": fields["title"], "author": " and ".join(author["name"] for author in fields["authors"]),
            "version": str(fields["version"]), "year": str(fields["date-released"])[:4],
            "url": fields.get("url", "") or fields.get("repository-code", "")}


def sentence(stated: dict[str, str], address: str) -> list[nodes.Node]:
    title = nodes.emphasis("", stated["title"])
    start = nodes.Text(f"{stated['author']}. ")
    end = nodes.Text(f". Version {stated['version']}, {stated['year']}.")
    return [start, title, end, *([nodes.Text(" "), nodes.reference("", address, refuri=address)] if address else [])]


def bibtex(stated: dict[str, str], address: str) -> str:
    """The BibTeX entry, with extra braces around authors and title so that BibTeX does not change them."""
    fields = {"title": f"{{{stated['title']}}}", "author": f"{{{stated['author']}}}", "year": stated["year"],
              "version": stated["version"], "url": address}
    lines = [textwrap.fill(f"  {name:<8}= {{{value}}},", 64, subsequent_indent=" " * 14, break_long_words=False,
                           break_on_hyphens=False) for name, value in fields.items() if value]
    key = re.sub(r"\W", "", stated["title"].partition(":")[0]).lower() + stated["year"]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def add_to(app: Sphinx) -> None:
    app.add_directive("how-to-cite", HowToCite)

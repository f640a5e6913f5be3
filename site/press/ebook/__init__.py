"""The book as an EPUB, by Sphinx's own builder (sphinx -b epub): pages without scripts, with the default machine's numbers.

page.py makes a page of the site one of the e-book, pictures.py its SVGs files with plain colours. The pages that [ebook] in
book.toml lists, which are for a screen and a browser, are left out: links to them lead to the site. A title page replaces the
site's front page.
"""

import html
import shutil
from collections.abc import Set
from pathlib import Path
from xml.etree.ElementTree import ParseError

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.epub3 import Epub3Builder
from sphinx.config import Config
from sphinx.util import logging

from ..defaults import slug
from ..domain import press
from ..page.contents import number_of
from ..web.feed import address_of
from . import page, pictures

SHEET = Path(__file__).with_name("ebook.css")
DOCUMENT = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="{language}" lang="{language}">
<head><meta charset="utf-8"/><title>{title}</title><link rel="stylesheet" type="text/css" href="{sheet}"/></head>
<body>
{body}
</body>
</html>
"""
# Of both builders: the reading of pages must not depend on which one runs.
SETTINGS = {"epub_tocscope": "includehidden", "epub_tocdepth": 2, "epub_tocdup": False, "epub_show_urls": "no"}
logger = logging.getLogger(__name__)


class Ebook(Epub3Builder):
    """Sphinx packs the pages and lists them; they are written here, because the site's templates are for browsers."""

    def init(self) -> None:
        super().init()
        self.search = False
        self.left_out = set(self.config.press_ebook.get("without", []))

    def prepare_writing(self, docnames: Set[str]) -> None:
        super().prepare_writing(docnames)
        css = (Path(__file__).parents[1] / "static" / "figures.css").read_text(encoding="utf-8")
        self.pictures = pictures.Pictures(Path(self.outdir), pictures.colours(css))

    def write_documents(self, docnames: Set[str]) -> None:
        super().write_documents(set(docnames) - self.left_out)

    def handle_page(self, pagename: str, addctx: dict, templatename: str = "page.html", *, outfilename: Path | None = None,
                    event_arg: nodes.document | None = None) -> None:
        if pagename not in self.env.titles:
            return  # an index
        title = self.env.titles[pagename].astext()
        if pagename == self.config.root_doc:
            title, body = self.config.project, self.title_page()
        else:
            try:
                body = page.of_ebook(addctx["body"], self.pictures, pagename, self.links())
            except ParseError as error:
                logger.warning("%s is no XML, which an e-book needs: %s", pagename, error, location=pagename)
                return
            if number := number_of(pagename):
                body = f'<p class="kicker">Chapter {number}</p>\n{body}'
        text = DOCUMENT.format(language=self.config.language, title=html.escape(title), sheet=SHEET.name, body=body)
        Path(self.outdir, f"{pagename}.xhtml").write_text(text, encoding="utf-8")

    def links(self) -> page.Links:
        return page.Links(set(self.env.found_docs) - self.left_out - {self.config.root_doc}, address_of(self.app))

    def title_page(self) -> str:
        """What a reader has downloaded: title, promise, whose numbers, rights."""
        records, said = press(self.env).records, [self.config.press_promise, self.config.author]
        machine = html.escape(records.machines()[0].name)
        address = address_of(self.app)
        lines = "".join(f"<p>{html.escape(words)}</p>" for words in said if words)
        site = f', <a href="{address}">{address}</a>' if address else ""
        return (f'<section epub:type="titlepage" class="title-page"><h1>{html.escape(self.config.project)}</h1>{lines}'
                f"<p>The numbers in this book were measured on {machine}, unless another machine is named. Numbers of other "
                f"machines, and everything to point at, to drag or to choose, are on the book’s website{site}.</p>"
                f"<p>{html.escape(self.config.copyright)}</p></section>")

    def copy_static_files(self) -> None:
        shutil.copy(SHEET, self.outdir)

    def gen_additional_pages(self) -> None:
        """None: search and 404 are for the web."""

    def build_content(self) -> None:
        """Also says which pages have formulas, as EPUB demands and Sphinx's template doesn't."""
        super().build_content()
        listed = Path(self.outdir, "content.opf")
        text = listed.read_text(encoding="utf-8")
        for name in self.files:
            if name.endswith(".xhtml") and "<math " in Path(self.outdir, name).read_text(encoding="utf-8"):
                text = text.replace(f' href="{name}" media-type', f' properties="mathml" href="{name}" media-type')
        listed.write_text(text, encoding="utf-8")

    def toc_metadata(self, level: int, navpoints: list) -> dict:
        """With the identifier of content.opf, where Sphinx takes the name of its element."""
        return {**super().toc_metadata(level, navpoints), "uid": html.escape(self.config.epub_identifier)}

    def get_toc(self) -> None:
        super().get_toc()
        self.refnodes = [each for each in self.refnodes if each["refuri"].partition(".xhtml")[0] not in self.left_out]
        self.refnodes[0]["text"] = html.escape(self.config.project)


def fill_in(app: Sphinx, config: Config) -> None:
    """config-inited: what the package says of the book."""
    name = slug(config.project)
    described = {"epub_basename": name, "epub_uid": "book", "epub_identifier": config.html_baseurl or name,
                 "epub_scheme": "URL" if config.html_baseurl else "name", "epub_contributor": config.author,
                 "epub_description": config.press_promise or config.project, "version": config.version or "0"}
    for setting, value in {**SETTINGS, **described}.items():
        if setting not in config.overrides:
            config[setting] = value


def add_to(app: Sphinx) -> None:
    app.add_builder(Ebook, override=True)
    app.connect("config-inited", fill_in, priority=450)  # after defaults.py has read the book's title

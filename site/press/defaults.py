"""What a book need not say in its conf.py: its book.toml, read once, and the settings of this theme.

book.toml lies beside site/, and every part of it is optional:

    title, authors                 instead of project and author in conf.py; readers' browsers store their choices and guesses
                                   under the title, so a book with a new title does not find them
    promise                        a line on the cover of the printed book and of the e-book
    rights                         a line below every page
    default_machine                the machine shown first: a folder in figures/records/
    machines_drawn                 how many machines a page draws, of all that have measured it (default: 6); the others are on
                                   the page of machines
    [preview]                      the picture beside links to the book: a chapter, whose figure it shows, and words
    [units]                        the book's own: families = [{ word = 1, kword = 1e3 }], which differ by a prefix only, with
                                   their sizes; and patterns of units in sentences: beside, which stay on a line with their
                                   number; measured, of which no number is typed by hand, unless it fits counted
    [chapter]                      what every chapter must have: checks/rules.py
    [ebook]                        without = ["page", …]: the pages that the e-book leaves out
"""

import re
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

from sphinx.application import Sphinx
from sphinx.config import Config

from .measurements import quantity
from .web.assets import STATIC

SETTINGS = {
    "myst_enable_extensions": ["amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist",
                               "smartquotes", "substitution"],
    "numfig_format": {"figure": "Figure %s", "section": "section %s"},
    "bibtex_bibfiles": ["../chapters/references.bib"],
    "bibtex_default_style": "plain",
    "bibtex_reference_style": "author_year",
    "html_favicon": str(STATIC / "favicon.svg"),
    "html_css_files": ["fonts.css", "figures.css", "site.css", "code.css", "reading.css"],
    "html_js_files": [(script, {"defer": "defer"}) for script in ("theme.js", "contents.js", "overflow.js", "reading.js")],
    "html_additional_pages": {"404": "404.html", "search": "search.html"},
    "html_math_renderer": "mathml",
    "html_use_index": False,
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_secnumber_suffix": "\N{NO-BREAK SPACE}",
    "html_permalinks_icon": "#",
}
OF_BOOK = {"title": "project", "authors": "author", "rights": "press_rights", "default_machine": "press_default_machine",
           "machines_drawn": "press_machines_drawn", "promise": "press_promise", "preview": "press_preview",
           "chapter": "press_chapter", "units": "press_units", "ebook": "press_ebook"}


def read_book(root: Path) -> dict:
    """What book.toml says, if there is one. A mistake in it ends the build."""
    path = root / "book.toml"
    try:
        stated = tomllib.loads(path.read_text(encoding="utf-8-sig")) if path.exists() else {}
        for name, value in stated.items():
            if name not in OF_BOOK:
                raise ValueError(f"{name}: expected one of {', '.join(OF_BOOK)}")
            if name == "machines_drawn" and not (isinstance(value, int) and value > 0):
                raise ValueError(f"{name}: expected a whole number above 0")
            if isinstance(value, dict) != (name in ("preview", "units", "chapter", "ebook")):
                raise ValueError(f"{name}: expected {'text' if isinstance(value, dict) else 'a table'}")
    except (OSError, ValueError) as error:
        print(f"{path}: {error}; press/defaults.py describes this file", file=sys.stderr)
        sys.exit(2)  # one line, where an exception in Sphinx would be a page
    return stated


def slug(title: str) -> str:
    """A book's name for browsers: "Sorting, measured" is sorting-measured."""
    return quote("-".join(re.findall(r"\w+", title.lower()))) or "book"


def fill_in(app: Sphinx, config: Config) -> None:
    """config-inited: the settings of the book and of this theme, unless conf.py or the command line has its own."""
    book = read_book(Path(config.press_root))
    settings = {OF_BOOK[name]: value for name, value in book.items() if name in OF_BOOK}
    if {"authors", "rights"} <= book.keys():
        settings["copyright"] = f"{book['authors']}; {book['rights']}"
    if config.html_theme == "press":
        settings |= {**SETTINGS, "html_title": settings.get("project", config.project)}
    for name, value in settings.items():
        if name in config.overrides or name not in config.values:
            continue
        default = config.values[name].default
        if config[name] == (default(config) if callable(default) else default):
            config[name] = value
    quantity.use(config.press_units.get("families", []))


def add_to(app: Sphinx) -> None:
    app.connect("config-inited", fill_in, priority=400)  # before others read the settings

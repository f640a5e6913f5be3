"""The styles and scripts that only some pages need, each listed with the class that needs it. Those of every page are in
defaults.py, those of machine pages in reader/per_machine.py; also() adds a book's own."""

import re
import zlib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

# {a class of something on the page: files of static/, in the order in which they are loaded}
OF_CLASS = {
    "hf-cards": ("drawings.css", "front-page.css"),
    "hf-ledger-sums": ("claims-ledger.css",),
    "hf-ledger": ("claims-ledger.css", "claims-ledger.js"),
    "hf-machines-page": ("machines-page.css",),
    "hf-predict": ("predict.css", "predict-plot.js", "predict-veil.js", "predict.js", "predict-drag.js"),
    "hf-front-figure": ("front-page.js",),
    "hf-predictions": ("predictions.css",),
    "hf-drawn": ("drawings.css",),
    "hf-stepped": ("steps.js",),
}
# {something on the page: its scripts}, which live.js fetches when the reader scrolls near.
WHEN_SEEN: dict[str, tuple[str, ...]] = {"search": ("search.js",)}  # reading.js fetches that for the header's field
OF_PAGE = {"search": ("search.js",)}  # which is a template, and has no classes to ask for


def load(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """html-page-context: the files of this page."""
    classes = {name for node in doctree.findall(nodes.Element) for name in node.get("classes", ())} if doctree else set()
    wanted = [*OF_PAGE.get(page, ()), *(file for name, files in OF_CLASS.items() if name in classes for file in files)]
    for file in dict.fromkeys(wanted):
        if file.endswith(".css"):
            app.add_css_file(file)
        else:
            app.add_js_file(file, loading_method="defer")
    context["finder"] = fetched_later("search", "data-finder") if page != "search" else ""


STATIC = Path(__file__).parents[1] / "static"
FOLDERS = [STATIC]  # and those of also()


def also(folder: Path, of_class: dict[str, tuple[str, ...]], when_seen: dict[str, tuple[str, ...]]) -> None:
    """Adds a book's own files. Call it in setup()."""
    if folder not in FOLDERS:
        FOLDERS.append(folder)
    OF_CLASS.update(of_class)
    WHEN_SEEN.update(when_seen)


def add_folders(app: Sphinx, config: Config) -> None:
    """config-inited: the folders are copied to the site."""
    config.html_static_path = [*map(str, FOLDERS), *config.html_static_path]


def scripts_of(what: str) -> list[Path]:
    """The scripts fetched later for something on the page."""
    return [next(path for folder in FOLDERS if (path := folder / file).exists()) for file in WHEN_SEEN.get(what, ())]


def named_with_digests(what: str) -> str:
    """The scripts fetched later for something on the page. Their digests stop a browser from using outdated ones."""
    return " ".join(f"{file.name}?v={zlib.crc32(file.read_bytes()):08x}" for file in scripts_of(what))


def fetched_later(what: str, attribute: str = "data-scripts") -> str:
    """The attribute that gives live.js, or another script, the scripts of something on the page."""
    named = named_with_digests(what)
    return f' {attribute}="{named}"' if named else ""


# A "//" with quotation marks behind it may be within a string.
COMMENT_OR_INDENT = re.compile(r"^[ \t]*//.*\n|^[ \t]+|[ \t]+// [^\"'`\n]*$", re.M)


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: removes comments and indentation from the built scripts."""
    for source in (script for folder in FOLDERS for script in folder.glob("*.js")):
        built = Path(app.outdir, "_static", source.name)
        if exception is None and built.exists():
            built.write_text(COMMENT_OR_INDENT.sub("", source.read_text(encoding="utf-8")), encoding="utf-8")


def add_to(app: Sphinx) -> None:
    app.add_js_file("boot.js", priority=0)  # before all others
    app.connect("config-inited", add_folders)
    app.connect("html-page-context", load)
    app.connect("build-finished", lighten)

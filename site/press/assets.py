"""The styles and scripts that only some pages need, each listed with the class that needs it. conf.py lists the files of every
page, per_machine.py those of machines."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

# {a class of something on the page: files of static/, in the order in which they are loaded}
OF_CLASS = {
    "hf-cards": ("drawings.css", "front.css"),
    "hf-ledger": ("ledger.css", "ledger.js"),
    "hf-machines-page": ("gallery.css", "gallery.js"),
    "hf-predict": ("predict.css", "veil.js", "predict.js"),
    "hf-front-figure": ("front.js",),
    "hf-predictions": ("predictions.css",),
    "hf-drawn": ("drawings.css",),
    "hf-stepped": ("steps.js",),
    "hf-float-bits": ("float-bits.css", "float-bits.js"),
    "hf-widget": ("widgets.css",),
    "hf-widget-roofline": ("live.js",),
    "hf-widget-planner": ("live.js",),
    "hf-widget-array": ("drawings.css", "steps.js", "live.js"),
    "hf-widget-measure": ("measure.css", "widget.js", "experiments.js", "measure-plots.js", "measure-record.js", "measure.js"),
    "hf-reader-gpu": ("widgets.css", "measure.css", "live.js"),
    "hf-known": ("this-browser.css", "this-browser.js"),
}
# {a calculator: its scripts}, which live.js fetches when the reader scrolls near, and measure.js before it measures the GPU.
WHEN_SEEN = {
    "roofline": ("widget.js", "formulas-roofline.js", "roofline.js"),
    "planner": ("widget.js", "formulas-planner.js", "planner.js"),
    "array": ("widget.js", "formulas-array.js", "array.js"),
    "measure": ("measure-gpu.js",),
    "reader-gpu": ("widget.js", "measure-plots.js", "reader-gpu.js"),
}
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


STATIC = Path(__file__).parent / "static"


def scripts_of(calculator: str) -> list[Path]:
    """The scripts fetched later for a calculator."""
    return [STATIC / file for file in WHEN_SEEN.get(calculator, ())]


def fetched_later(calculator: str) -> str:
    """The attribute that gives live.js the scripts of a calculator. Their digests stop a browser from using outdated ones."""
    named = " ".join(f"{file.name}?v={zlib.crc32(file.read_bytes()):08x}" for file in scripts_of(calculator))
    return f' data-scripts="{named}"' if named else ""


COMMENT_OR_INDENT = re.compile(r"^[ \t]*//.*\n|^[ \t]+", re.M)


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: removes comment lines and indentation from the built scripts."""
    for source in STATIC.glob("*.js"):
        built = Path(app.outdir, "_static", source.name)
        if exception is None and built.exists():
            built.write_text(COMMENT_OR_INDENT.sub("", source.read_text(encoding="utf-8")), encoding="utf-8")


def add_to(app: Sphinx) -> None:
    app.connect("html-page-context", load)
    app.connect("build-finished", lighten)

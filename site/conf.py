"""How Sphinx turns chapters/ into the site: sphinx-build -c site chapters build/site. book.toml says what the book is."""

import gc
import os
import sys
from pathlib import Path

site = Path(__file__).resolve().parent
sys.path.insert(0, str(site))

# Building a page's tree makes hundreds of thousands of objects and no garbage: collecting would take longer than loading.
gc.set_threshold(100_000, 50, 100)

language = "en"

extensions = ["myst_parser", "sphinxcontrib.bibtex", "breathe", "press", "book"]
press_record_tool = os.environ.get("HARDWARE_FIRST_RECORD_TOOL", "")
press_published_only = os.environ.get("MEASURE") == "no"  # the project's own site, built without measuring

press_source = os.environ.get("HARDWARE_FIRST_SOURCE", "")  # where a reader gets the project, if that is known
released = f"{press_source.rstrip('/')}/releases/latest/download/hardware-first"  # as GitHub's releases are
colab = press_source.rstrip("/").replace("https://github.com/", "https://colab.research.google.com/github/", 1)
myst_substitutions = {
    "get_the_project": f"[download the project]({press_source})" if press_source else
                       "download the project that built this book",
    "on_paper": f"a [PDF]({released}.pdf) to print and an [EPUB]({released}.epub) for e-readers" if press_source else
                "`make pdf` writes a book to print, `make epub` one for e-readers",
    "in_colab": f" Without Linux, [a Colab notebook]({colab}/blob/main/colab.ipynb) measures a machine that Google lends you."
                if colab != press_source.rstrip("/") else "",
}
myst_heading_anchors = 3
suppress_warnings = ["duplicate_declaration.cpp"]  # every header opens the same namespace
nitpicky = True
nitpick_ignore_regex = [("cpp:.*", ".*")]  # Doxygen's own types are not all documented here

breathe_projects = {"harness": str(site.parent / "build" / "doxygen" / "xml")}
breathe_default_project = "harness"
breathe_show_include = False

html_theme = "press"
# Where the site will be served from, if known. The feed, the sitemap, canonical addresses and link previews need it.
html_baseurl = os.environ.get("HARDWARE_FIRST_URL", "")


def setup(app) -> None:
    """Frees each page's tree, whose nodes are in circles, once the next page is read or the page is written."""
    def free(*_) -> None:
        gc.collect()

    for event in ("doctree-read", "html-page-context"):
        app.connect(event, free, priority=900)

"""How Sphinx makes pages of chapters/: python3 -m sphinx -c site chapters build/site."""

import os

project = "@TITLE@"
author = "The authors"
copyright = "the authors"
language = "en"

extensions = ["myst_parser", "sphinxcontrib.bibtex", "press"]
html_theme = "press"
press_published_only = os.environ.get("MEASURE") == "no"

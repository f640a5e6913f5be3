"""How Sphinx makes pages of chapters/: python -m sphinx -c site chapters build/site."""

import os

project = "Sorting, measured"
author = "The authors of the sorting book"
copyright = "the authors"
language = "en"

extensions = ["myst_parser", "sphinxcontrib.bibtex", "press"]
html_theme = "press"
press_published_only = os.environ.get("MEASURE") == "no"

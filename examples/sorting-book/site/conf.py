"""How Sphinx makes pages of chapters/: python -m sphinx -c site chapters build/site."""

import os

project = "Sorting, measured"
author = "The authors of the sorting book"
copyright = "the authors"
language = "en"

extensions = ["myst_parser", "sphinxcontrib.bibtex", "press"]
html_theme = "press"
press_published_only = os.environ.get("MEASURE") == "no"
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath", "smartquotes"]
bibtex_bibfiles = ["../chapters/references.bib"]
bibtex_reference_style = "author_year"
numfig_format = {"figure": "Figure %s", "section": "section %s"}

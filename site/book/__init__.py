"""What only this book has, as an extension of press; press/__init__.py describes the other roles and directives.

    ```{roofline-explorer}                     calculators, for the reader to play with: see widgets.py
    ```{planner}
    ```{array-explorer}
    ```{price-a-model}                         another calculator: model_price.py
    ```{measure-here}                          chapter 01's experiments in the reader's browser: browser_lab.py
    ```{reader-gpu}                            what {measure-here} found about the reader's GPU; until then, the body
    ```{where-browsers-measure}                prose that is left out if the kernels for browsers are not compiled

    ```{systolic-array} 04-tpu                 the moving array, from the trace in the lab's record
    The takeaway, one paragraph.
    ```

    ```{scoreboard}                            tokens per second of one small model, a row for each chapter so far; no body

    ```{predict-table} id                      a question for each row of a table; ```{predict-scores} id: predict_table.py
    ```{compare-machines}                      two machines' rooflines in one drawing: gallery.py
"""

from pathlib import Path

from press import digest_of_code
from press.web import assets
from sphinx.application import Sphinx

from . import browser_lab, gallery, model_price, predict_table, widgets
from .scoreboard import Scoreboard
from .systolic import SystolicArray

OF_CLASS = {
    "hf-together": ("rooflines.css", "gallery.js"),
    "hf-float-bits": ("float-bits.css", "live.js"),
    "hf-widget": ("widgets.css",),
    "hf-widget-roofline": ("live.js",),
    "hf-widget-planner": ("live.js",),
    "hf-widget-price": ("live.js",),
    "hf-widget-array": ("drawings.css", "steps.js", "live.js"),
    "hf-widget-measure": ("predict.css", "measure.css", "widget.js", "plausible.js", "experiments.js", "measure-plots.js",
                          "measure-record.js", "measure.js"),
    "hf-reader-gpu": ("widgets.css", "measure.css", "live.js"),
    "hf-known": ("this-browser.css",),
}
WHEN_SEEN = {
    "roofline": ("widget.js", "formulas-roofline.js", "roofline.js"),
    "planner": ("widget.js", "formulas-planner.js", "planner.js"),
    "array": ("widget.js", "formulas-array.js", "array.js"),
    "price": ("widget.js", "formulas-price.js", "price.js"),
    "measure": ("measure-gpu.js",),
    "float-bits": ("float-bits.js",),
    "own-numbers": ("plausible.js", "this-browser.js"),  # fetched by own-numbers.js
    "reader-gpu": ("widget.js", "plausible.js", "measure-plots.js", "reader-gpu.js"),
}
SOURCES = sorted(Path(__file__).parent.rglob("*.py"))


def setup(app: Sphinx) -> dict:
    app.setup_extension("press")
    assets.also(Path(__file__).parent / "static", OF_CLASS, WHEN_SEEN)  # as press.assets describes
    app.add_directive("scoreboard", Scoreboard)
    app.add_directive("systolic-array", SystolicArray)
    for part in (gallery, predict_table, widgets, model_price, browser_lab):
        part.add_to(app)
    return {"version": "0.1.0", "env_version": digest_of_code(SOURCES), "parallel_read_safe": False,
            "parallel_write_safe": True}

"""What only this book has: rooflines, calculators, chapter 01's experiments in a browser, a systolic array, a scoreboard."""

from __future__ import annotations

from pathlib import Path

from press import digest_of_code
from sphinx.application import Sphinx

from . import gallery, measure_here, predict_table, widgets
from .scoreboard import Scoreboard
from .systolic import SystolicArray

SOURCES = sorted(Path(__file__).parent.rglob("*.py"))


def setup(app: Sphinx) -> dict:
    app.setup_extension("press")
    app.add_directive("scoreboard", Scoreboard)
    app.add_directive("systolic-array", SystolicArray)
    for part in (gallery, predict_table, widgets, measure_here):
        part.add_to(app)
    return {"version": "0.1.0", "env_version": digest_of_code(SOURCES), "parallel_read_safe": False,
            "parallel_write_safe": True}

"""The settings that a book with this theme needs, unless its conf.py has its own."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.config import Config

from .assets import STATIC

SETTINGS = {
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


def fill_in(app: Sphinx, config: Config) -> None:
    """config-inited: the settings of this theme."""
    if config.html_theme != "press":
        return
    for name, value in {**SETTINGS, "html_title": config.project}.items():
        default = config.values[name].default
        if config[name] == (default(config) if callable(default) else default):
            config[name] = value


def add_to(app: Sphinx) -> None:
    app.connect("config-inited", fill_in)

"""Functions for the drawings' scripts. A script makes one Sketch per drawing and ends with write_all().
The site runs it; so does python3 drawings/NN-slug.py FOLDER.

A sketch is 520 units wide. Classes are those of site/press/static/drawings.css: s-COLOUR strokes, f-COLOUR fills, t-COLOUR
tints; colours are ink, quiet, grid, paper, blue, orange, green and purple. In texts, *words* are italic.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from html import escape
from pathlib import Path

WIDTH = 520


class Sketch:
    """One drawing. Keywords become attributes: data_from=3 is data-from="3"."""

    def __init__(self, name: str, height: float, title: str, description: str, **root) -> None:
        self.name = name
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(height)}"{attributes(root)}>'
        self.parts = [head, f"<title>{escape(title, quote=False)}</title>",
                      f"<desc>{escape(' '.join(description.split()), quote=False)}</desc>"]

    def add(self, tag: str, css: str = "", inside: str = "", **more) -> None:
        named = f' class="{css}"' if css else ""
        self.parts.append(f"<{tag}{named}{attributes(more)}" + (f">{inside}</{tag}>" if inside else "/>"))

    def style(self, css: str) -> None:
        """Rules for this drawing only; OWN is replaced by its class, and must begin the names of its @keyframes."""
        self.add("style", inside=" ".join(css.replace("OWN", f"hf-{self.name}").split()))

    def rect(self, x, y, width, height, css, **more) -> None:
        self.add("rect", css, x=x, y=y, width=width, height=height, **more)

    def line(self, x1, y1, x2, y2, css, **more) -> None:
        self.add("line", css, x1=x1, y1=y1, x2=x2, y2=y2, **more)

    def path(self, d, css, **more) -> None:
        self.add("path", css, d=d, **more)

    def circle(self, x, y, r, css, **more) -> None:
        self.add("circle", css, cx=x, cy=y, r=r, **more)

    def text(self, x, y, words, css="", **more) -> None:
        marked = re.sub(r"\*(.+?)\*", r'<tspan font-style="italic">\1</tspan>', escape(words, quote=False))
        self.add("text", css, marked, x=x, y=y, **more)

    def arrow(self, x1, y1, x2, y2, colour="ink", css="", size=7, **more) -> None:
        """A line with a head at its second end."""
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        bx, by = x2 - size * dx, y2 - size * dy
        with self.group(**more):
            self.line(x1, y1, bx, by, f"s-{colour} {css}".strip())
            corners = [(x2, y2), (bx - dy * size * 0.5, by + dx * size * 0.5), (bx + dy * size * 0.5, by - dx * size * 0.5)]
            self.add("polygon", f"f-{colour}", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))

    @contextmanager
    def group(self, css: str = "", **more):
        self.parts.append(f"<g{f' class={chr(34)}{css}{chr(34)}' if css else ''}{attributes(more)}>")
        yield
        self.parts.append("</g>")

    def source(self) -> str:
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def attributes(named: dict) -> str:
    return "".join(f' {name.replace("_", "-")}="{number(value)}"' for name, value in named.items() if value is not None)


def number(value) -> str:
    if isinstance(value, str):
        return escape(value)
    return f"{value:.2f}".rstrip("0").rstrip(".")


def write_all(*sketches: Sketch) -> None:
    """Writes the drawings into the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit(f"{sys.argv[0]}: expected a folder, to write its drawings into")
    for sketch in sketches:
        Path(sys.argv[1], f"{sketch.name}.svg").write_text(sketch.source(), encoding="utf-8")

"""Turns gnuplot's SVG into one for a page: with named colours, a title and a description, without a fixed size.

gnuplot's file is parsed into lines, areas, marks and texts, and written again from these; nothing is passed through.
"""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from html import escape

try:
    from . import labels
except ImportError:  # run as a script
    import labels

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


class SvgError(Exception):
    """A figure that cannot be themed; the text is one line."""


@dataclass
class Line:
    """A stroked path: polylines in user units."""

    runs: list
    colour: str
    width: float
    dash: str

    def segments(self):
        """The straight pieces that labels should not cover; the grid is not among them, because it is behind the labels."""
        return [pair for run in self.runs for pair in zip(run, run[1:])] if self.colour != "grid" else []

    def element(self):
        path = "".join("M" + "L".join(f"{number(x)},{number(y)}" for x, y in run) for run in self.runs)
        dash = f' stroke-dasharray="{self.dash}"' if self.dash else ""
        return f'<path class="s-{self.colour}" stroke-width="{number(self.width)}"{dash} d="{path}"/>'


@dataclass
class Area:
    """A filled polygon, such as a band of spread."""

    corners: list
    colour: str
    opacity: str

    def element(self):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in self.corners)
        return f'<polygon class="f-{self.colour}" fill-opacity="{self.opacity}" points="{points}"/>'


@dataclass
class Mark:
    """A point's marker; lengths in user units."""

    shape: int  # gnuplot's point type
    x: float
    y: float
    radius: float
    colour: str

    # gnuplot's hollow point types, each followed by its filled version; None is a circle.
    SHAPES = {
        4: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        6: None,
        8: ((0, -1.33), (-1.33, 0.8), (1.33, 0.8)),
        10: ((0, 1.33), (-1.33, -0.8), (1.33, -0.8)),
        12: ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)),
        14: ((0, -1.7), (0.42, -0.58), (1.62, -0.53), (0.68, 0.22), (1, 1.38), (0, 0.72), (-1, 1.38), (-0.68, 0.22),
             (-1.62, -0.53), (-0.42, -0.58)),  # a star
    }

    def outline(self):
        hollow = self.shape in self.SHAPES
        outline = self.SHAPES.get(self.shape if hollow else self.shape - 1, ())
        if outline == ():
            raise SvgError(f"point type {self.shape} is none of those that style.gp uses")
        return hollow, outline

    def box(self):
        """The area that it covers, plus two units, the width of the seam around a label."""
        xs, ys = zip(*(self.outline()[1] or ((-1, -1), (1, 1))))
        left, right = self.x + min(xs) * self.radius - 2, self.x + max(xs) * self.radius + 2
        top, bottom = self.y + min(ys) * self.radius - 2, self.y + max(ys) * self.radius + 2
        return [(left, top), (right, top), (right, bottom), (left, bottom)]

    def element(self):
        hollow, outline = self.outline()
        style = f'class="s-{self.colour} f-paper" stroke-width="1.6"' if hollow else f'class="f-{self.colour}"'
        if outline is None:
            return f'<circle {style} cx="{number(self.x)}" cy="{number(self.y)}" r="{number(self.radius)}"/>'
        corners = " ".join(f"{number(self.x + a * self.radius)},{number(self.y + b * self.radius)}" for a, b in outline)
        return f'<polygon {style} points="{corners}"/>'


@dataclass
class Text:
    string: str
    x: float
    y: float
    angle: float
    anchor: str
    size: float
    colour: str
    role: str  # the font's name: tells whether and how this label may move, or that it belongs to the legend; see style.gp

    def element(self):
        turn = f' transform="rotate({number(self.angle)} {number(self.x)} {number(self.y)})"' if self.angle else ""
        anchor = f' text-anchor="{self.anchor}"' if self.anchor != "start" else ""
        place = f'x="{number(self.x)}" y="{number(self.y)}"'
        along_a_slope = self.role == labels.ALONG and self.angle  # a seam would cut into the line
        bare = " bare" if self.role == "bare" or along_a_slope else ""
        return f'<text class="f-{self.colour}{bare}" {place}{anchor}{turn}>{escape(self.string, quote=False)}</text>'


KEY_LEFT, KEY_MARK, KEY_GAP, KEY_ROW = 2, 20, 20, 27  # in units: before a row, for a marker, between entries, between rows


def legend(entries, width):
    """Arranges the entries of a legend, texts whose role is "key" and a point type, in rows that end above the figure. Returns
    their markers, and the height of the rows."""
    rows = rows_within(entries, width)
    for narrower in range(int(width), 0, -10):  # else the last row may have a single entry
        if len(tried := rows_within(entries, narrower)) > len(rows):
            break
        rows = tried
    marks, high = [], KEY_ROW * len(rows) if entries else 0
    for number_of_row, row in enumerate(rows):
        y = KEY_ROW * (number_of_row + 0.5) - high
        for entry, shape, x in row:
            entry.x, entry.y, entry.anchor = x + (KEY_MARK if shape else 0), y + 0.325 * entry.size, "start"
            if shape:
                marks.append(Mark(shape, x + 7, y, 5.4, entry.colour))
    return marks, high


def rows_within(entries, width):
    """The rows that fit into a width: the entries, their shapes and where they begin."""
    rows, x = [[]], KEY_LEFT
    for entry in entries:
        shape = int(entry.role.removeprefix("key"))
        wide = (KEY_MARK if shape else 0) + labels.text_width(entry.string, entry.size)
        if rows[-1] and x + wide > width:
            rows.append([])
            x = KEY_LEFT
        rows[-1].append((entry, shape, x))
        x += wide + KEY_GAP
    return rows


def number(value):
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def colour_names(style):
    """{"#c0de01": "ink", …} from press/pictures/plot/style.gp."""
    return {code.lower(): name for name, code in re.findall(r'^(\w+)\s*=\s*"(#[0-9a-fA-F]{6})"', style, re.M)}


def palettes(css):
    """The light and the dark colours, {"ink": "#1f2328", …} each, from site/press/static/figures.css."""
    pairs = re.findall(r"--hf-(\w+): var\(--hf-light, (#[0-9a-fA-F]{6})\) var\(--hf-dark, (#[0-9a-fA-F]{6})\);", css)
    return {name: light for name, light, _ in pairs}, {name: dark for name, _, dark in pairs}


class Reader:
    """Reads the SVG that gnuplot 5 and 6 write."""

    def __init__(self, names):
        self.names = names
        self.items = []

    def read(self, source):
        try:
            root = ElementTree.fromstring(source)
        except ElementTree.ParseError as error:
            raise SvgError(f"gnuplot's SVG cannot be read ({error}); draw it again") from None
        self.canvas = tuple(float(v) for v in root.get("viewBox").split()[2:])
        self._walk(root, {"stroke-width": "1"})
        return self

    def _walk(self, element, inherited):
        here = {**inherited, **element.attrib}
        tag = element.tag.replace(SVG, "")
        if tag == "defs":
            return
        if tag == "path":
            self._line(here, element.get("d", ""))
        elif tag == "polygon":
            self._area(here)
        elif tag == "use":
            self._mark(here)
        elif tag == "text":
            self._text(here, "".join(element.itertext()))
        for child in element:
            self._walk(child, here)

    def _colour(self, text):
        rgb = re.match(r"rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)", text)
        code = "#{:02x}{:02x}{:02x}".format(*map(int, rgb.groups())) if rgb else text.lower()
        if code not in self.names:
            raise SvgError(f"colour {code} has no name in style.gp; use one of {', '.join(self.names.values())}")
        return self.names[code]

    def _line(self, here, path):
        runs = []
        for command, x, y in re.findall(r"([ML])\s*(-?[\d.]+),(-?[\d.]+)", path):
            point = (float(x), float(y))
            if command == "M" or not runs:
                runs.append([point])
            elif point != runs[-1][-1]:
                runs[-1].append(point)
        runs = [run for run in runs if len(run) > 1]
        if runs:
            dash = here.get("stroke-dasharray", "").strip()
            self.items.append(Line(runs, self._colour(here["stroke"]), float(here["stroke-width"]), dash))

    def _area(self, here):
        corners = [tuple(map(float, pair.split(","))) for pair in here["points"].split()]
        self.items.append(Area(corners, self._colour(here["fill"]), here.get("fill-opacity", "1")))

    def _mark(self, here):
        if here.get(HREF) == "#gpDot":
            return  # gnuplot 6 writes this for a vector without length; gnuplot 5 writes nothing
        shape = re.match(r"#gpPt(\d+)", here.get(HREF, ""))
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\) scale\(([\d.]+)\)", here.get("transform", ""))
        if not shape or not place:
            raise SvgError("a marker in gnuplot's SVG has an unknown form; this needs gnuplot 5.4 or newer")
        x, y, radius = map(float, place.groups())
        self.items.append(Mark(int(shape[1]) + 1, x, y, radius, self._colour(here["color"])))

    def _text(self, here, string):
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\)(?: rotate\((-?[\d.]+)\))?", here["transform"])
        if string.strip():
            text = Text(string.strip(), float(place[1]), float(place[2]), float(place[3] or 0), here["text-anchor"],
                        float(here["font-size"]), self._colour(here["fill"]), here["font-family"])
            if not (text.role.startswith("key") and text in self.items):  # each panel repeats the legend
                self.items.append(text)


def stylesheet(used, light, dark):
    """Rules for the classes that are used. Inline, the page's variables apply; `svg:root` matches only in the bare file."""
    rules = [".hf-figure path{fill:none;stroke-linejoin:round}",
             ".hf-figure text{font-size:18px;font-variant-numeric:tabular-nums;"
             f"paint-order:stroke;stroke-linejoin:round;stroke:var(--hf-paper,{light['paper']});stroke-width:4px}}",
             ".hf-figure text.f-paper,.hf-figure text.bare{stroke:none}"]
    for kind, name in sorted(used):
        paint = "stroke" if kind == "s" else "fill"
        rules.append(f".hf-figure .{kind}-{name}{{{paint}:var(--hf-{name},{light[name]})}}")
    night = ";".join(f"--hf-{name}:{dark[name]}" for name in sorted({name for _, name in used} | {"paper"}))
    rules.append(f"svg:root{{font-family:'Source Serif 4','Source Serif Pro',Georgia,serif;"
                 f"background:var(--hf-paper,{light['paper']})}}")
    rules.append(f"@media (prefers-color-scheme:dark){{svg:root{{{night}}}}}")
    return "<style>" + "".join(rules) + "</style>"


def inline(figure):
    """A figure without its own rules, which a page has in static/figures.css, and without the comment on its sources."""
    return re.sub(r"<style>.*?</style>\n|<!--.*?-->\n", "", figure, flags=re.S)


def themed(source, name, title, description, style, css):
    """gnuplot's SVG `source` as one that follows the page; `name` makes its ids unique on a page of many figures.

    `style` and `css` are the texts of plot/style.gp and site/press/static/figures.css. Raises SvgError.
    """
    reader = Reader(colour_names(style)).read(source)
    items, (width, height) = reader.items, reader.canvas
    of_type = lambda kind: [item for item in items if isinstance(item, kind)]
    entries = [text for text in of_type(Text) if text.role.startswith("key")]
    words = [text for text in of_type(Text) if text not in entries]
    leaders = labels.place(words, of_type(Mark), of_type(Line), (width, height))
    keys, above = legend(entries, width)
    items = [Line([leader], "quiet", 0.8, "") for leader, _ in leaders] + items + keys
    items.sort(key=lambda item: isinstance(item, Text))  # text is drawn on top
    body = "\n".join(item.element() for item in items)
    light, dark = palettes(css)
    used = set(re.findall(r"\b([sf])-(\w+)\b", " ".join(re.findall(r'class="([^"]*)"', body))))
    missing = [colour for _, colour in sorted(used) if colour not in light or colour not in dark]
    if missing:
        raise SvgError(f"colour {missing[0]} is in style.gp but not in figures.css; give it a light and a dark value")
    prefix = "hf-" + re.sub(r"[^a-z0-9]+", "-", name.lower())
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="hf-figure" translate="no" '
            f'viewBox="0 {number(-above)} {number(width)} {number(height + above)}" role="img" '
            f'aria-labelledby="{prefix}-title {prefix}-desc">\n'
            f'<title id="{prefix}-title">{escape(title, quote=False)}</title>\n'
            f'<desc id="{prefix}-desc">{escape(description, quote=False)}</desc>\n'
            f"{stylesheet(used, light, dark)}\n{body}\n</svg>\n")

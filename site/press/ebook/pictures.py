"""An SVG of a page as a file with plain colours, and the <img> in its place. E-readers have no variables in their styles, some
have none in SVG at all, and at night they turn a page's colours around but not a picture's: so each picture has its paper."""

import re
from pathlib import Path
from xml.etree import ElementTree

SHAPES = {"path", "line", "polyline", "polygon", "rect", "circle", "ellipse"}
TINTS = {"ink": .07}  # of t-COLOUR, as in drawings.css
TINT = .22
WIDTHS = {"thin": ".8", "thick": "3"}
SIZES = {"hf-figure": "18", "hf-drawing": "16.5"}
TEXT = {"big": {"font-size": "20"}, "bold": {"font-weight": "700"}, "mid": {"text-anchor": "middle"},
        "end": {"text-anchor": "end"}, "mono": {"font-family": "monospace"}}
SCRIPTS = re.compile(r"data-|aria-|role$|translate$|id$")  # attributes for scripts and for pages


def colours(css: str) -> dict[str, str]:
    """{name: "#rrggbb"} on a light page, from figures.css, but on white paper; a name may stand for another one."""
    found = dict(re.findall(r"--hf-(\w+): var\(--hf-light, (#[0-9a-fA-F]{6})\)", css))
    others = re.findall(r"--hf-(\w+): var\(--hf-(\w+)\);", css)
    return found | {name: found[of] for name, of in others if of in found} | {"paper": "#ffffff"}


def mixed(colour: str, paper: str, share: float) -> str:
    """A tint: `share` of the colour on paper."""
    pairs = ((int(colour[at:at + 2], 16), int(paper[at:at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


class Pictures:
    """Writes the pictures of a book; equal ones once."""

    def __init__(self, folder: Path, palette: dict[str, str]) -> None:
        self.folder, self.palette = folder, palette
        self.names: dict[str, str] = {}

    def replace(self, svg: ElementTree.Element, page: str) -> ElementTree.Element:
        """Writes an SVG to a file. Returns its <img>; its words are for readers who can't see it, or devices that can't draw
        it."""
        classes = svg.get("class", "").split()
        said = [" ".join((part.text or "").split()) for name in ("title", "desc") if (part := svg.find(name)) is not None]
        alt = "" if svg.get("aria-hidden") == "true" else ": ".join(filter(None, said))
        text = ElementTree.tostring(self.painted(svg, classes), encoding="unicode")
        if text not in self.names:
            self.names[text] = f"{page}-{len(self.names) + 1}.svg"
            (self.folder / "pictures").mkdir(exist_ok=True)
            (self.folder / "pictures" / self.names[text]).write_text(text, encoding="utf-8")
        small = "hf-mark-of" in classes
        return ElementTree.Element("img", {"src": f"pictures/{self.names[text]}", "alt": alt,
                                           "class": "mark" if small else "picture"})

    def painted(self, svg: ElementTree.Element, classes: list[str]) -> ElementTree.Element:
        """A copy with attributes in place of classes, and without what is hidden."""
        kind = next((name for name in SIZES if name in classes), "hf-figure")
        left, top, width, height = map(float, svg.get("viewBox").split())
        root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": svg.get("viewBox"),
                                           "width": f"{width:g}", "height": f"{height:g}", "font-family": "serif"})
        ElementTree.SubElement(root, "rect", {"x": f"{left:g}", "y": f"{top:g}", "width": f"{width:g}",
                                              "height": f"{height:g}", "fill": self.palette["paper"]})
        self.copy(svg, root, kind)
        return root

    def copy(self, source: ElementTree.Element, target: ElementTree.Element, kind: str) -> None:
        for element in source:
            classes = element.get("class", "").split()
            if element.tag in ("style", "title", "desc") or "hf-off" in classes:
                continue
            attributes = {name: value for name, value in element.attrib.items() if name != "class" and not SCRIPTS.match(name)}
            attributes |= self.look(element.tag, classes, kind)
            if element.tag == "text" and kind == "hf-figure" and not {"bare", "f-paper"} & {*classes}:
                # The seam around a word is a copy below it: not every device paints strokes first.
                seam = {**attributes, "fill": "none", "stroke": self.palette["paper"], "stroke-width": "4",
                        "stroke-linejoin": "round"}
                self.fill(element, ElementTree.SubElement(target, "text", seam), kind)
            self.fill(element, ElementTree.SubElement(target, element.tag, attributes), kind)

    def fill(self, element: ElementTree.Element, copy: ElementTree.Element, kind: str) -> None:
        copy.text, copy.tail = element.text, "\n" if element.tag not in ("tspan",) else element.tail
        self.copy(element, copy, kind)

    def look(self, tag: str, classes: list[str], kind: str) -> dict[str, str]:
        """The attributes that stand for the rules of figures.css and drawings.css."""
        look = {}
        if tag == "path" or (tag in SHAPES and kind == "hf-drawing"):
            look |= {"fill": "none", "stroke-linejoin": "round"}
        if tag in SHAPES and kind == "hf-drawing":
            width = next((width for name, width in WIDTHS.items() if name in classes), "1.5")
            look |= {"stroke-width": width, "stroke-linecap": "round"}
        if tag == "text":
            look |= {"font-size": SIZES[kind], "fill": self.palette["ink"]}
        for name in classes:
            paint, _, colour = name.partition("-")
            if name == "dashed":
                look["stroke-dasharray"] = "5 5"
            elif tag in ("text", "tspan") and name in TEXT:
                look |= TEXT[name]
            elif colour in self.palette and paint in ("s", "f"):
                look[{"s": "stroke", "f": "fill"}[paint]] = self.palette[colour]
            elif colour in self.palette and paint == "t":
                look["fill"] = mixed(self.palette[colour], self.palette["paper"], TINTS.get(colour, TINT))
        return look

"""Puts each figure of a chapter into a box with the text around it, class hf-scene: on a wide page, site.css has the figure
beside that text, where it stays while the text passes. A figure with little text around it has no box, so it has its place in
the column of text."""

import math
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

# Pixels: of a line and of the letters in it, of prose, code and captions, and of what is around them. They need not be exact.
PROSE, CODE, CAPTION = (29, 66), (19, 84), (24, 90)
AROUND, FOLD, QUESTION = 18, 60, 120
PICTURE, GROWN = 467, 640  # the width of a picture, and if it grows
SHORTEST, HIGHEST = 150, 720  # of the text of a scene; of a figure that stays
EMPTY = 200  # at most, of the column of text beside a figure
TALL = 660  # a picture that would be taller doesn't grow, because it must fit a laptop's screen


class Scenes(SphinxPostTransform):
    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for section in list(self.document.findall(nodes.section)):
            done = 0  # nodes before this place have a scene, or none
            for figure in [node for node in section if is_figure(node)]:
                figure["classes"] += ["hf-tall"] * is_tall(figure)
                scene = scene_of(figure, section[done:])
                done = section.index(scene[-1]) + 1
                if sum(map(height, scene)) - height(figure) >= max(SHORTEST, height(figure) - EMPTY):
                    done -= len(scene) - 1
                    put_into_box(section, scene)
                    figure["classes"] += ["hf-stays"] * (height(figure) <= HIGHEST)


def is_figure(node: nodes.Node) -> bool:
    return isinstance(node, nodes.figure) and bool({"hf-lab-figure", "hf-drawn"} & {*node["classes"]})


def scene_of(figure: nodes.figure, around: list[nodes.Node]) -> list[nodes.Node]:
    """A figure with the text before it, up to its height, and the text after it: all, or if another figure follows, as much as
    its height has room for."""
    at, room = around.index(figure), height(figure)
    first = at
    while first and is_text(around[first - 1]) and (first == at or height(around[first - 1]) <= room):
        first -= 1
        room -= height(around[first])
    others = [place for place in range(at + 1, len(around)) if not is_text(around[place])]
    last, end = at + 1, others[0] if others else len(around)
    alone = not (others and is_figure(around[end]))
    while last < end and (alone or height(around[last]) <= room):
        room -= height(around[last])
        last += 1
    return around[first:last]


def is_text(node: nodes.Node) -> bool:
    folded = "collapsible" in getattr(node, "attributes", ())
    return folded or not (isinstance(node, (nodes.section, nodes.title)) or next(node.findall(nodes.figure), None))


def put_into_box(section: nodes.section, scene: list[nodes.Node]) -> None:
    at = section.index(scene[0])
    for node in scene:
        section.remove(node)
    section.insert(at, nodes.container("", *scene, classes=["hf-scene"]))


def height(node: nodes.Node) -> float:
    if is_figure(node):
        return of_figure(node)
    if "collapsible" in getattr(node, "attributes", ()):
        return FOLD
    line, letters = CODE if next(node.findall(nodes.literal_block), None) else PROSE
    whole = sum(line * math.ceil(len(words) / letters) for words in node.astext().splitlines())
    return (AROUND + whole if whole else 0) + QUESTION * ("hf-predict" in getattr(node, "attributes", {}).get("classes", ()))


def of_figure(figure: nodes.figure) -> float:
    """The height of a picture and of the caption below it."""
    ratio = slope(figure)
    if not ratio:
        return FOLD
    line, letters = CAPTION
    lines = math.ceil(len(next(figure.findall(nodes.caption)).astext()) / letters)
    return (PICTURE if is_tall(figure) else GROWN) * ratio + line * lines + FOLD


def is_tall(figure: nodes.figure) -> bool:
    return GROWN * slope(figure) > TALL


def slope(figure: nodes.figure) -> float:
    """The height of a picture over its width; 0 if it is pending."""
    drawn = "".join(raw.astext() for raw in figure.findall(nodes.raw))
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', drawn)
    return float(box[2]) / float(box[1]) if box else 0


def add_to(app: Sphinx) -> None:
    app.add_post_transform(Scenes)

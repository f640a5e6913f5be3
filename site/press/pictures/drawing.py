"""{drawing}: a drawing of an idea. The SVG from drawings/NN-slug.py is inline in the page, so that it follows its colours.

    ```{drawing} 01-swap
    :name: fig-swap
    :script: NAME                              optional; the files in web/assets.py for hf-NAME add controls for the reader
    The takeaway, one paragraph.
    ```

The script of the drawing's chapter draws it into build/drawings/NN-slug/, if the script or sketch.py has changed.

The SVG describes itself in <title> and <desc>, and uses the classes in static/drawings.css. Its own ids and @keyframes
begin with hf-NN-name, the selectors of its <style> with .hf-NN-name. It contains no scripts and loads nothing.

A drawing with steps has attributes at its root: data-first="1" data-last="21" data-at="1" data-unit="warps", optionally
data-pace in milliseconds. An element with data-from, data-to or both is visible only in those steps. The root may also have,
or have instead, data-says="a sentence|for each|step", shown below the slider. An element with data-places="x,y x,y …" is
shifted by these amounts, one for each step; the last applies to all further steps. static/steps.js adds a slider and a
button. Without scripts and on paper, step data-at is shown.

{step}`the words <fig-swap 3>` in prose show step 3 of the drawing in figure fig-swap when the reader points at them or presses
them; in a drawing's own takeaway, {step}`the words <3>`.
"""

import html
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole
from sphinx.writers.html5 import HTML5Translator

from ..domain import PressDomain, press
from ..measurements.record import RecordError
from ..measurements.records import Records
from ..page.notice import NoticeDirective
from ..web.assets import OF_CLASS, named_with_digests
from .gnuplot import content_digest
from .lab_figure import lab_of, takeaway

SVG = "http://www.w3.org/2000/svg"
TAGS = {"svg", "title", "desc", "style", "g", "defs", "clipPath", "use", "path", "rect", "circle", "ellipse", "line",
        "polyline", "polygon", "text", "tspan"}
DRAWN, STEPPED = "hf-drawn", "hf-stepped"
SECONDS = 60  # for a script


class DrawingError(RecordError):
    """A drawing that can't be put on a page; the text is one line."""


class words_of_step(nodes.inline):
    """Words that show a step of a drawing: `step`, and `of`, the name of its figure, empty in the figure itself."""


class WordsOfStep(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.Node]]:
        found = re.fullmatch(r"(.+) <(?:(\S+) )?(\d+)>", self.text, re.S)
        if not found:
            return [], [self.inliner.reporter.error(f"{{step}} needs words <figure step>, not: {self.text}", line=self.lineno)]
        words, figure, step = found.groups()
        return [words_of_step("", words, of=figure or "", step=step)], []


def visit_words_of_step(translator: HTML5Translator, node: words_of_step) -> None:
    data = {"data-of": node["of"], "data-step": node["step"]}
    translator.body.append(translator.starttag(node, "span", "", CLASS="hf-step", **data))


def depart_words_of_step(translator: HTML5Translator, _: words_of_step) -> None:
    translator.body.append("</span>")


class Drawing(NoticeDirective):
    """A figure whose picture is the drawing NAME."""

    required_arguments = 1
    has_content = True
    option_spec = {"name": directives.unchanged, "script": directives.unchanged}
    subject = "Drawing {0}: "

    def show(self) -> list[nodes.Node]:
        picture = noted(press(self.env), self.arguments[0])
        if later := named_with_digests(self.options.get("script", "")):
            picture.set("data-scripts", later)  # for live.js
        figure = nodes.figure("", nodes.raw("", as_html(picture), format="html"), classes=[DRAWN])
        if "data-last" in picture.attrib:
            figure["classes"].append(STEPPED)
        if "script" in self.options:
            figure["classes"].append(script_class(self.options["script"]))
        figure += takeaway(self)
        self.add_name(figure)
        return [figure]


def script_class(name: str) -> str:
    """The class that assets.py has files for, for `:script:`; DrawingError if there is none."""
    if (of_script := f"hf-{name}") not in OF_CLASS:
        raise DrawingError(f":script: {name} is unknown; add hf-{name} with press.assets.also()")
    return of_script


def noted(domain: PressDomain, name: str) -> ElementTree.Element:
    """The drawing, for the page being read; notes that the page depends on the drawing's sources."""
    for file in inputs(domain.records, name):
        domain.note_file(file)
    return read(drawn(domain.records, name))


def inputs(records: Records, name: str) -> tuple[Path, Path]:
    """The sources of a drawing: its chapter's script and the modules that it draws with. RecordError if no lab has its
    number."""
    folder = records.root / "drawings"
    return folder / f"{lab_of(name, records.labs())}.py", folder / "sketch.py"


def drawn(records: Records, name: str) -> Path:
    """The drawing's SVG from its current script; DrawingError if that fails."""
    script, sketch = inputs(records, name)
    folder = records.build / "drawings" / script.stem
    key, now = folder / "key", f"{content_digest(script)} {content_digest(sketch)}"
    if not key.exists() or key.read_bytes() != now.encode():
        shutil.rmtree(folder, ignore_errors=True)  # with drawings that no longer exist
        folder.mkdir(parents=True)
        draw(script, folder)
        key.write_text(now, encoding="utf-8")
    svg = folder / f"{name}.svg"
    if not svg.exists():
        raise DrawingError(f"drawings/{script.name} does not draw it: add it there, or correct its name")
    return svg


def draw(script: Path, folder: Path) -> None:
    """Runs a script, which writes its drawings into a folder; DrawingError, with the line, if it fails."""
    if not script.exists():
        raise DrawingError(f"drawings/{script.name} is missing: write it, or correct the drawing's name")
    try:
        result = subprocess.run([sys.executable, script, folder], capture_output=True, encoding="utf-8", errors="replace",
                                stdin=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise DrawingError(f"drawings/{script.name} did not finish in {SECONDS} s: look for a loop") from None
    if result.returncode:
        line = re.findall(rf'{re.escape(script.name)}", line (\d+)', result.stderr)[-1:]
        said = result.stderr.strip().splitlines() or [f"status {result.returncode}"]
        raise DrawingError(f"{':'.join([f'drawings/{script.name}', *line])}: {said[-1]}; correct it, or sketch.py")


def read(path: Path) -> ElementTree.Element:
    """The drawing, ready for a page with other drawings. Raises DrawingError, which names what is not ready."""
    try:
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    except ElementTree.ParseError as error:
        raise DrawingError(f"{path.name} is not well-formed: {error}") from None
    own = f"hf-{path.stem}"
    for problem in problems(root, own):
        raise DrawingError(f"{path.name}: {problem}")
    for part in ("title", "desc"):
        root.find(f"{{{SVG}}}{part}").set("id", f"{own}-drawn-{part}")  # a figure may have the same name
    root.set("class", f"hf-drawing {own}")
    root.set("role", "img")
    root.set("aria-labelledby", f"{own}-drawn-title {own}-drawn-desc")
    stand_at_first_step(root)
    return root


def problems(root: ElementTree.Element, own: str):
    """Yields, in words, what could affect anything outside the drawing, and what the drawing lacks."""
    for part in ("title", "desc"):
        found = root.find(f"{{{SVG}}}{part}")
        if found is None or not (found.text or "").strip():
            yield f"needs a <{part}> with words, directly below <svg>"
    if not root.get("viewBox", "").startswith("0 0 ") or "width" in root.attrib or "height" in root.attrib:
        yield 'needs a viewBox that begins at 0 0, and no width or height at its root'
    for element in root.iter():
        tag = element.tag.replace(f"{{{SVG}}}", "")
        if tag not in TAGS:
            yield f"<{tag}> is not allowed in a drawing; use {', '.join(sorted(TAGS))}"
        for attribute, value in element.attrib.items():
            if attribute.lower().startswith("on"):
                yield f"{attribute} would run a script: remove it"
            if re.search(r"url\((?!#)|\w+://|data:|javascript:", value) or ("href" in attribute and value[:1] != "#"):
                yield f'{attribute}="{value}" refers to something elsewhere: draw it here'
            if attribute == "id" and not value.startswith(own):
                yield f'id "{value}" may clash with another drawing: begin it with {own}'
        if tag == "style":
            yield from style_problems(element.text or "", own)
    first, last, at = (root.get(f"data-{name}") for name in ("first", "last", "at"))
    words = root.get("data-says", root.get("data-unit"))
    if last and not (first and at and words and int(first) <= int(at) <= int(last)):
        yield "steps need data-first, data-at and data-last in this order, and data-unit or data-says"
    elif root.get("data-says") and len(root.get("data-says").split("|")) != int(last or 0) - int(first or 0) + 1:
        yield "data-says needs a sentence for each step, with | between them"


def style_problems(css: str, own: str):
    """Yields what in a drawing's <style> would affect the rest of the page."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    if re.search(r"@import|@font-face|url\(|://", css):
        yield "its <style> loads something from elsewhere: remove that"
    for head in re.findall(r"([^{};]+)\{", css):
        head = head.strip()
        if head.startswith("@keyframes"):
            if not head.split()[1].startswith(own):
                yield f'"{head}" may clash with another drawing: begin its name with {own}'
        elif not head.startswith("@media"):
            for selector in head.split(","):
                if not re.match(rf"\.{own}\b|from$|to$|[\d.]+%$", selector.strip()):
                    yield f'the selector "{selector.strip()}" applies to the whole page: begin it with .{own}'


def stand_at_first_step(root: ElementTree.Element) -> None:
    """Shows the step data-at until a script changes it: hides parts of other steps, and moves what moves to its place."""
    at = int(root.get("data-at", 0))
    for element in root.iter():
        if not int(element.get("data-from", at)) <= at <= int(element.get("data-to", at)):
            element.set("class", f"{element.get('class', '')} hf-off".strip())
        if places := element.get("data-places", "").split():
            place = places[min(at - int(root.get("data-first", 0)), len(places) - 1)]
            element.set("transform", f"translate({place})")


def as_html(picture: ElementTree.Element) -> str:
    ElementTree.register_namespace("", SVG)
    picture.set("translate", "no")
    svg = ElementTree.tostring(picture, encoding="unicode")
    if "data-last" not in picture.attrib:
        return svg
    return with_steps(svg, picture.get("data-says", ""), int(picture.get("data-at")) - int(picture.get("data-first")))


def with_steps(svg: str, says: str, now: int) -> str:
    """A drawing, space for its slider, so that the page doesn't shift when scripts load, and its sentences, whose first words
    are bold if a colon follows them."""
    bold = lambda words: re.sub(r"^([^:.]+):", r"<b>\1:</b>", html.escape(words, quote=False))
    off = ' class="hf-off"'
    sentences = "".join(f"<p{'' if step == now else off}>{bold(words)}</p>"
                        for step, words in enumerate(says.split("|")) if says)
    told = f'<div class="hf-says" aria-live="polite">{sentences}</div>\n' if says else ""
    return f'{svg}\n<div class="hf-steps"></div>\n{told}'


def add_to(app: Sphinx) -> None:
    app.add_directive("drawing", Drawing)
    app.add_role("step", WordsOfStep())
    app.add_node(words_of_step, html=(visit_words_of_step, depart_words_of_step))

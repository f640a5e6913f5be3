"""The front page. {front-figure}: one figure, without the lines below it in its chapter. {own-misses}: how wrong a machine's
predictions were. {book-in-numbers}: a dot for each of the reader's guesses (front-page.js) and one for each of the book's
predictions, then the numbers of processors and claims. {chapter-cards}: a card for each chapter, with its picture and its
question. A container hf-headline becomes the page's headline, in place of the book's title, which is in the header.

    ```{front-figure} 01-speed
    :lab: 01-sorting                           optional; the lab with the figure's number
    :name: front-speed                         optional
    ```

    ```{chapter-cards}
    ```
"""

import re
from collections import Counter

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from ..domain import press
from ..measurements.claims_ledger import entries
from ..measurements.outcomes import OCTAVES, Outcome, missed, percent, tally
from ..measurements.predictions_page import axis, outcomes_of, strip
from ..measurements.record import Machine, Record, RecordError
from ..pictures import drawing as drawings
from ..pictures import gnuplot
from ..pictures.lab_figure import drawn, lab_of
from ..reader.per_machine import for_each_machine
from .chapters import Chapter, chapter_files, read_chapter
from .links import machine_link, page_link
from .notice import NoticeDirective, counted

VIEW = re.compile(r'viewBox="([^"]*)"')
GRID_LINE = re.compile(r'class="s-grid"[^>]* d="M([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)"')
EDGE = 12  # around a plot, in units of the figure: half a mark and a line


class FrontFigure(NoticeDirective):
    """A figure and the machine that it was measured on."""

    required_arguments = 1
    option_spec = {"lab": directives.unchanged_required, "name": directives.unchanged}
    subject = "Figure {0}: "

    def show(self) -> list[nodes.Node]:
        figure = for_each_machine(self.env, lambda machine: self.of_machine(self.arguments[0], machine))
        box = nodes.figure("", *figure, classes=["hf-front-figure"])
        self.add_name(box)
        return [box]

    def of_machine(self, name: str, machine: Machine) -> list[nodes.Node]:
        record, svg = picture(self.env, name, machine, self.options.get("lab"))
        whose = press(self.env).records.machine_of(record)
        where = nodes.paragraph("", "", machine_link(whose.slug, whose.short), classes=["hf-front-machine"])
        return [nodes.raw("", svg, format="html"), where]


def own_outcomes(env: BuildEnvironment, machine: Machine) -> list[Outcome]:
    """All of a machine's predictions, as on the page Predictions."""
    domain = press(env)
    domain.note_all_labs()
    records = [record for lab in domain.records.labs() for record in domain.records.all(lab)[0]]
    return [outcome for record in records if record.slug == machine.slug for outcome in outcomes_of(domain, record.lab, record)]


class OwnMisses(SphinxDirective):
    """How wrong the chosen machine's predictions were, in one sentence; empty for a machine without predictions."""

    def run(self) -> list[nodes.Node]:
        return [nodes.container("", *for_each_machine(self.env, self.sentence), classes=["hf-front-misses"])]

    def sentence(self, machine: Machine) -> list[nodes.Node]:
        if not (own := own_outcomes(self.env, machine)):
            return []
        summary = tally(own)
        middle, worst = error(summary.median), error(summary.worst.miss)
        words = f" for this machine: half were off by at most {middle}, the worst by {worst}. "
        return [nodes.paragraph("", "", nodes.strong("", counted(summary.count, "prediction")), nodes.Text(words),
                                page_link("predictions", "See every miss"))]


class BookInNumbers(SphinxDirective):
    """The same predictions as a strip, then the numbers of processors and claims."""

    def run(self) -> list[nodes.Node]:
        domain = press(self.env)
        domain.note_all_labs()
        records = [record for lab in domain.records.labs() for record in domain.records.all(lab)[0]]
        claims = [each for lab in domain.records.labs() for each in entries(domain, lab)]
        states = Counter(each.state for each in claims)
        gpus = len({record.gpu for record in records} - {""})
        checked = nodes.paragraph("", "", nodes.Text("Checked on "),
                                  strong_link("machines", counted(len({record.cpu for record in records}), "processor")),
                                  nodes.Text(f" and {counted(gpus, 'GPU')}. Of " if gpus else ". Of "),
                                  strong_link("claims", counted(len(claims), "claim")),
                                  nodes.Text(f", {states['fails']} fail on at least one machine, and another "
                                             f"{states['close']} are too close to call on at least one."))
        return [nodes.container("", *for_each_machine(self.env, self.dots), checked,
                                classes=["hf-front-numbers", "hf-predictions"])]

    def dots(self, machine: Machine) -> list[nodes.Node]:
        if not (own := own_outcomes(self.env, machine)):
            return []
        yours = (f'<div class="hf-yours" data-octaves="{OCTAVES}" hidden><p>Your guesses: median miss <b></b>. '
                 f'The book’s predictions: {missed(tally(own).median)}.</p>{strip([])}</div>')
        legend = ("Each dot is one prediction. At 1× it was exact; to the right of 1×, the program took longer "
                  "than predicted; to the left, it was faster.")
        return [nodes.raw("", yours + strip(own, told=False) + axis(), format="html"), nodes.paragraph("", legend)]


def strong_link(page: str, words: str) -> nodes.Node:
    return page_link(page, nodes.strong("", words))


def error(miss: float) -> str:
    """"9%" for a miss that the page Predictions shows as 1.09×, "70×" for one above 2."""
    return percent(float(f"{miss:.3g}") - 1) if miss < 2 else missed(miss)


class ChapterCards(NoticeDirective):
    """All chapters, in order."""

    def run(self) -> list[nodes.Node]:
        domain = press(self.env)
        cards = nodes.container(classes=["hf-cards"])
        for path in chapter_files(domain.records.root / "chapters"):
            if path.stem in self.env.found_docs:  # a build may leave out pages
                domain.note_file(path)
                cards += self.card(read_chapter(path))
        return [cards]

    def card(self, chapter: Chapter) -> nodes.container:
        to_chapter = page_link(chapter.page, chapter.title)
        number = nodes.inline("", chapter.number, classes=["hf-card-number"])
        question = [nodes.paragraph("", chapter.question)] if chapter.question else []
        words = nodes.container("", nodes.paragraph("", "", number, nodes.Text(" "), to_chapter, classes=["hf-card-title"]),
                                *question,
                                nodes.paragraph("", counted(chapter.minutes, "minute"), classes=["hf-card-minutes"]),
                                classes=["hf-card-words"])
        return nodes.container("", *self.ornament(chapter), words, classes=["hf-chapter-card"])

    def ornament(self, chapter: Chapter) -> list[nodes.Node]:
        """The chapter's figure on each machine, or the part of its drawing that the card shows."""
        if not chapter.card:
            return []
        domain = press(self.env)
        script = domain.records.root / "figures" / f"{chapter.card}.gp"
        domain.note_file(script)
        try:
            if script.exists():
                return for_each_machine(self.env, lambda machine: [
                    nodes.raw("", small(picture(self.env, chapter.card, machine)[1]), format="html")])
            return [nodes.raw("", small(drawings.as_html(drawings.noted(domain, chapter.card)), chapter.crop), format="html")]
        except RecordError as error:
            other = "" if script.exists() else f"there is no figures/{script.name}, and "
            return [self.notice(f"the card of chapter {chapter.number}: {other}{error}")]


def picture(env: BuildEnvironment, name: str, machine: Machine, lab: str | None = None) -> tuple[Record, str]:
    """A figure for a machine's page: the record it is drawn from, and its SVG."""
    domain = press(env)
    records = domain.records
    lab = lab or lab_of(name, records.labs())
    script = records.root / "figures" / f"{name}.gp"
    domain.note_all_labs()  # and not this one: the page names the machine beside the figure, so it needs no banner
    try:
        for file in gnuplot.inputs(script):
            domain.note_file(file)
        needs = gnuplot.read_header(script)["needs"]
    except gnuplot.DrawError as error:
        raise RecordError(str(error).replace(f"{records.root}/", "")) from None
    record = records.choose(lab, machine, having=[("series", each) for each in needs])
    return record, drawn(records, script, record.path)


def small(svg: str, crop: str = "") -> str:
    """A figure, or a part of it, as an ornament: only its shapes, with ids of their own."""
    svg = svg[svg.index("<svg"):svg.index("</svg>") + len("</svg>")]
    svg = VIEW.sub(lambda view: f'viewBox="{crop or frame(svg, view[1])}"', svg, count=1)
    svg = re.sub(r"<(title|desc|text)\b.*?</\1>\s*", "", svg, flags=re.S)
    svg = re.sub(r' (role|aria-\w+)="[^"]*"', "", svg)
    svg = re.sub(r'(\bid="|url\(#|href="#)', r"\1card-", svg)
    svg = re.sub(r"\bhf-figure\b", "hf-thumb", svg).replace('class="hf-drawing', 'class="hf-thumb hf-drawing', 1)
    svg = svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
    return f'<div class="hf-figure">{svg}</div>'  # whose classes have the colours


def frame(svg: str, view: str) -> str:
    """The visible part of a figure without its words, as x, y, width and height: for a plot, the extent of the first panel's
    grid."""
    x, y, width, height = map(float, view.split())
    lines = [tuple(map(float, line)) for line in GRID_LINE.findall(svg)]
    if lines:
        x, right = min(line[0] for line in lines) - EDGE, max(line[2] for line in lines) + EDGE
        width = right - x
    upright = [line for line in lines if line[0] == line[2]]
    if upright:
        _, bottom, _, top = upright[0]
        y, height = top - EDGE, bottom - top + 2 * EDGE
    return f"{x:g} {y:g} {width:g} {height:g}"


class headline(nodes.General, nodes.TextElement):
    """A page's first heading, wherever on the page it is."""


def put_headline(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """doctree-resolved: makes the container hf-headline the page's heading in place of its title, which the contents has."""
    for box in [each for each in doctree.findall(nodes.container) if "hf-headline" in each["classes"]]:
        title = doctree.next_node(nodes.title)
        title.parent.remove(title)
        box.replace_self(headline("", "", *box[0].children, classes=box["classes"]))


def add_to(app: Sphinx) -> None:
    app.add_node(headline, html=(lambda self, node: self.body.append(self.starttag(node, "h1", "")),
                                 lambda self, node: self.body.append("</h1>\n")))
    app.connect("doctree-resolved", put_headline)
    app.add_directive("front-figure", FrontFigure)
    app.add_directive("own-misses", OwnMisses)
    app.add_directive("book-in-numbers", BookInNumbers)
    app.add_directive("chapter-cards", ChapterCards)

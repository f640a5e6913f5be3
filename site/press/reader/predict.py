"""{predict}: a question that the reader answers before the page does. {predictions-summary}: the reader's score.

    ```{predict} naive-share                   an id, unique on the page
    :value: naive_peak_share                   the answer, as id or lab/id; or :point: series/label or lab/series/label;
                                               or :answer: 766, which no machine measures
    :choices: memory < 1 | arithmetic >= 1     buttons, each with a bound: the first whose bound the value satisfies is right.
                                               No bounds if the :answer: is the words of a choice
    :range: 0.1 100                            or a slider over this range, logarithmic, or :linear:
    :style: percent                            or times, as in {measured}; range and bounds are in the displayed unit
    :unit: MB                                  of an :answer:, if it has one
    :reveals: fig-bandwidth caches-make-a-ladder     figures by :name:, claims by id, hidden until the reader answers; with
                                               fig-bandwidth.purple, only the marks of that colour
    :drawn: fig-bandwidth y * l1_gbs           where in a figure the reader's answer is drawn: on its x or y axis, or x2, y2 of
                                               the second panel; optionally multiplied by a value, or a value divided by it.
                                               The reader drags a dot to the answer there: beside the mark that is the answer,
                                               or "at" a place on the other axis; not in a plot that comes "later"
    :pending:                                  perhaps not measured on any machine yet
    The question. A container of class hf-predict-means in it appears below the answer.
    ```

    ```{predictions-summary}                   before the takeaway: how the reader's intuition moved
    ```

static/predict.js compares the reader's answer with the chosen machine's and keeps it in the browser; it is never sent.
Without scripts, the page shows the question and its answer.
"""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ..domain import press
from ..measurements.claims import SIGNS
from ..measurements.measured import split_target, value_quantity
from ..measurements.quantity import Quantity, grouped, quantity
from ..measurements.record import Machine, NotMeasured, Record, RecordError
from ..measurements.records import Records
from ..page.notice import NoticeDirective
from .per_machine import for_each_machine

ID = re.compile(r"[a-z][a-z0-9-]*")
DRAWN = re.compile(r"(\S+) ([xy]2?)(?: ([*/]) (\S+))?(?: (later)| at (.+))?")
CHOICE = re.compile(r"(.*?\S)(?:\s*(>=|<=|>|<)\s*(-?\d[\d.]*(?:e-?\d+)?))?")


class prediction(nodes.General, nodes.Element):
    """A question with its form and answers; `data` are its settings for the script."""


class predict_answer(nodes.General, nodes.TextElement):
    """A machine's answer in words; `data` is the same for the script."""


class script_controls(nodes.General, nodes.Element):
    """Buttons and other elements for the script, without the book's own words. `html` is written unchanged, and is XML,
    which an e-book needs."""


def hidden_in(doctree: nodes.document) -> Iterator[tuple[nodes.Element, str]]:
    """The nodes that reveal the answers to a page's questions, each with its question's name: the answers themselves, and
    everything hidden until the reader answers."""
    places = [(anchor, node) for node in doctree.findall(nodes.Element) for anchor in node.get("ids", ())]
    for box in doctree.findall(prediction):
        question = box["data"]["predict"]
        named = {name.partition(".")[0] for name in box["data"].get("reveals", "").split()}
        yield from ((answer, question) for answer in box.findall(predict_answer))
        yield from ((node, question) for anchor, node in places if named & {anchor, anchor.removeprefix("claim-")})


def data_attributes(node: nodes.Element) -> dict[str, str]:
    return {f"data-{name}": value for name, value in node["data"].items()}


def visit_prediction(self, node: prediction) -> None:
    self.body.append(self.starttag(node, "div", role="group", **{"aria-label": "Predict first"}, **data_attributes(node)))


def depart_prediction(self, node: prediction) -> None:
    self.body.append("</div>\n")


def visit_answer(self, node: predict_answer) -> None:
    self.body.append(self.starttag(node, "p", "", CLASS="hf-predict-answer", **data_attributes(node)))


def depart_answer(self, node: predict_answer) -> None:
    self.body.append("</p>\n")


def visit_controls(self, node: script_controls) -> None:
    self.body.append(node["html"])
    raise nodes.SkipNode


@dataclass(frozen=True)
class Answer:
    """The answer to a question: a number as the reader sees it, or a word; None if no machine has measured it."""

    value: float | str | None
    unit: str
    words: str


class Question(NoticeDirective):
    """The common part of all kinds of questions."""

    required_arguments = 1
    has_content = True
    kind = ""
    subject = "{name} {0}: "

    def show(self) -> list[nodes.Node]:
        return [self.question()]

    def box(self) -> prediction:
        """The question without its answers, with an id that is unique on the page."""
        name = self.arguments[0]
        if not ID.fullmatch(name):
            raise RecordError("an id has lower-case letters, digits and hyphens")
        if not self.content:
            raise RecordError("needs a body: the question")
        box = prediction(classes=["hf-predict"], ids=[f"predict-{name}"])
        if box["ids"][0] in self.state.document.ids:
            raise RecordError("another question on the page has this id")
        box["data"] = {"predict": f"{self.env.docname}/{name}", "kind": self.kind}
        if "reveals" in self.options:
            named = [name.partition(".") for name in self.options["reveals"].split()]
            box["data"]["reveals"] = " ".join(nodes.make_id(name) + dot + colour for name, dot, colour in named)
        self.state.document.note_explicit_target(box)
        box += nodes.container("", *self.parse_content_to_nodes(), classes=["hf-predict-question"])
        return box

    def each_machine(self, make: Callable[[Machine], nodes.Node]) -> list[nodes.Node]:
        return for_each_machine(self.env, lambda machine: [make(machine)])


class Predict(Question):
    """A question about a number, or with choices."""

    option_spec = {**dict.fromkeys(("value", "point", "answer", "choices", "range", "unit", "reveals", "drawn"),
                                   directives.unchanged_required),
                   "style": lambda style: directives.choice(style, ("percent", "times")),
                   "linear": directives.flag, "pending": directives.flag}

    def question(self) -> prediction:
        one_of(self.options, "value", "point", "answer")
        self.kind = one_of(self.options, "choices", "range")
        box = self.box()
        answers = self.each_machine(self.answer)
        if self.kind == "choices":
            box += form(buttons([words for words, _ in self.choices()]))
        else:
            low, high = self.range()
            scale = "linear" if "linear" in self.options else "logarithmic"
            unit = self.unit()
            box["data"].update(low=f"{low:g}", high=f"{high:g}", scale=scale, unit=unit)
            dragged = False
            if "drawn" in self.options:
                figure, axis, _, _, later, at = self.drawn()
                dragged = not later
                box["data"].update(figure=nodes.make_id(figure), axis=axis, **({"at": at} if dragged else {}))
            box += form(slider(end(low, unit), end(high, unit), exact(low, high, unit) if dragged else MOVE))
        box += answers
        for means in [each for each in box.findall(nodes.container) if "hf-predict-means" in each["classes"]]:
            means.parent.remove(means)
            box += means
        return box

    def answer(self, machine: Machine) -> predict_answer:
        """A machine's answer, in words and for the script: the number, or the number of the right choice."""
        answer = self.answer_of(machine)
        node = predict_answer("", answer.words, data={})
        if answer.value is not None and self.kind == "choices":
            right = self.right(answer.value)
            node["data"]["answer"] = str(right)
            if not isinstance(answer.value, str):  # the number alone doesn't tell which choice is right
                node.insert(0, nodes.Text(f"“{self.choices()[right][0]}” is right. "))
        elif answer.value is not None:
            node["data"]["answer"] = f"{answer.value:.6g}"
            node["data"].update(self.scale(machine))
        return node

    def drawn(self) -> tuple[str, ...]:
        """Where the answer is drawn: figure, axis, the conversion of the answer, "later", its place on the other axis."""
        if not (found := DRAWN.fullmatch(self.options["drawn"])):
            raise RecordError(":drawn: takes a figure, an axis and perhaps a value, as in: fig-speed y * l1_gbs")
        return found.groups(default="")

    def scale(self, machine: Machine) -> dict[str, str]:
        """The factor by which the reader's answer is multiplied to be drawn, or the number divided by it."""
        if "drawn" not in self.options or not (sign := self.drawn()[2]):
            return {}
        factor = self.drawn()[3]
        if not factor.isdecimal():
            lab, name = split_target(factor, self.env.docname)
            factor = press(self.env).records.choose(lab, machine, having=[("values", name)]).value(name)["value"]
        return {"times" if sign == "*" else "over": f"{float(factor):.6g}"}

    def answer_of(self, machine: Machine) -> Answer:
        if "answer" in self.options:
            return counted(self.options["answer"], self.options.get("unit", ""), self.kind == "choices")
        try:
            record, entry = self.entry(machine)
        except NotMeasured:
            if "pending" not in self.options:
                raise
            return Answer(None, "", "Not yet measured on any machine.")
        style = self.options.get("style", "")
        shown = value_quantity(entry, {style} - {""}, rescaled=self.kind == "choices")  # a slider's answer includes its unit
        spread = f" ({shown.spread})" if shown.spread else ""
        value, unit = entry["value"], {"percent": "%", "times": "×"}.get(style, "" if entry["unit"] == "1" else entry["unit"])
        return Answer(value * 100 if style == "percent" else value, unit,
                      f"{entry['kind'].capitalize()}{whose(press(self.env).records, record)}: {shown}{spread}.")

    def unit(self) -> str:
        """The slider's unit: that of the first machine with an answer."""
        machines = press(self.env).records.machines()
        return next((unit for machine in machines if (unit := self.answer_of(machine).unit)), "")

    def entry(self, machine: Machine) -> tuple[Record, dict]:
        """The value or the point with the answer, and its record."""
        domain = press(self.env)
        if "value" in self.options:
            lab, name = split_target(self.options["value"], self.env.docname)
            domain.note_lab(lab)
            record = domain.records.choose(lab, machine, having=[("values", name)])
            return record, record.value(name)
        path, _, label = self.options["point"].rpartition("/")
        lab, name = split_target(path, self.env.docname)
        domain.note_lab(lab)
        record = domain.records.choose(lab, machine, having=[("series", name)])
        series = record.series(name)
        point = next((each for each in series["points"] if each.get("label") == label), None)
        if point is None:
            raise RecordError(f'series "{name}" has no point "{label}"')
        return record, {**point, "id": name, "value": point["median"], "kind": series["kind"], "unit": series["y"]["unit"]}

    def choices(self) -> list[tuple[str, tuple[str, float] | None]]:
        """Each choice's words and its bound, as a sign and a number; None if it has no bound."""
        found = [CHOICE.fullmatch(each.strip()) for each in self.options["choices"].split("|")]
        if len(found) < 2 or not all(found):
            raise RecordError(":choices: takes two or more, as in: memory < 1 | arithmetic >= 1")
        return [(each[1], (each[2], float(each[3])) if each[2] else None) for each in found]

    def right(self, value: float | str) -> int:
        """The index of the first choice that is the answer, or whose bound the answer satisfies."""
        for number, (words, bound) in enumerate(self.choices()):
            if words == value if bound is None else not isinstance(value, str) and SIGNS[bound[0]][1](value, bound[1]):
                return number
        raise RecordError(f"none of its :choices: fits the answer, {value}")

    def range(self) -> tuple[float, float]:
        try:
            low, high = map(float, self.options["range"].split())
        except ValueError:
            low = high = 0
        if not low < high or ("linear" not in self.options and low <= 0):
            raise RecordError(":range: takes two numbers, the smaller first, both above zero unless it is :linear:")
        return low, high


def one_of(options: dict, *names: str) -> str:
    """The only option of these that is given."""
    given = [name for name in names if name in options]
    if len(given) != 1:
        raise RecordError(f"needs exactly one of {', '.join(f':{name}:' for name in names)}")
    return given[0]


def counted(text: str, unit: str, is_choice: bool) -> Answer:
    """An answer that is known without measuring."""
    try:
        value = float(text)
    except ValueError:
        if not is_choice:
            raise RecordError(f'its :answer: "{text}" is not a number') from None
        return Answer(text, "", f"The answer: {text}.")
    return Answer(value, unit, f"The answer: {quantity(value, unit or '1', exact=True)}.")


def whose(records: Records, record: Record) -> str:
    """Where something was measured, for a sentence after "measured"."""
    return f" on {records.machine_of(record).short}"


def form(controls: str) -> script_controls:
    """The buttons, and a place for the score; visible only if scripts run."""
    return script_controls(html=(
        f'<div class="hf-predict-form">{controls}<span class="hf-predict-skips">'
        '<button type="button" class="hf-predict-skip">Skip: show me</button>'
        '<button type="button" class="hf-predict-all">Skip all</button></span></div>\n'
        '<p class="hf-predict-score" role="status" tabindex="-1"></p>\n'))


def buttons(choices: list[str]) -> str:
    return "".join(f'<button type="button" data-choice="{number}">{html.escape(words)}</button>'
                   for number, words in enumerate(choices))


MOVE = "<output>move the slider</output>"  # before the first move, in place of the value


def slider(low: str, high: str, value: str) -> str:
    """A slider between two quantities, with a place for its value."""
    return (f'<span class="hf-predict-slider"><span>{low}</span><span class="hf-predict-track">{value}'
            f'<input type="range" min="0" max="120" value="60" aria-label="your prediction, from {low} to {high}"/></span>'
            f'<span>{high}</span></span>'
            '<button type="button" class="hf-predict-commit" disabled="">That’s my answer</button>')


def exact(low: float, high: float, unit: str) -> str:
    """A field for the exact number, beside a slider whose dot is dragged in a plot."""
    return (f'<label class="hf-predict-exact"><input type="number" min="{low:g}" max="{high:g}" step="any" '
            f'placeholder="or type" aria-label="your prediction, exactly"/><span>{html.escape(unit)}</span></label>')


def end(number: float, unit: str) -> str:
    """The label at an end of a slider."""
    return html.escape(str(Quantity(grouped(f"{number:.10g}"), unit)))


class PredictionsSummary(SphinxDirective):
    """A place for the script: how close the reader's answers were, on this page and earlier ones."""

    def run(self) -> list[nodes.Node]:
        return [script_controls(html='<div class="hf-predict-summary" hidden=""></div>\n')]


def add_to(app: Sphinx) -> None:
    """Registers this part of the extension with Sphinx."""
    app.add_node(prediction, html=(visit_prediction, depart_prediction))
    app.add_node(predict_answer, html=(visit_answer, depart_answer))
    app.add_node(script_controls, html=(visit_controls, None))
    app.add_directive("predict", Predict)
    app.add_directive("predictions-summary", PredictionsSummary)

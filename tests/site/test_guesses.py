"""The reader's guesses, drawn into the plots: all of them, each where the axis says, beside what is drawn there."""

import math
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import pytest
from playwright.sync_api import expect
from walk import UNFOLDED, WIDE
from whole import Visit, pages

# Answers each question: with a number, a choice or a full table. The guess on Measure is not kept.
ANSWERED = """() => document.querySelectorAll(".hf-predict[data-predict]").forEach(box => {
  box.querySelector("input[type=range]")?.dispatchEvent(new Event("input"));
  box.querySelectorAll("[data-row] label:first-of-type input").forEach(input => input.click());
  box.querySelector(".hf-predict-form :is([data-choice], .hf-predict-commit)").click();
})"""
SCORES = """() => [...document.querySelectorAll(".hf-predict[data-predict]")].map(box => [box.dataset.predict,
  box.matches(".hf-answered") && box.querySelector(".hf-predict-score").textContent])"""
# Figures without the words of each answer that belongs into them.
UNDRAWN = """() => {
  const figures = [...document.querySelectorAll(".hf-predict[data-figure]")].map(box => box.dataset.figure);
  const said = svg => [...svg.querySelectorAll(".hf-bet text")].filter(text => /^you said /.test(text.textContent));
  return figures.filter(name => [...document.querySelectorAll(`#${name} svg.hf-figure`)].some(
    svg => said(svg).length !== figures.filter(each => each === name).length));
}"""


def test_every_answer_of_every_page_is_kept_and_drawn(browser, book, served):
    asked = 0
    with Visit(browser, f"{served}index.html") as visit:
        for page in pages(book):
            visit.page.goto(served + page)
            questions = visit.page.locator(".hf-predict[data-predict]").count()
            if not questions:
                continue
            visit.page.evaluate(ANSWERED)
            assert visit.errors == [], page
            said = visit.page.evaluate(SCORES)
            assert [name for name, score in said if not re.match("You (said|got) ", score or "")] == []
            assert visit.page.evaluate(UNDRAWN) == []
            expect(visit.page.locator(".hf-veiled, .hf-blank"), page).to_have_count(0)
            visit.page.reload()
            assert visit.page.evaluate(SCORES) == said
            assert visit.page.evaluate(UNDRAWN) == []
            asked += questions
    assert asked > 20


def test_a_plot_that_cannot_be_drawn_costs_no_answer_and_shows_no_other(browser, served):
    with Visit(browser, f"{served}07-compilers.html") as visit:
        visit.page.evaluate("() => { press.write = () => { throw new Error('planted'); }; }")
        for name in ("one-loop", "around-a-product"):
            box = visit.page.locator(f"#predict-{name}")
            box.get_by_role("slider").press("ArrowRight")
            box.get_by_role("button", name="That’s my answer").click()
            expect(box.locator(".hf-predict-score")).to_be_focused()
        assert set(visit.errors) == {"planted"}
        expect(visit.page.locator("#fig-07-attention.hf-veiled")).to_have_count(1)
        expect(visit.page.locator(".hf-predict-summary")).to_contain_text("of 2 right or close")
        said = visit.page.evaluate(SCORES)
        visit.page.reload()
        assert visit.page.evaluate(SCORES) == said
        expect(visit.page.locator(".hf-bet text", has_text="you said")).to_have_count(2)


# For each question whose answers are drawn: the grey words of its figure with their places, and how the answers are scaled.
AXES = """() => [...document.querySelectorAll(".hf-predict[data-figure]")].map(box => {
  const svg = document.querySelector(`#${box.dataset.figure} svg.hf-figure`);
  const words = [...svg.querySelectorAll("text.f-quiet")].map(text => {
    const [anchor, x, y] = ["text-anchor", "x", "y"].map(name => text.getAttribute(name));
    return {words: text.textContent, anchor, x: Number(x), y: Number(y)};
  });
  return {id: box.id, axis: box.dataset.axis, words, ...box.querySelector(".hf-predict-answer").dataset};
})"""
# The paths that are drawn for an answer, whether they are dashed and how far they reach.
DRAWN = """([id, bet]) => {
  const box = document.getElementById(id);
  press.veil([], [{box, bet, words: `you said ${bet.toPrecision(2)} ${box.dataset.unit}`}]);
  return [...document.querySelector(`#${box.dataset.figure} svg.hf-figure .hf-bet`).querySelectorAll("path")].map(path => {
    const {x, y, width, height} = path.getBBox();
    return {dashed: path.hasAttribute("stroke-dasharray"), left: x, top: y, right: x + width, bottom: y + height};
  });
}"""
SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
BASELINE = 5.9  # from the middle of a number beside an axis down to its baseline


def tick(words: str) -> tuple[float, str] | None:
    """The number beside an axis, and its unit."""
    found = re.fullmatch(r"([\d.,]+)([⁻⁰¹²³⁴-⁹]*)\s?([A-Za-z]*)", words)
    if not found:
        return None
    number = float(found[1].replace(",", ""))
    return (number ** int(found[2].translate(SUPERSCRIPT)) if found[2] else number), found[3]


def ticks_of(axis: str, words: list[dict]) -> list[tuple[float, float]]:
    """The ticks of an axis, (number, place), from its words alone: the numbers below a panel share their line and their unit;
    those beside it end at the same place, and fall from its top to its bottom."""
    anchor, place = ("middle", "x") if axis[0] == "x" else ("end", "y")
    found = [(each, *tick(each["words"])) for each in words if each["anchor"] == anchor and tick(each["words"])]
    if place == "x":
        found.sort(key=lambda each: (each[0]["y"], each[2], each[0]["x"]))
        panels = [list(group) for _, group in groupby(found, lambda each: (each[0]["y"], each[2]))]
    else:
        found.sort(key=lambda each: each[0]["y"])
        panels = [[]]
        for each in found:
            if panels[-1] and panels[-1][-1][1] < each[1]:
                panels.append([])
            panels[-1].append(each)
    shift = BASELINE if place == "y" else 0
    return sorted((number, each[place] - shift) for each, number, _ in panels[1 if axis[1:] else 0])


def places_on(ticks: list[tuple[float, float]]) -> Callable[[float], float]:
    """The function from a number to its place that fits all ticks, on an even or a logarithmic axis."""
    (low, start), (high, end) = next(each for each in ticks if each[0] > 0), ticks[-1]

    def even(number):
        return start + (end - start) * (number - low) / (high - low)

    def logarithmic(number):
        return start + (end - start) * math.log(number / low) / math.log(high / low)

    shown = [each for each in ticks if each[0] > 0]
    fitting = [at for at in (even, logarithmic) if all(at(number) == pytest.approx(place, abs=1) for number, place in shown)]
    assert len(shown) > 2 and len(fitting) == 1, ticks
    return fitting[0]


def bet_for(number: float, question: dict) -> float:
    """The answer that is drawn at a number of the axis."""
    return float(question["over"]) / number if "over" in question else number / float(question.get("times", 1))


def drawn_questions(visit: Visit, base: str, book: Path) -> Iterator[dict]:
    """Each question whose answers are drawn, while its page is open."""
    for page in pages(book):
        visit.page.goto(base + page)
        yield from visit.page.evaluate(AXES)


def draw(visit: Visit, question: dict, number: float) -> list[dict]:
    """Draws the answer that belongs at this number of the axis; returns the paths."""
    bet = float(question["over"]) / number if "over" in question else number / float(question.get("times", 1))
    return visit.page.evaluate(DRAWN, [question["id"], bet])


def test_each_guess_is_drawn_where_the_axis_says(browser, book, served):
    count = 0
    with Visit(browser, f"{served}index.html") as visit:
        for question in drawn_questions(visit, served, book):
            ticks = ticks_of(question["axis"], question["words"])
            at, (low, high) = places_on(ticks), next((a, b) for (a, _), (b, _) in zip(ticks, ticks[1:]) if a > 0)
            numbers = (low, math.sqrt(low * high), ticks[-1][0])
            start, end = ("left", "right") if question["axis"][0] == "x" else ("top", "bottom")
            lines = [draw(visit, question, number)[0] for number in numbers]
            assert not any(line["dashed"] or line[end] - line[start] > 1 for line in lines), question["id"]
            assert [line[start] for line in lines] == pytest.approx([at(number) for number in numbers], abs=1), question["id"]
            count += 1
    assert count > 10


def test_a_guess_beyond_the_axis_is_an_arrow_that_leaves_the_panel(browser, book, served):
    with Visit(browser, f"{served}index.html") as visit:
        for question in drawn_questions(visit, served, book):
            number, place = ticks_of(question["axis"], question["words"])[-1]
            shaft, *heads = draw(visit, question, 100 * number)
            assert shaft["dashed"] and len(heads) == 1 and not heads[0]["dashed"], question["id"]
            wide, high, (head,) = shaft["right"] - shaft["left"], shaft["bottom"] - shaft["top"], heads
            if question["axis"][0] == "x":
                assert (high, head["right"]) == (0, shaft["right"]) and 16 < wide < 60, question["id"]
                assert place - 1 < head["right"], question["id"]
            else:
                assert (wide, head["top"]) == (0, shaft["top"]) and 16 < high < 200, question["id"]
                assert head["top"] < place + 1, question["id"]


# For each plot, an answer at every tenth of its slider: what the words hide of the plot, [question, tenth, kind of mark].
HIDING = """() => {
  const boxes = [...document.querySelectorAll(".hf-predict[data-kind=range][data-figure]")];
  const found = boxes.flatMap(box => Array.from({length: 11}, (_, i) => {
    const {unit, predict} = box.dataset, low = Number(box.dataset.low), high = Number(box.dataset.high);
    const bet = low > 0 ? low * (high / low) ** (i / 10) : high * i / 10, words = `you said ${bet.toPrecision(2)} ${unit}`;
    press.veil([], [{box, bet, words, apart: "8.5× too high"}]);
    return [...document.querySelectorAll(".hf-bet text")].flatMap(text => {
      const {x, y, width, height} = text.getBBox(), top = y + height / 3, bottom = y + height * .8, svg = text.closest("svg");
      const {left, right, top: above, bottom: below} = text.getBoundingClientRect(), whole = svg.getBoundingClientRect();
      const leaves = left < whole.left || right > whole.right || above < whole.top - 4 || below > whole.bottom + 4;
      const hidden = [...svg.querySelectorAll(":is(circle, polygon, path):not(.s-grid, .hf-bet *, .hf-drag *)")].filter(mark =>
        Array.from({length: Math.ceil(mark.getTotalLength())}, (_, at) => mark.getPointAtLength(at)).some(point =>
          point.x > x && point.x < x + width && point.y > top && point.y < bottom));
      return [...hidden.map(mark => mark.getAttribute("class")), ...leaves ? ["outside of the figure"] : []].map(
        what => [predict, i, what]);
    });
  }).flat());
  document.dispatchEvent(new Event("hf:machine"));  // shows what was there
  return found;
}"""
HIDDEN = [WIDE.ask(HIDING), UNFOLDED.ask(HIDING, width=360)]


@pytest.mark.parametrize(("walk", "question"), [(WIDE, HIDDEN[0]), (UNFOLDED, HIDDEN[1])])
def test_what_was_said_hides_nothing_that_is_drawn(walked, walk, question):
    assert walked(walk).objections(question) == {}


DRAGGED = "[...document.querySelectorAll('.hf-predict[data-at]')].map(box => [box.id, box.dataset.figure, box.dataset.axis])"


def test_every_question_in_a_plot_is_answered_by_dragging_and_by_typing(browser, book, served):
    count = 0
    with Visit(browser, f"{served}index.html", viewport={"width": 1280, "height": 1000}) as visit:
        for page in pages(book):
            visit.page.goto(served + page)
            for name, figure, axis in visit.page.evaluate(DRAGGED):
                box, plot = visit.page.locator(f"#{name}"), visit.page.locator(f"#{figure}")
                dots = plot.locator(".hf-drag:not([hidden])")
                before, dot = dots.count(), dots.first
                assert before > 0, name
                field = box.get_by_role("spinbutton")
                field.fill("1e9")
                expect(box.locator(".hf-predict-commit")).to_be_disabled()  # beyond its range
                field.fill("")
                dot.scroll_into_view_if_needed()
                x, y, wide, high = dot.locator(".hf-reach").bounding_box().values()
                visit.page.mouse.move(x + wide / 2, y + high / 2)
                visit.page.mouse.down()
                far = (30, 0) if axis[0] == "x" else (0, 30)
                visit.page.mouse.move(x + wide / 2 + far[0], y + high / 2 + far[1], steps=4)
                visit.page.mouse.up()
                expect(box.locator(".hf-predict-score"), name).to_contain_text("You said")
                expect(dots).to_have_count(before - 1)
                expect(plot.locator(".hf-ghost").first, name).to_be_visible()
                count += 1
        assert visit.errors == []
    assert count > 8


def test_the_truth_grows_out_of_the_guess_and_counts_up(browser, served):
    with Visit(browser, f"{served}04-tpu.html") as visit:
        box, plot = visit.page.locator("#predict-single-row"), visit.page.locator("#fig-04-starving")
        box.get_by_role("spinbutton").fill("38")
        visit.page.evaluate("document.querySelector('#predict-single-row .hf-predict-commit').click()")
        moving = plot.locator("svg.hf-figure").evaluate("svg => svg.getAnimations({subtree: true}).length")
        assert moving == 2  # its mark and the bracket
        expect(plot.locator(".hf-bet text", has_text="50× too high")).to_be_visible()
        assert plot.locator(".hf-bracket").evaluate("each => each.getBBox().height") > 50
        visit.page.reload()
        expect(plot.locator(".hf-bet text", has_text="50× too high")).to_be_visible()
        assert plot.locator("svg.hf-figure").evaluate("svg => svg.getAnimations({subtree: true}).length") == 0

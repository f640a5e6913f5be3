"""The reader's guesses, drawn into the plots."""

import re

from playwright.sync_api import expect
from whole import Visit, pages

# Answers each question: with a number, a choice or a full table.
ANSWERED = """() => document.querySelectorAll(".hf-predict").forEach(box => {
  box.querySelector("input[type=range]")?.dispatchEvent(new Event("input"));
  box.querySelectorAll("[data-row] label:first-of-type input").forEach(input => input.click());
  box.querySelector(".hf-predict-form :is([data-choice], .hf-predict-commit)").click();
})"""
SCORES = """() => [...document.querySelectorAll(".hf-predict")].map(box => [box.dataset.predict,
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
            questions = visit.page.locator(".hf-predict").count()
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
        expect(visit.page.locator(".hf-predict-summary")).to_contain_text("of 2 right or near")
        said = visit.page.evaluate(SCORES)
        visit.page.reload()
        assert visit.page.evaluate(SCORES) == said
        expect(visit.page.locator(".hf-bet text")).to_have_count(2)

"""Questions that tests ask of every page of the book: a walk opens each page once, for all of the questions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Page
from whole import Visit

SETTLED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"  # size observers have run

# The calculators' scripts load when they are nearly on the screen: scrolls to each and waits for it.
CALCULATORS = """new Promise((done, fail) => {
  setTimeout(() => fail(new Error("a calculator did not come within a minute")), 60_000);
  const look = () => {
    const empty = document.querySelector(".hf-live[data-scripts]:not(:has(form))");
    empty ? empty.scrollIntoView({behavior: "instant"}) : scrollTo({top: 0, behavior: "instant"});
    empty ? requestAnimationFrame(look) : done();
  };
  look();
})"""


@dataclass(frozen=True)
class Question:
    """JavaScript that examines a page without changing it, in a window of a given width and with a theme."""

    script: str
    width: int
    scheme: str


@dataclass
class Walked:
    """The answers of the pages, {question: {page: answer}}, their requests and their errors."""

    answers: dict[Question, dict[str, Any]]
    requests: list[str]
    errors: list[str]

    def objections(self, question: Question) -> dict[str, Any]:
        """The answers that are not empty."""
        return {page: answer for page, answer in self.answers[question].items() if answer}


@dataclass(eq=False)
class Walk:
    """How pages are opened: the window's width, an action on each page, and other settings of the context."""

    width: int
    prepare: str = ""
    context: dict = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)

    def ask(self, script: str, width: int = 0, scheme: str = "light") -> Question:
        """Adds a question; its answers are in Walked."""
        self.questions.append(Question(script, width or self.width, scheme))
        return self.questions[-1]

    def take(self, browser: Browser, base: str, pages: list[str]) -> Walked:
        """Opens the pages one after the other and asks all questions of each."""
        questions = sorted(self.questions, key=lambda question: (question.width, question.scheme))  # few changes of the window
        answers: dict[Question, dict[str, Any]] = {question: {} for question in questions}
        with Visit(browser, f"{base}index.html", **self.context) as visit:
            show = looking_at(visit.page)
            for page in pages:
                show(self.width, "light")
                visit.page.goto(base + page)
                visit.page.evaluate(CALCULATORS)
                visit.page.evaluate(self.prepare)
                visit.page.evaluate(SETTLED)
                for question in questions:
                    show(question.width, question.scheme)
                    answers[question][page] = visit.page.evaluate(question.script)
        return Walked(answers, visit.requests, visit.errors)


def looking_at(page: Page) -> Callable[[int, str], None]:
    """show(width, scheme): sets the window's width and the theme, if the page has others."""
    now = None

    def show(width: int, scheme: str) -> None:
        nonlocal now
        if now != (now := (width, scheme)):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            page.evaluate(SETTLED)

    return show


# Answers each question as a reader in a hurry would, but skips every third.
ANSWERED = """document.querySelectorAll(".hf-predict").forEach((box, number) => {
  box.querySelector("input[type=range]")?.dispatchEvent(new Event("input"));
  box.querySelectorAll("[data-row] label:first-of-type input").forEach(input => input.click());
  const press = number % 3 === 2 ? ".hf-predict-skip" : "[data-choice], .hf-predict-commit";
  box.querySelector(`.hf-predict-form :is(${press})`)?.click();
});"""
OPENED = "document.querySelectorAll('details').forEach(fold => fold.open = true);"

WIDE = Walk(1280)
# The narrowest page is the hardest; wider ones are this page with a wider window. Animations could be caught between two
# colours.
UNFOLDED = Walk(320, ANSWERED + OPENED, {"reduced_motion": "reduce"})

"""Predicting, in a browser: answer, skip, hide, score, remember, forget."""

import re

import pytest
from chromium import counted
from conftest import Site
from playwright.sync_api import expect
from walk import ANSWERED, CALCULATORS, SETTLED, UNFOLDED, WIDE
from whole import CHAPTERS, LEFT_OUT, Visit, pages

PAGE = """# Page

```{predict} ridge
:value: 01-roofline/ridge_flop_per_byte
:choices: little < 4 | much >= 4
:reveals: fig-small simd-pays told
How much?
```

```{predict} share
:value: 01-roofline/vector_add_peak_share
:range: 0.1 100
:style: percent
What share?
```

```{predict} speed
:point: 01-roofline/kernels/GEMV
:range: 0 20
:linear:
How fast?
```

```{predict} gpu
:value: 01-roofline/gpu_width
:range: 1 100
:pending:
How wide?
```

```{predict} latency
:answer: 10
:unit: ns
:range: 1 100
:drawn: fig-small y later
How long?
```

```{predict-table} kernels
:reveals: kernels-scored
Which waits for what?

| kernel | what |
|---|---|
| naive matmul | three loops |
| dot | a sum |
```

```{lab-figure} 01-small
:series: latency
:name: fig-small
It rises.
```

```{claim} 01-roofline/simd-pays
It does not.
```

````{container}
:name: told

```{container}
:name: told-within

It is much.
```
````

```{predict-scores} kernels
:name: kernels-scored
```

```{predictions-summary}
```
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory, record_tool):
    site = Site(tmp_path_factory.mktemp("predict"), record_tool)
    site.record()
    site.page(PAGE)
    site.page(PAGE.replace("How much?", "How much more?"), "later")
    assert site.build().status == 0
    return (site.root / "build" / "out" / "index.html").as_uri()


@pytest.fixture
def visit(browser, page_file):
    with Visit(browser, page_file) as visit:
        yield visit
        assert visit.errors == []


def question(visit, name):
    return visit.page.locator(f"#predict-{name}")


def slide(visit, name, presses):
    """Moves a slider with the keyboard, and commits with Enter."""
    slider = question(visit, name).get_by_role("slider")
    slider.focus()
    for _ in range(abs(presses)):
        visit.page.keyboard.press("ArrowRight" if presses > 0 else "ArrowLeft")
    visit.page.keyboard.press("Enter")


def score(visit, name):
    """The line with the score of an answer."""
    return question(visit, name).locator(".hf-predict-score")


SKIPPED = re.compile(r"^Skipped\.")


HIDDEN = """place => [...place.querySelectorAll("svg path, p, table")].some(
  each => getComputedStyle(each).visibility === "hidden")"""


def is_hidden(visit, name):
    """Whether a mark or a sentence in the figure is hidden. The figure itself must be visible."""
    assert visit.page.locator(f"#{name}").evaluate("e => getComputedStyle(e).visibility") == "visible"
    return visit.page.locator(f"#{name}").evaluate(HIDDEN)


def until_hidden(visit, *names):
    """Waits until something in each place is hidden."""
    for name in names:
        visit.page.wait_for_function(f"name => ({HIDDEN})(document.getElementById(name))", arg=name)
        assert is_hidden(visit, name)


def until_shown(visit, *names):
    """Waits until nothing in each place is hidden."""
    for name in names:
        visit.page.wait_for_function(f"name => !({HIDDEN})(document.getElementById(name))", arg=name)
        assert not is_hidden(visit, name)


def test_a_press_commits_and_the_answer_is_shown(visit):
    box = question(visit, "ridge")
    expect(box.locator(".hf-predict-answer")).not_to_be_visible()
    box.get_by_role("button", name="much").click()
    expect(score(visit, "ridge")).to_have_text("You said “much”: right.")
    expect(box.locator(".hf-predict-answer")).to_be_visible()
    expect(box.locator("button").first).not_to_be_visible()
    expect(score(visit, "ridge")).to_be_focused()


def test_a_wrong_side_is_told(visit):
    question(visit, "ridge").get_by_role("button", name="little").click()
    expect(score(visit, "ridge")).to_have_text("You said “little”: wrong.")


def test_a_number_is_scored_by_the_factor(visit):
    expect(question(visit, "share").get_by_role("button", name="That’s my answer")).to_be_disabled()
    slide(visit, "share", 4)  # 0.1 × 1000 ^ (64 / 120) = 4%; measured were 0.597%
    expect(score(visit, "share")).to_have_text("You said 4%: far off, 6.7× too high.")
    expect(question(visit, "share")).to_contain_class("hf-far")


def test_a_number_on_an_even_scale_is_scored_by_the_distance(visit):
    slide(visit, "speed", -3)  # 20 × 57 / 120 = 9.5; measured: 7.963
    expect(score(visit, "speed")).to_have_text("You said 9.5 GFLOP/s: close, 1.5 GFLOP/s too high.")
    expect(question(visit, "speed")).to_contain_class("hf-near")


def test_what_nobody_has_measured_is_kept(visit):
    slide(visit, "gpu", 1)
    expect(score(visit, "gpu")).to_have_text("Noted.")
    expect(question(visit, "gpu")).to_contain_text("Not yet measured on any machine.")


SHIFTS = """() => {
  window.shifted = 0;
  const add = list => list.getEntries().forEach(each => { window.shifted += each.value; });
  new PerformanceObserver(add).observe({type: "layout-shift"});
}"""


def test_marks_and_sentences_are_hidden_until_there_is_an_answer_and_nothing_moves(browser, visit):
    figure = visit.page.locator("#fig-small")
    until_hidden(visit, "fig-small", "claim-simd-pays")
    seen = figure.locator("text.f-quiet").evaluate_all(
        "all => all.filter(each => each.checkVisibility({visibilityProperty: true})).length")
    assert seen > 5  # the axes
    assert "desc" not in figure.locator("svg").get_attribute("aria-labelledby")
    question(visit, "ridge").scroll_into_view_if_needed()
    visit.page.evaluate("document.fonts.ready")  # an arriving font moves words, but an answer does not
    visit.page.evaluate(SETTLED)
    visit.page.evaluate(SHIFTS)
    before = visit.page.evaluate(PLACES)
    question(visit, "ridge").get_by_role("button", name="much").click()
    slide(visit, "share", 4)
    expect(score(visit, "share")).not_to_be_empty()
    visit.page.evaluate(SETTLED)
    assert visit.page.evaluate("window.shifted") == 0
    question(visit, "kernels").get_by_role("button", name="Skip: show me").click()
    until_shown(visit, "fig-small", "claim-simd-pays")
    expect(figure.locator("svg")).to_have_attribute("aria-labelledby", re.compile("desc"))
    with counted(browser):
        assert visit.page.evaluate(PLACES) == pytest.approx(before, abs=1)  # rounded to a pixel


PLACES = """() => [...document.querySelectorAll("h1, .hf-predict, figure, .hf-claim, #told, .hf-predict-scores")].map(
  each => Math.round(each.getBoundingClientRect().top + scrollY))"""


def test_one_press_shows_a_figure_or_skips_a_question(visit):
    visit.page.locator("#fig-small").get_by_role("button", name="Show it now").click()
    until_shown(visit, "fig-small")
    expect(score(visit, "ridge")).to_have_text("Skipped. Answer it after all")
    question(visit, "share").get_by_role("button", name="Skip: show me").click()
    expect(score(visit, "share")).to_have_text(SKIPPED)
    expect(score(visit, "speed")).to_be_empty()
    question(visit, "ridge").get_by_role("button", name="Answer it after all").click()
    until_hidden(visit, "fig-small")
    expect(score(visit, "ridge")).to_be_empty()


def test_all_are_skipped_in_the_whole_book_and_asked_again(visit):
    question(visit, "gpu").get_by_role("button", name="Skip all").click()  # each question has it
    expect(question(visit, "kernels").locator(".hf-predict-truth")).to_have_text(["itself", "memory"])
    visit.page.goto(visit.page.url.replace("index.html", "later.html"))
    for name in ("ridge", "share", "speed", "gpu", "kernels"):
        expect(score(visit, name)).to_have_text(SKIPPED)
    until_shown(visit, "fig-small", "kernels-scored")
    question(visit, "share").get_by_role("button", name="Turn all questions back on").click()
    for name in ("ridge", "share", "speed", "gpu", "kernels"):
        expect(score(visit, name)).to_be_empty()
    visit.page.reload()
    until_hidden(visit, "fig-small")


def test_what_was_said_is_drawn_into_the_plot(visit):
    expect(visit.page.locator(".hf-bet")).to_have_count(0)
    slide(visit, "latency", 1)
    drawn = visit.page.locator("#fig-small .hf-bet")
    expect(drawn.locator("text")).to_have_text("you said 10\u00a0ns")
    at = drawn.locator("path").evaluate("each => each.getBBox().y")
    labels = visit.page.locator("#fig-small text.f-quiet").evaluate_all(
        "all => Object.fromEntries(all.map(e => [e.textContent, e.getBBox().y + e.getBBox().height / 2]))")
    assert abs(at - (labels["0"] + labels["20"]) / 2) < 3  # where the axis says


# For each plot, an answer at every tenth of its slider: [page's question, tenth, the label that it overlaps].
CROWDED = """() => {
  const boxes = [...document.querySelectorAll(".hf-predict[data-kind=range][data-figure]")];
  const found = boxes.flatMap(box => Array.from({length: 11}, (_, i) => {
    const {unit, predict} = box.dataset, low = Number(box.dataset.low), high = Number(box.dataset.high);
    const bet = low > 0 ? low * (high / low) ** (i / 10) : high * i / 10, words = `you said ${bet.toPrecision(2)} ${unit}`;
    press.veil([], [{box, bet, words, apart: "8.5× too high"}]);
    return [...document.querySelectorAll(".hf-bet text")].flatMap(text => {
      const own = text.getBoundingClientRect(), room = own.height / 3;  // letters fill two thirds of a line
      return [...text.closest("svg").querySelectorAll("text:not(.hf-drag *)")].filter(other => {
        const {left, right, top, bottom} = other.getBoundingClientRect();
        return other !== text && left < own.right && own.left < right && top + room < own.bottom && own.top + room < bottom;
      }).map(other => [predict, i, other.textContent]);
    });
  }).flat());
  document.dispatchEvent(new Event("hf:machine"));  // shows what was there
  return found;
}"""
BETS = [WIDE.ask(CROWDED), UNFOLDED.ask(CROWDED, width=360)]


@pytest.mark.parametrize(("walk", "question"), [(WIDE, BETS[0]), (UNFOLDED, BETS[1])])
def test_what_was_said_lies_on_no_label(walked, walk, question):
    assert walked(walk).objections(question) == {}


def test_a_link_to_what_is_hidden_shows_it(browser, page_file):
    with Visit(browser, page_file + "#claim-simd-pays") as visit:
        until_hidden(visit, "fig-small", "told")
        until_shown(visit, "claim-simd-pays")
    with Visit(browser, page_file + "#told-within") as visit:
        until_hidden(visit, "fig-small")
        until_shown(visit, "told")


def test_ten_bets_are_scored_together(visit):
    box = question(visit, "kernels")
    commit = box.get_by_role("button", name="These are my answers")
    box.get_by_role("radiogroup", name="naive matmul").get_by_label("arithmetic").check()
    expect(commit).to_be_disabled()
    until_hidden(visit, "kernels-scored")
    box.get_by_role("radiogroup", name="dot").get_by_label("memory").check()
    commit.click()
    expect(score(visit, "kernels")).to_have_text("You got 1 of 2 right. Answering “itself” every time would get 1 right.")
    rows = visit.page.locator("#kernels-scored tbody tr")
    said = {row.locator("td").nth(0).inner_text(): row.locator("td").nth(1).inner_text() for row in rows.all()}
    assert said["naive matmul"] == "arithmetic ✗" and said["dot"] == "memory ✓" and said["GEMV"] == "–"
    expect(box.locator(".hf-predict-truth")).to_have_text(["itself", "memory"])  # each row shows what is right
    expect(box.locator("[data-row]")).to_have_class(["hf-wrong", "hf-right"])


def test_answers_are_remembered_and_forgotten(visit):
    question(visit, "ridge").get_by_role("button", name="much").click()
    expect(score(visit, "ridge")).not_to_be_empty()
    visit.page.reload()
    expect(score(visit, "ridge")).to_have_text("You said “much”: right.")
    until_shown(visit, "fig-small")
    visit.page.get_by_role("button", name="Forget my answers").click()
    expect(score(visit, "ridge")).to_be_empty()
    until_hidden(visit, "fig-small")
    visit.page.reload()
    expect(score(visit, "ridge")).to_be_empty()


# Stored answers that are valid in form, but not for the questions of this page; test_storage.py has invalid ones.
NO_ANSWERS = ['{"index/ridge": null}', '{"index/ridge": {"bet": 7}}',
              '{"index/ridge": {"bet": "\\"]"}}', '{"index/ridge": {"bet": {"toString": 1}}}',
              '{"index/share": {"bet": "much"}}',
              '{"index/share": {"bet": 1e300}}', '{"index/speed": {"bet": [5]}}', '{"index/kernels": {"bet": 3}}',
              '{"index/kernels": {"bet": {"dot": "x", "naive matmul": "memory"}}}', '{"__proto__": {"bet": 1}}',
              '{"other/q": {"bet": 1, "near": 5, "of": 2}}', '{"other/q": {"bet": 1, "near": 0, "of": 1e9}}',
              '{"other/q": {"bet": 1, "near": -1, "of": 1, "off": "x"}}']


def test_what_is_no_answer_to_a_question_is_dropped(visit):
    for garbage in NO_ANSWERS:
        visit.page.evaluate("garbage => press.store('predictions', garbage)", garbage)
        visit.page.reload()
        assert visit.errors == [], garbage
        until_hidden(visit, "fig-small")
        expect(visit.page.locator(".hf-answered, .hf-predict-summary li"), garbage).to_have_count(0)
    question(visit, "ridge").get_by_role("button", name="much").click()
    expect(score(visit, "ridge")).to_have_text("You said “much”: right.")


def test_no_chapter_minds_what_stands_in_the_browsers_memory_or_in_the_address(browser, book, served):
    spoil = """() => {
      const bets = [...document.querySelectorAll(".hf-predict")].map(({dataset}) => [dataset.predict, {bet: '"]', near: -1}]);
      localStorage["hardware-first:predictions"] = JSON.stringify(Object.fromEntries(bets));
      localStorage["hardware-first:machine"] = localStorage["hardware-first:theme"] = '"]';
    }"""
    wild = "?machine=%25%3Cb%3E&roofline=m:%25&planner=chips:%25&array=m:%25&claims=%25&compare=%25,&q=%25#%25"
    with Visit(browser, f"{served}index.html") as visit:
        for page in (page for page in pages(book) if page != "404.html"):
            visit.page.goto(served + page)
            visit.page.evaluate(spoil)
            visit.page.goto(served + page + wild)
            assert visit.errors == [], page
            expect(visit.page.locator(".hf-answered"), page).to_have_count(0)


def test_the_summary_says_how_intuition_moved(visit):
    summary = visit.page.locator(".hf-predict-summary")
    expect(summary).to_contain_text("None in this chapter yet")
    question(visit, "ridge").get_by_role("button", name="little").click()
    slide(visit, "share", 4)
    expect(summary).to_contain_text("In this chapter: 0 of 2 right or close, median miss 6.7×.")
    slide(visit, "speed", -3)
    expect(summary).to_contain_text("○○●")  # in the order of the questions
    visit.page.goto(visit.page.url.replace("index.html", "later.html"))
    question(visit, "ridge").get_by_role("button", name="much").click()
    expect(summary).to_contain_text("In this chapter: 1 of 1 right or close. "
                                    "Better than before: 1 of 3 right or close, median miss 6.7×")
    expect(summary.locator("li")).to_have_count(2)


BET = """() => {
  const box = document.querySelector(".hf-predict[data-kind=table]");
  return { score: box.querySelector(".hf-predict-score").textContent,
           sides: JSON.parse(box.querySelector(".hf-predict-answer").dataset.answer) };
}"""


def test_another_machine_scores_the_same_bets_again(browser, book, served):
    """In the book itself. Published machines may agree, so on one of them here no kernel waits for memory."""
    other = "amd-epyc-zen-4-2-cores-vm"
    memory_side, other_side = (f"&quot;: [&quot;{side}&quot;" for side in ("memory", "arithmetic"))

    def exchanged(route):
        text = route.fetch().text()
        assert memory_side in text
        route.fulfill(body=text.replace(memory_side, other_side), content_type="text/javascript")

    with Visit(browser, f"{served}01-roofline.html") as visit:
        visit.page.route(f"**/_machines/01-roofline/{other}.js*", exchanged)
        machines = visit.page.locator("#hf-machine option").evaluate_all("all => all.map(each => each.value)")
        said = {}
        for row in visit.page.locator(".hf-predict [data-row]").all():
            row.get_by_label("memory").check()
        visit.page.get_by_role("button", name="These are my answers").click()
        for machine in (machines[0], other, machines[0]):
            visit.page.locator("#hf-machine select").select_option(machine)
            visit.page.wait_for_function(f"() => press.machine === {machine!r}")
            found = visit.page.evaluate(BET)
            memory = sum("memory" in right for right in found["sides"].values())
            assert found["score"].startswith(f"You got {memory} of 10 right.")
            assert said.setdefault(machine, memory) == memory
            bets = visit.page.locator("[data-bet-of]:visible").all_inner_texts()
            assert sorted(bets) == sorted(["memory ✓"] * memory + ["memory ✗"] * (10 - memory))
        assert said[other] == 0 < said[machines[0]]
        assert visit.errors == []


# The positions of everything in a chapter, down to the summary, which grows.
STANDS = """() => {
  const end = document.querySelector(".hf-predict-summary");
  return [...document.querySelectorAll("article :is(section, .hf-scene) > *")]
    .filter(each => !end || each.compareDocumentPosition(end) & Node.DOCUMENT_POSITION_FOLLOWING)
    .map(each => [(each.id || each.textContent.trim()).slice(0, 60), Math.round(each.getBoundingClientRect().top + scrollY)]);
}"""


UNFOLDING = """.hf-folded { display: revert !important } .hf-slot.hf-folded { display: contents !important }
  .hf-fold { display: none !important }"""


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_moves_when_its_questions_are_answered_except_for_folds(browser, served, width):
    moved = {}
    with Visit(browser, f"{served}index.html", viewport={"width": width, "height": 800}) as visit:
        for page in (chapter for chapter in CHAPTERS if chapter not in LEFT_OUT):
            visit.page.goto(f"{served}{page}.html")
            visit.page.evaluate("document.fonts.ready")
            visit.page.evaluate(CALCULATORS)  # else one of them may arrive meanwhile, or find its data
            expect(visit.page.locator("[aria-busy=true]"), page).to_have_count(0, timeout=30_000)
            visit.page.add_style_tag(content=UNFOLDING)
            before = visit.page.evaluate(STANDS)
            visit.page.evaluate(ANSWERED)
            expect(visit.page.locator(".hf-predict:not(.hf-answered)"), page).to_have_count(0)
            visit.page.evaluate(SETTLED)
            after = visit.page.evaluate(STANDS)
            moved |= {(page, name): now - place for (name, place), (_, now) in zip(before, after) if abs(now - place) > 1}
    with counted(browser):
        assert moved == {}


def test_the_answer_follows_a_skip_without_a_gap(browser, served):
    with Visit(browser, f"{served}02-matmul.html", viewport={"width": 360, "height": 800}) as visit:
        box = visit.page.locator(".hf-predict").first
        place = box.bounding_box()["height"]
        box.get_by_role("button", name="Skip: show me").click()
        button = box.locator(".hf-predict-score button").bounding_box()
        answer = box.locator(".hf-predict-answer").bounding_box()
        assert 0 <= answer["y"] - button["y"] - button["height"] < 16
        assert box.bounding_box()["height"] == place


LOST = WIDE.ask("""() => [...document.querySelectorAll("[data-reveals]")].flatMap(box =>
  box.dataset.reveals.split(" ").map(name => name.split(".")[0]).filter(name =>
    !document.getElementById(name) && !document.getElementById(`claim-${name}`)))""")
ASKED = WIDE.ask("""() => document.querySelectorAll(".hf-predict").length""")


def test_whatever_a_question_hides_is_on_its_page(walked):
    assert walked(WIDE).objections(LOST) == {}
    assert sum(walked(WIDE).answers[ASKED].values()) > 8


def test_nothing_is_sent(visit):
    asked = len(visit.requests)
    question(visit, "ridge").get_by_role("button", name="much").click()
    slide(visit, "share", 4)
    expect(score(visit, "share")).not_to_be_empty()
    visit.page.wait_for_load_state("networkidle")
    assert visit.asked_since(asked) == []


def test_without_scripts_all_is_shown_and_nothing_is_to_press(browser, page_file):
    with Visit(browser, page_file, java_script_enabled=False) as visit:
        expect(visit.page.locator("button:visible, input:visible")).to_have_count(0)
        expect(visit.page.locator(".hf-predict-answer:visible")).to_have_count(6)
        for name in ("fig-small", "claim-simd-pays", "kernels-scored"):
            assert not is_hidden(visit, name)


def test_paper_shows_all(visit):
    visit.page.emulate_media(media="print")
    until_shown(visit, "fig-small")
    expect(visit.page.locator(".hf-predict button:visible, .hf-show:visible")).to_have_count(0)
    expect(visit.page.locator(".hf-predict-answer:visible")).to_have_count(6)


# Open questions, with buttons placed for this window: [figure, what a button covers, or the line that leads to a
# hidden mark, or that nothing is offered].
GIVEN_AWAY = """() => {
  document.dispatchEvent(new Event("hf:machine"));
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return [...document.querySelectorAll(".hf-veiled")].flatMap(figure => {
    const offer = figure.querySelector(".hf-show");
    if (!offer) return [[figure.id, "no offer"]];
    const button = offer.getBoundingClientRect();
    const seen = name => [...figure.querySelectorAll(name)].filter(each => !each.matches(".hf-telling"));
    const marks = [...figure.querySelectorAll(":is(text, circle, polygon).hf-telling")].map(e => e.getBoundingClientRect());
    const covered = button.width ? seen("text, circle").filter(each => meet(each.getBoundingClientRect(), button)) : [];
    const leaders = seen("path.s-quiet:not([stroke-dasharray])").filter(line => [0, line.getTotalLength()].some(at => {
      const {x, y} = line.getPointAtLength(at).matrixTransform(line.getScreenCTM());
      return marks.some(mark => x > mark.left && x < mark.right && y > mark.top && y < mark.bottom);
    }));
    return [...covered.map(each => [figure.id, each.textContent || "a mark"]), ...leaders.map(line => [figure.id, "a line"])];
  });
}"""
VEILS = [WIDE.ask(GIVEN_AWAY), WIDE.ask(GIVEN_AWAY, width=360)]


@pytest.mark.parametrize("question", VEILS)
def test_a_hidden_figure_keeps_its_labels_and_gives_nothing_away(walked, question):
    assert walked(WIDE).objections(question) == {}


@pytest.mark.parametrize(("place", "words"), [("04-tpu.html#fig-04-counters", "missed"),
                                              ("05-scaling.html#fig-05-bubble", "2 ranks, modelled")])
def test_words_beside_a_hidden_panel_are_hidden(browser, served, place, words):
    page, figure = place.split("#")
    with Visit(browser, served + page, viewport={"width": 360, "height": 800}) as visit:
        until_hidden(visit, figure)
        found = visit.page.locator(f"#{figure} text").filter(has_text=words)
        assert set(found.evaluate_all("all => all.map(each => getComputedStyle(each).visibility)")) == {"hidden"}


# Offers that don't name an open question of the page by its number and lead to it, and runs of hidden lines that are too long.
UNNAMED = """() => {
  const boxes = [...document.querySelectorAll(".hf-predict")];
  const wrong = [...document.querySelectorAll(".hf-show")].filter(offer => {
    const links = [...offer.querySelectorAll("a")], named = links.map(link => boxes.find(box => `#${box.id}` === link.hash));
    const numbers = links.map(link => boxes[Number(link.textContent.match(/\\d+/)) - 1]);
    return !links.length || named.some((box, i) => !box || box !== numbers[i] || box.matches(".hf-answered"));
  });
  const tall = [...document.querySelectorAll(".hf-blank:not(.hf-blank .hf-blank), .hf-fold")].filter(each =>
    each.offsetHeight > (each.matches(".hf-fold") ? 1.6 : 7) * parseFloat(getComputedStyle(each.parentElement).lineHeight));
  return [...wrong, ...tall].map(each => each.textContent.slice(0, 60));
}"""
OFFERS = [WIDE.ask(UNNAMED), WIDE.ask(UNNAMED, width=360)]


@pytest.mark.parametrize("question", OFFERS)
def test_what_is_hidden_names_its_question_and_no_long_run_stays_unfolded(walked, question):
    assert walked(WIDE).objections(question) == {}


TOP = "each => each.getBoundingClientRect().top"


def test_folded_lines_lead_to_their_question_and_unfold_in_their_place(browser, served):
    with Visit(browser, f"{served}02-matmul.html", viewport={"width": 360, "height": 800}) as visit:
        place, box = visit.page.locator("#same-count"), visit.page.locator("#predict-library-over-python")
        fold = place.locator(".hf-fold")
        expect(fold).to_contain_text("hidden lines answer questions 1 and 2")
        assert fold.bounding_box()["height"] < 45
        fold.get_by_role("link", name="2").click()
        expect(box).to_be_in_viewport()
        before = box.evaluate(TOP)
        box.get_by_role("button", name="Skip: show me").click()
        expect(fold).to_contain_text("hidden lines answer question 1:")  # which is still open
        assert box.evaluate(TOP) == pytest.approx(before, abs=1)
        fold.scroll_into_view_if_needed()
        before = place.evaluate(TOP)
        fold.get_by_role("button", name="Show them now").click()
        expect(fold).to_have_count(0)
        expect(place.get_by_text("The C++ loops take")).to_be_visible()
        assert place.evaluate(TOP) == pytest.approx(before, abs=1)


def test_a_link_into_folded_lines_unfolds_them(browser, served):
    with Visit(browser, f"{served}02-matmul.html") as visit:
        visit.page.evaluate("document.querySelector('#same-count p').id = 'linked'")
        expect(visit.page.locator("#linked")).to_be_hidden()
        visit.page.evaluate("location.hash = 'linked'")
        expect(visit.page.locator("#linked")).to_be_in_viewport()


def test_a_slip_of_the_hand_is_no_answer_and_a_dropped_dot_can_be_taken_back(browser, served):
    with Visit(browser, f"{served}index.html") as visit:
        dot, box = visit.page.locator(".hf-drag circle").last, visit.page.locator("#predict-where-naive-falls")
        dot.scroll_into_view_if_needed()
        for far, answered in ((2, 0), (-60, 1)):
            x, y, wide, high = dot.bounding_box().values()
            visit.page.mouse.move(x + wide / 2, y + high / 2)
            visit.page.mouse.down()
            visit.page.mouse.move(x + wide / 2, y + high / 2 + far, steps=4)
            visit.page.mouse.up()
            expect(visit.page.locator(".hf-answered")).to_have_count(answered)
        labels = visit.page.locator("#front-roofline svg > text").count()
        assert labels == visit.page.locator("#front-roofline .hf-bet ~ text").count() > 0  # it is drawn below them
        box.get_by_role("button", name="Try again").click()
        expect(dot).to_be_visible()
        expect(box.locator(".hf-predict-score")).to_be_empty()

"""{drawing}: a drawing of an idea, inline in the page; anything that would affect the rest of the page is refused; steps that a
reader moves through."""

import re

import pytest
from playwright.sync_api import Page, expect
from press.pictures import drawing
from whole import CHAPTERS, Visit

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 100">
<title>A door</title><desc>A door, and a crate before it.</desc>
<style>.hf-01-door rect { animation: hf-01-door-move 2s } @keyframes hf-01-door-move { from { x: 0 } 50%, to { x: 9px } }
@media (prefers-reduced-motion) { .hf-01-door rect { animation: none } }</style>
<rect id="hf-01-door-crate" class="s-ink" x="0" y="0" width="10" height="10"/><use href="#hf-01-door-crate"/>
<text x="0" y="40">a &lt; b</text>
</svg>
"""
STEPS = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 100" data-first="1" data-last="3" data-at="2"
 data-unit="crates"><title>Crates</title><desc>One crate more in each step.</desc>
<rect class="f-ink a" width="1" height="1" data-to="1"/><rect class="b" width="1" height="1" data-from="2"/>
<rect class="c" width="1" height="1" data-from="3" data-to="3"/><rect class="d" width="1" height="1"/>
</svg>
"""
PAGE = "# Page\n\n```{drawing} 01-door\n:name: fig-door\nIt *opens*.\n```\n"


@pytest.fixture
def drawn(site):
    """Writes a drawing and builds a page that shows it."""
    def build(svg: str, page: str = PAGE):
        site.drawing(svg)
        site.page(page)
        return site.build()

    build.site, build.address = site, (site.root / "build" / "out" / "index.html").as_uri()
    return build


def test_a_drawing_stands_in_the_page_with_its_words(drawn):
    result = drawn(SVG)
    assert (result.status, result.said) == (0, "")
    html = drawn.site.html()
    assert 'class="hf-drawing hf-01-door"' in html and 'aria-labelledby="hf-01-door-drawn-title hf-01-door-drawn-desc"' in html
    assert '<title id="hf-01-door-drawn-title">A door</title>' in html and "a &lt; b" in html and "svg:" not in html
    assert '<figure class="hf-drawn align-default" id="fig-door">' in html and "It opens." in drawn.site.text()
    assert "drawings.css" in html and "steps.js" not in html


def test_a_page_is_read_again_when_its_drawing_changes(drawn):
    drawn(SVG)
    assert drawn.site.build().read == []
    drawn.site.drawing(SVG.replace("A door<", "A gate<"))
    assert drawn.site.build().read == ["index"]
    assert "A gate" in drawn.site.html()


def test_a_script_runs_again_when_it_or_what_it_draws_with_has_changed(drawn):
    drawn(SVG)
    svg, sketch = drawn.site.root / "build/drawings/01-roofline/01-door.svg", drawn.site.root / "drawings/sketch.py"
    before = svg.stat().st_mtime_ns
    drawn.site.page(PAGE + "More prose.\n")
    assert drawn.site.build().read == ["index"] and svg.stat().st_mtime_ns == before
    sketch.write_text("WIDTH = 520\n")
    assert drawn.site.build().read == ["index"] and svg.stat().st_mtime_ns != before


def test_a_script_that_fails_is_named_with_its_line_until_it_does_not(drawn):
    drawn(SVG)
    script = drawn.site.root / "drawings" / "01-roofline.py"
    script.write_text("import sys\nprint(colour)\n")
    for _ in range(2):
        assert "drawings/01-roofline.py:2: NameError: name 'colour' is not defined; correct it, or sketch.py" in (
            " ".join(drawn.site.build().said.split()))
    assert drawn(SVG).status == 0


def test_a_script_that_does_not_end_is_stopped(drawn, monkeypatch):
    monkeypatch.setattr(drawing, "SECONDS", 1)
    drawn.site.drawing(SVG).write_text("while True: pass\n")
    drawn.site.page(PAGE)
    assert "drawings/01-roofline.py did not finish in 1 s: look for a loop" in " ".join(drawn.site.build().said.split())


@pytest.mark.parametrize(("old", "new", "problem"), [
    ("<title>A door</title>", "", "needs a <title> with words"),
    ("A door, and a crate before it.", " ", "needs a <desc> with words"),
    ('viewBox="0 0 520 100"', 'viewBox="0 0 520 100" width="520"', "no width or height at its root"),
    ("<text", "<script>x()</script><text", "<script> is not allowed in a drawing"),
    ("<text", "<image/><text", "<image> is not allowed in a drawing"),
    ("<text", '<text onclick="x()"', "onclick would run a script"),
    ('href="#hf', 'href="other.svg#hf', "refers to something elsewhere"),
    ('class="s-ink"', 'style="fill: url(http://a.b/c)"', "refers to something elsewhere"),
    ('id="hf-01-door-crate"', 'id="crate"', 'id "crate" may clash'),
    (".hf-01-door rect { animation: hf", "rect { animation: hf", 'the selector "rect" applies to the whole page'),
    (".hf-01-door rect { animation: none", ".hf-01-doors rect { animation: none", "applies to the whole page"),
    ("@keyframes hf-01-door-move", "@keyframes move", '"@keyframes move" may clash'),
    ("<style>", "<style>@import 'a.css';", "loads something from elsewhere"),
    ("</svg>", "", "is not well-formed"),
    ('viewBox="0 0 520 100"', 'viewBox="0 0 520 100" data-last="3"', "steps need data-first, data-at and data-last"),
])
def test_what_reaches_out_of_a_drawing_is_refused(drawn, old, new, problem):
    assert old in SVG
    result = drawn(SVG.replace(old, new, 1))
    assert result.status == 1 and problem in " ".join(result.said.split())
    assert "Not shown: Drawing 01-door:" in drawn.site.text()


def test_a_drawing_that_is_not_there_or_has_no_takeaway_says_so(drawn):
    assert "drawings/01-roofline.py does not draw it" in drawn(SVG, PAGE.replace("01-door", "01-gate")).said
    assert "needs a body of one paragraph" in drawn(SVG, "# Page\n\n```{drawing} 01-door\n```\n").said


def test_what_is_not_drawn_any_more_is_gone(drawn):
    drawn(SVG)
    drawn.site.drawing(SVG, "01-gate")
    assert "drawings/01-roofline.py does not draw it" in drawn.site.build().said
    (drawn.site.root / "drawings" / "01-roofline.py").unlink()
    assert "drawings/01-roofline.py is missing" in drawn.site.build().said


def test_a_script_that_is_not_there_is_named(drawn):
    result = drawn(SVG, PAGE.replace(":name:", ":script: hinges\n:name:"))
    assert result.status == 1
    assert ":script: hinges is unknown; add hf-hinges with press.assets.also()" in " ".join(result.said.split())


def expect_shown(page: Page, names: str) -> None:
    """Expects these of the drawing's four crates to be visible."""
    for name in "abcd":
        expect(page.locator(f"svg.hf-drawing rect.{name}")).to_be_visible(visible=name in names)


def test_steps_are_moved_by_a_slider_and_a_button(drawn, browser):
    drawn(STEPS)
    with Visit(browser, drawn.address) as visit:
        slider = visit.page.get_by_role("slider", name="Crates")
        expect_shown(visit.page, "bd")
        expect(slider).to_have_attribute("aria-valuetext", "crates 2")
        slider.focus()
        slider.press("ArrowRight")
        expect_shown(visit.page, "bcd")
        slider.press("Home")
        expect_shown(visit.page, "ad")
        expect(slider).to_have_attribute("aria-valuetext", "crates 1")
        visit.page.get_by_role("button", name="Play").click()
        expect(slider).to_have_value("3")
        expect(visit.page.get_by_role("button", name="Replay")).to_be_visible()
        assert visit.errors == []


def test_without_scripts_the_step_that_the_drawing_names_is_shown(drawn, browser):
    drawn(STEPS)
    with Visit(browser, drawn.address, java_script_enabled=False) as visit:
        expect_shown(visit.page, "bd")
        expect(visit.page.get_by_role("slider")).to_have_count(0)


def moving(says: str) -> str:
    return (STEPS.replace('data-unit="crates"', f'data-says="{says}"')
            .replace('class="d"', 'class="d" data-places="0,0 20,5"'))


def test_a_step_has_its_sentence_and_what_moves_its_place(drawn, browser):
    assert drawn(moving("One.|Two of them.|Three.")).status == 0
    with Visit(browser, drawn.address) as visit:
        assert visit.page.locator("svg.hf-drawing + .hf-steps + .hf-says").count() == 1  # Play is directly under the picture
        says, slider = visit.page.locator(".hf-says p:visible"), visit.page.get_by_role("slider", name="Crates")
        expect(says).to_have_text(["Two of them."])
        expect(slider).to_have_attribute("aria-valuetext", "Two of them.")
        visit.page.evaluate("document.fonts.ready")
        height = visit.page.locator(".hf-says").bounding_box()["height"]
        slider.press("Home")
        expect(says).to_have_text(["One."])
        assert visit.page.locator(".hf-says").bounding_box()["height"] == height
        expect(visit.page.locator(".hf-steps output")).to_have_text("step 1 of 3")
        place = "document.querySelector('rect.d').style.transform"
        assert visit.page.evaluate(place) == "translate(0px, 0px)"
        slider.press("End")  # the last place remains
        assert visit.page.evaluate(place) == "translate(20px, 5px)"
    assert 'transform="translate(20,5)"' in drawn.site.html()


def test_each_step_wants_a_sentence_where_one_has_one(drawn):
    assert "needs a sentence for each step" in " ".join(drawn(moving("One.|Two.")).said.split())


def test_the_books_drawings_can_stand_in_a_page(drawings):
    assert drawings
    for path in drawings:
        drawing.read(path)


def test_the_books_drawings_move_under_its_policy(browser, base):
    with Visit(browser, base + "02-matmul.html") as visit:
        slider = visit.page.get_by_role("slider", name="The walk down a column")
        count = visit.page.locator("svg.hf-02-column text.end:not(.hf-off)")
        expect(count).to_have_text(["22", "7"])
        slider.press("Home")
        expect(count).to_have_text(["0", "0"])
        assert visit.errors == []


def test_the_pipeline_fills_beat_by_beat_and_its_bubble_is_the_formulas(browser, base):
    with Visit(browser, base + "05-scaling.html") as visit:
        slider = visit.page.get_by_role("slider", name="A pipeline of four stages")
        count = """colour => [...document.querySelectorAll(`svg.hf-05-pipeline g rect${colour}`)]
            .filter(cell => !cell.closest(".hf-off")).length"""
        cells = lambda: (visit.page.evaluate(count, ".f-blue"), visit.page.evaluate(count, ".t-quiet"))
        assert cells() == (16, 12)  # as without scripts: four micro-batches
        slider.focus()
        visit.page.keyboard.press("Home")
        for parts in (1, 2, 4, 8):
            for beat in range(1, parts + 4):
                works, waits = cells()
                assert works + waits == 4 * beat and works == sum(0 <= b - s < parts for b in range(beat) for s in range(4))
                visit.page.keyboard.press("ArrowRight")
        works, waits = cells()
        assert (works, waits / (works + waits)) == (64, pytest.approx(3 / 19))
        assert "16 of 19 beats" in slider.get_attribute("aria-valuetext") and visit.errors == []


def test_the_sum_goes_round_until_all_have_it(browser, base):
    with Visit(browser, base + "05-scaling.html") as visit:
        slider = visit.page.get_by_role("slider", name="A ring all-reduce")
        slider.focus()
        visit.page.keyboard.press("Home")
        stripes = """() => Math.max(1, ...[...document.querySelectorAll("svg.hf-05-ring g[data-places]:not(.hf-off)")]
            .map(figure => figure.querySelectorAll("rect").length))"""
        for passed in (1, 2, 3, 4, 4, 4, 4):
            assert visit.page.evaluate(stripes) == passed
            visit.page.keyboard.press("ArrowRight")
        assert visit.errors == []


def test_the_first_words_of_a_sentence_are_bold_where_a_colon_follows(drawn):
    assert drawn(moving("One.|Two: of them, and more: all.|Three &amp; four.")).status == 0
    assert ('<p class="hf-off">One.</p><p><b>Two:</b> of them, and more: all.</p><p class="hf-off">Three &amp; four.</p>'
            in drawn.site.html())


def test_words_show_the_step_that_they_speak_of(drawn, browser):
    page = PAGE.replace("It *opens*.", "Once {step}`three are there <3>`, no more come.") + "\n{step}`one <fig-door 1>`.\n"
    assert drawn(STEPS, page).status == 0
    assert "Once three are there, no more come." in drawn.site.text()
    with Visit(browser, drawn.address) as visit:
        expect_shown(visit.page, "bd")
        visit.page.get_by_role("button", name="three are there").hover()
        expect_shown(visit.page, "bcd")
        expect(visit.page.get_by_role("slider")).to_have_value("3")
        visit.page.get_by_role("button", name="one", exact=True).press("Enter")
        expect_shown(visit.page, "ad")
        assert visit.errors == []
    with Visit(browser, drawn.address, java_script_enabled=False) as visit:
        expect(visit.page.get_by_role("button", name="one", exact=True)).to_have_count(0)


def test_words_without_a_step_are_refused(drawn):
    assert "{step} needs words <figure step>, not: one" in " ".join(drawn(STEPS, PAGE + "\n{step}`one`\n").said.split())


def test_every_step_that_the_book_speaks_of_is_in_its_drawing(book):
    found = []
    for chapter in CHAPTERS:
        html = (book / f"{chapter}.html").read_text(encoding="utf-8")
        ends = {name: (int(first), int(last)) for name, first, last in re.findall(
            r'<figure class="[^"]*hf-stepped[^"]*" id="([^"]+)">\s*<svg[^>]*? data-first="(\d+)" data-last="(\d+)"', html)}
        for inside, body in re.findall(r'<figure class="[^"]*hf-stepped[^"]*" id="([^"]+)">(.*?)</figure>', html, re.S):
            found += [(ends[inside], int(step)) for step in re.findall(r'data-of="" data-step="(\d+)"', body)]
        found += [(ends[name], int(step)) for name, step in re.findall(r'data-of="([^"]+)" data-step="(\d+)"', html)]
    assert len(found) >= 10 and all(first <= step <= last for (first, last), step in found)

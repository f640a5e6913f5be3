"""Reading aids on every page: cards, copying, keys, the way back, progress."""

import re

import pytest
from playwright.sync_api import expect
from walk import CALCULATORS, SETTLED
from whole import Visit

CARD, TERM = "#hf-definition", "article p a.reference.internal[title]:has(.std-term)"


@pytest.fixture
def visit(browser, served):
    with Visit(browser, served + "01-roofline.html") as visit:
        yield visit
        assert visit.errors == []


def test_a_term_is_explained_while_the_pointer_is_on_it_or_on_its_card(visit):
    term = visit.page.locator(TERM).first
    meaning = term.get_attribute("title")
    term.hover()
    card = visit.page.locator(CARD)
    expect(card).to_be_visible()
    expect(card).to_have_text(meaning)
    expect(visit.page.locator("[aria-describedby=hf-definition]")).to_have_count(1)
    visit.page.clock.install()
    card.hover()
    visit.page.clock.run_for(1000)
    expect(card).to_be_visible()
    visit.page.mouse.move(2, 2)
    visit.page.clock.run_for(1000)
    expect(card).not_to_be_visible()
    expect(term).to_have_attribute("title", meaning)


def test_a_card_opens_on_focus_and_escape_closes_it(visit):
    visit.page.keyboard.press("Tab")
    visit.page.locator(TERM).first.focus()
    card = visit.page.locator(CARD)
    card.wait_for(state="visible")
    visit.page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    expect(visit.page.locator(TERM).first).to_be_focused()


def test_a_citation_and_a_footnote_have_cards(visit):
    for link in ("article a.reference.internal[href^='references']", "article a.footnote-reference"):
        visit.page.locator(f"{link}:visible").first.hover()  # others answer an open question
        expect(visit.page.locator(CARD)).to_be_visible()
        expect(visit.page.locator(CARD)).to_have_text(re.compile(".{20}"))
        visit.page.mouse.move(2, 2)
        visit.page.locator(CARD).wait_for(state="hidden")


def test_a_card_stays_in_the_window_of_a_telephone_and_a_second_touch_follows_the_link(browser, served):
    with Visit(browser, served + "01-roofline.html", viewport={"width": 320, "height": 600}, has_touch=True) as visit:
        for place in range(8):
            link = visit.page.locator(TERM.replace("[title]", "")).nth(place)
            link.scroll_into_view_if_needed()
            meaning = link.get_attribute("title")
            visit.page.evaluate(SETTLED)  # scrolling hides a card
            link.tap()
            expect(visit.page.locator(CARD)).to_contain_text(meaning)
            box = visit.page.locator(CARD).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 320
            assert box["y"] >= 0 and box["y"] + box["height"] <= 600
            assert visit.page.url.endswith("01-roofline.html")
        expect(visit.page.locator(CARD + " a")).to_be_visible()
        link.tap()
        visit.page.wait_for_url("**/glossary.html#term-*")


# Where the last of some links stands in the window; what lies above it may fold meanwhile.
STANDS = "links => [...document.querySelectorAll(links)].at(-1).getBoundingClientRect().top"


@pytest.mark.parametrize(("page", "link"), [
    ("01-roofline", "article a.footnote-reference"),
    ("01-roofline", "article a[href^='#fig-']:not(.headerlink)"),
    ("01-roofline", TERM.replace("[title]", "")),  # a card takes it
    ("01-roofline", "article a.reference.internal[href^='references']"),
    ("claims", "article a[href*='#claim-']"),
])  # fmt: skip
def test_every_jump_has_a_way_back(browser, served, page, link):
    with Visit(browser, f"{served}{page}.html") as visit:
        visit.page.evaluate(CALCULATORS)  # each has its height before a position is remembered
        back, left = visit.page.locator(".hf-back"), visit.page.locator(link).last
        expect(back).not_to_be_visible()
        left.scroll_into_view_if_needed()
        left.focus()
        visit.page.evaluate(SETTLED)
        place = visit.page.evaluate(STANDS, link)
        visit.page.keyboard.press("Enter")
        back.wait_for(state="visible")
        expect(visit.page.locator("header .hf-back")).to_be_visible()  # there it covers no words
        expect(visit.page).to_have_url(re.compile("#"))
        back.click()
        visit.page.wait_for_url(f"**/{page}.html")
        visit.page.wait_for_function(f"link => Math.abs(({STANDS})(link) - {place}) < 3", arg=link)
        back.wait_for(state="hidden")


def test_the_way_back_goes_when_one_reads_on(visit):
    visit.page.clock.install()
    visit.page.locator("article a[href^='#fig-']:not(.headerlink)").first.click()
    back = visit.page.locator(".hf-back")
    back.wait_for(state="visible")
    visit.page.clock.run_for(1100)  # it has landed
    expect(back).to_be_visible()
    visit.page.mouse.wheel(0, 3000)
    visit.page.wait_for_function("() => scrollY > innerHeight")
    visit.page.clock.run_for(100)
    back.wait_for(state="hidden")


def test_code_is_copied_as_it_stands(browser, served):
    with Visit(browser, served + "01-roofline.html", permissions=["clipboard-read", "clipboard-write"]) as visit:
        block = visit.page.locator("article div.highlight").first
        block.hover()
        visit.page.clock.install()  # it shows this until the test ends
        block.locator(".hf-copy").click()
        expect(block.get_by_text("Copied")).to_be_visible()
        expect(visit.page.locator("body > [role=status]")).to_have_text("Copied")
        copied = visit.page.evaluate("navigator.clipboard.readText()")
        assert copied == block.locator("pre").text_content().rstrip("\n")


def test_arrow_keys_turn_the_page_but_not_while_something_takes_them(visit):
    visit.page.keyboard.press("ArrowRight")
    visit.page.wait_for_url("**/02-matmul.html")
    visit.page.keyboard.press("ArrowLeft")
    visit.page.wait_for_url("**/01-roofline.html")
    asked = []
    visit.page.on("request", lambda request: asked.append(request.url))
    visit.page.evaluate("scrollTo({top: 2000, behavior: 'instant'})")  # a half-read page
    visit.page.keyboard.press("ArrowRight")
    visit.page.evaluate(SETTLED)
    visit.page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    visit.page.evaluate("document.querySelector('article').insertAdjacentHTML('afterbegin', '<input value=abc>')")
    visit.page.locator("article input").first.focus()
    visit.page.keyboard.press("ArrowRight")
    visit.page.keyboard.press("Alt+Shift+ArrowRight")
    visit.page.evaluate(SETTLED)
    assert asked == []
    visit.page.locator("details.hf-keys summary").click()
    expect(visit.page.locator("details.hf-keys p").first).to_be_visible()
    expect(visit.page.locator("details.hf-keys")).to_contain_text("next page")


def test_a_heading_s_link_to_itself_is_no_stop_of_the_tab_key(visit):
    assert visit.page.locator(".headerlink").count() > 5
    expect(visit.page.locator(".headerlink:not([tabindex='-1'])")).to_have_count(0)


def test_a_line_says_how_far_one_is(visit):
    width = "document.querySelector('.hf-progress').getBoundingClientRect().width / innerWidth"
    assert visit.page.evaluate(width) < 0.01
    visit.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    visit.page.wait_for_function(f"() => {width} > 0.98")


def test_without_scripts_no_button_is_dead_and_titles_say_what_cards_would(browser, book):
    with Visit(browser, (book / "01-roofline.html").as_uri(), java_script_enabled=False) as visit:
        assert visit.page.locator(".hf-copy, .hf-keys, .hf-progress, .hf-definition").count() == 0
        assert visit.page.locator(TERM).count() > 5


def test_orange_means_memory_or_a_failure_and_nothing_else(browser, served):
    with Visit(browser, f"{served}01-roofline.html") as visit:
        orange, painted = visit.page.evaluate("""() => {
          const probe = document.body.appendChild(document.createElement("p")), paint = (each) => {
            const {color, backgroundColor, borderLeftColor} = getComputedStyle(each);
            return [color, backgroundColor, borderLeftColor];
          };
          probe.style.color = "var(--hf-orange)";
          const calm = ".hf-progress, .takeaway, .hf-copy, .highlight, .highlight span, :target";
          return [getComputedStyle(probe).color, [...document.querySelectorAll(calm)].flatMap(paint)];
        }""")
        assert len(painted) > 100 and orange not in painted

"""The machine switcher, the content that changes with it, and two machines in one figure, in a real browser."""

import json
import re
from itertools import permutations

import pytest
from conftest import LAB
from playwright.sync_api import Page, expect
from walk import SETTLED
from whole import DEFAULT, PROJECT, Visit

XEON = "intel-xeon-2-cores-vm"  # has measured only chapter 01
EPYC = "amd-epyc-zen-4-2-cores-vm"
SWITCH = "#hf-machine select"
UNCOVER = "document.querySelectorAll('.hf-predict-skip').forEach(button => button.click())"
SLOTS = "[...document.querySelectorAll('.hf-slot')].map(slot => slot.innerHTML)"
# The page as a reader sees it, without hidden text.
PAGE = """() => ({
  numbers: [...document.querySelectorAll("article p .hf-number")].map(e => e.textContent),
  figures: [...document.querySelectorAll("figure svg.hf-figure desc")].map(e => e.textContent),
  verdicts: [...document.querySelectorAll(".hf-claim")].map(e => e.textContent),
  captions: [...document.querySelectorAll("figcaption .hf-provenance")].map(e => e.textContent),
})"""


def until_shown(page: Page, slug: str) -> None:
    """Waits until the page shows that machine."""
    page.wait_for_function(f"() => press.machine === '{slug}'")


def switch(visit: Visit, slug: str) -> None:
    """Chooses a machine as a reader does, and waits until the page shows it."""
    visit.page.locator(SWITCH).select_option(slug)
    until_shown(visit.page, slug)


def test_numbers_figures_verdicts_and_captions_change_together_and_back(browser, base):
    with Visit(browser, f"{base}{LAB}.html") as visit:
        before, slots = visit.page.evaluate(PAGE), visit.page.evaluate(SLOTS)
        loaded = len([url for url in visit.requests if url.endswith(".html")])
        visit.page.evaluate("document.addEventListener('hf:machine', event => window.told = event.detail)")
        switch(visit, XEON)
        after = visit.page.evaluate(PAGE)
        for part, least in (("numbers", 10), ("figures", 3), ("verdicts", 8), ("captions", 3)):
            changed = sum(a != b for a, b in zip(before[part], after[part]))
            assert changed >= least, part
        own = [caption for caption in visit.page.locator(".hf-provenance:not(.hf-elsewhere)").all_text_contents()
               if caption.startswith("Measured") and "record" in caption]
        assert len(own) >= 3 and all("Intel Xeon" in caption for caption in own)
        assert visit.page.evaluate("told") == {"machine": XEON, "name": "Intel Xeon Processor, 2 cores"}
        switch(visit, DEFAULT)
        assert visit.page.evaluate(SLOTS) == slots and visit.page.evaluate(PAGE) == before
        assert len([url for url in visit.requests if url.endswith(".html")]) == loaded  # nothing was loaded again
        assert visit.errors == []


def test_a_choice_is_remembered_on_every_page(browser, base):
    with Visit(browser, f"{base}{LAB}.html") as visit:
        switch(visit, XEON)
        chosen = visit.page.evaluate(PAGE)
        visit.page.reload()
        until_shown(visit.page, XEON)
        assert visit.page.evaluate(PAGE) == chosen
        visit.page.goto(f"{base}glossary.html")
        expect(visit.page.locator(SWITCH)).to_have_value(XEON)
        assert visit.errors == []


def test_an_address_can_name_a_machine_and_wins_over_what_is_remembered(browser, base):
    with Visit(browser, f"{base}{LAB}.html") as visit:
        switch(visit, EPYC)
        visit.page.goto(f"{base}{LAB}.html?machine={XEON}")
        until_shown(visit.page, XEON)
        expect(visit.page.locator(SWITCH)).to_have_value(XEON)
        expect(visit.page.locator(".hf-provenance a[href^=machines]").first).to_contain_text("Intel Xeon")
        switch(visit, EPYC)
        visit.page.reload()
        until_shown(visit.page, EPYC)  # the address does not undo a later choice
        visit.page.goto(f"{base}{LAB}.html?machine=nobody-has-this")
        until_shown(visit.page, EPYC)
        assert visit.errors == []


# For each frame: whether the visible numbers are the Xeon's.
FLASHES = """
  window.flashes = new Set();
  const look = () => {
    const text = document.querySelector(".hf-provenance a[href^=machines]");
    if (text && getComputedStyle(text).visibility === "visible") flashes.add(text.textContent.includes("Intel Xeon"));
    requestAnimationFrame(look);
  };
  look();
"""


# test_weight.py checks that nothing moves.
@pytest.mark.parametrize("order", [*permutations(("font", "machine", "figure"))], ids="-".join)
def test_another_machines_page_opens_without_a_flash(browser, arrivals, order):
    with arrivals.visit(browser, f"{LAB}.html?machine={XEON}", order, FLASHES) as page:
        until_shown(page, XEON)
        expect(page.locator("article")).to_be_visible()
        page.evaluate(SETTLED)
        assert page.evaluate("[...flashes]") == [True]


def test_another_machines_page_opens_from_a_file_without_a_flash(browser, book):
    with Visit(browser, "about:blank") as visit:
        visit.page.add_init_script(FLASHES)
        visit.page.goto(f"{book.as_uri()}/{LAB}.html?machine={XEON}")
        until_shown(visit.page, XEON)
        expect(visit.page.locator("article")).to_be_visible()
        visit.page.evaluate(SETTLED)
        assert visit.page.evaluate("[...flashes]") == [True]


def test_a_chapter_says_whose_numbers_it_shows_for_want_of_the_chosen_machines(browser, base):
    with Visit(browser, f"{base}02-matmul.html") as visit:
        before, select = visit.page.evaluate(PAGE), visit.page.locator(SWITCH)
        elsewhere = visit.page.locator(".hf-elsewhere.hf-number")
        borrowed = elsewhere.count()  # what the default machine itself has from others
        offered = select.evaluate("select => [...select.options].map(option => option.value)")
        assert DEFAULT in offered and XEON not in offered
        visit.page.goto(f"{base}{LAB}.html")
        switch(visit, XEON)
        visit.page.goto(f"{base}02-matmul.html")
        chosen, says = visit.page.locator(".hf-chosen > span"), visit.page.locator("#hf-machine [role=status]")
        assert says.inner_text() == "Not run on Xeon\u00a0·\u00a02; numbers from"
        short, name = visit.page.evaluate("slug => { const {short, name} = press.machines.find(each => each.slug === slug); "
                                          "return [short, name]; }", DEFAULT)
        assert short and name and chosen.inner_text() == short
        assert visit.page.evaluate(PAGE) == before and elsewhere.count() == borrowed
        switch(visit, EPYC)  # choosing the replacement counts as a choice
        switch(visit, DEFAULT)
        assert chosen.inner_text() == short and select.evaluate("select => select.selectedOptions[0].label") == name
        assert says.inner_text().endswith("changed") and visit.errors == []


def test_on_a_phone_the_choice_of_machine_is_below_the_header_and_scrolls_away(browser, served):
    with Visit(browser, f"{served}{LAB}.html", viewport={"width": 360, "height": 740}) as visit:
        name, select, label = map(visit.page.locator, (".hf-home span", SWITCH, "#hf-machine [role=status]"))
        header = visit.page.locator("header").bounding_box()
        assert name.bounding_box()["width"] > 80 and visit.page.locator(".hf-here").is_hidden()
        assert select.bounding_box()["y"] >= header["y"] + header["height"] and select.bounding_box()["width"] > 150
        assert label.inner_text() == "Numbers from" and label.bounding_box()["width"] > 60
        visit.page.evaluate("scrollTo({top: 2000, behavior: 'instant'})")
        visit.page.evaluate(SETTLED)
        assert 0 <= name.bounding_box()["y"] < 50 and select.bounding_box()["y"] < 0
        visit.page.set_viewport_size({"width": 1280, "height": 740})
        assert visit.page.locator("header #hf-machine select").is_visible()  # after the phone is rotated


def test_the_reader_keeps_the_place_at_every_moment(browser, served):
    with Visit(browser, f"{served}{LAB}.html") as visit:
        heading = visit.page.locator("article h2").nth(7)
        tops = heading.evaluate_handle("""heading => {
          scrollTo({top: heading.getBoundingClientRect().top + scrollY - 60, behavior: "instant"});
          const tops = [], look = () => { tops.push(heading.getBoundingClientRect().top); requestAnimationFrame(look); };
          look();
          return tops;
        }""")
        switch(visit, XEON)
        visit.page.evaluate(SETTLED)
        seen = tops.json_value()
        assert len(seen) > 3 and max(seen) - min(seen) <= 2


def test_ids_stay_unique_and_places_stay_linkable(browser, book, served):
    with Visit(browser, f"{served}{LAB}.html") as visit:
        places = visit.page.evaluate("[...document.querySelectorAll('figure[id], .hf-claim[id]')].map(e => e.id)")
        for slug in (XEON, EPYC):
            switch(visit, slug)
            ids = visit.page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
            assert len(ids) == len(set(ids)) and set(places) <= set(ids)


def test_without_scripts_the_page_is_the_default_machines_and_offers_no_other(browser, base):
    with Visit(browser, f"{base}{LAB}.html?machine={XEON}", java_script_enabled=False) as visit:
        expect(visit.page.locator("article")).to_be_visible()
        expect(visit.page.locator(f"{SWITCH}, .hf-compare button")).to_have_count(0)
        cpu = json.loads((PROJECT / f"figures/records/{DEFAULT}/{LAB}.json").read_text(encoding="utf-8"))["machine"]["cpu"]
        assert cpu in visit.page.locator(".hf-provenance").nth(1).text_content().replace("\u00a0", " ")


def test_a_change_of_machine_is_counted_and_tinted(browser, base):
    with Visit(browser, f"{base}{LAB}.html?machine={XEON}") as visit:
        until_shown(visit.page, XEON)
        says = visit.page.locator("#hf-machine [role=status]")
        assert says.inner_text() == "Numbers from"  # the reader has seen no other machine
        switch(visit, EPYC)
        tinted = visit.page.evaluate("document.getAnimations().filter(each => !(each instanceof CSSTransition)).length")
        count = int(re.match(r"(\d+) numbers, \d+ figures and \d+ verdicts? changed$", says.inner_text())[1])
        assert count > 10 and tinted >= count / 2 and visit.errors == []


def test_a_numbers_card_shows_every_machine_that_measured_it_on_one_axis(browser, base):
    with Visit(browser, f"{base}{LAB}.html") as visit:
        number = visit.page.locator("article section > p > .hf-slot > .hf-number[data-everywhere]").first
        number.hover()
        rows = visit.page.locator("#hf-definition .hf-axis > span")
        rows.first.wait_for()
        own = visit.page.locator("#hf-definition .hf-axis-own")
        assert own.locator("span").first.inner_text() == visit.page.locator(".hf-chosen > span").inner_text()
        assert rows.count() > 1 and number.inner_text().split()[0] in own.inner_text()
        places = rows.evaluate_all("""all => all.map(row => {
          const track = row.children[1];
          return [track.getBoundingClientRect().width, parseFloat(getComputedStyle(track, "::after").left)];
        })""")
        assert all(-5 < at < width for width, at in places) and len({width for width, _ in places}) == 1
        card = visit.page.locator("#hf-definition").bounding_box()
        assert card["x"] >= 0 and card["x"] + card["width"] <= visit.page.viewport_size["width"]
        assert visit.errors == []


def test_a_numbers_card_fits_a_telephone(browser, served):
    with Visit(browser, f"{served}{LAB}.html", viewport={"width": 360, "height": 800}) as visit:
        visit.page.locator(".hf-number[data-everywhere]:has-text('GFLOP/s')").locator("visible=true").first.hover()
        visit.page.locator("#hf-definition .hf-axis > span").first.wait_for()
        assert visit.page.locator("#hf-definition").evaluate("card => card.scrollWidth <= card.clientWidth")


def test_a_numbers_card_shows_its_line_of_code(browser, base):
    with Visit(browser, f"{base}{LAB}.html") as visit:
        number = visit.page.locator("article section > p > .hf-slot > .hf-number[data-code]").first
        number.hover()
        code, card = visit.page.locator("#hf-definition > code"), visit.page.locator("#hf-definition")
        expect(code).to_have_text(number.get_attribute("data-code"))
        assert code.bounding_box()["width"] <= card.bounding_box()["width"] and visit.errors == []


def test_the_chooser_is_as_wide_on_every_page_for_every_machine(browser, book, served):
    widths = set()
    for width in (360, 768, 1440):
        with Visit(browser, f"{served}{LAB}.html", viewport={"width": width, "height": 800}) as visit:
            for slug in (XEON, EPYC, DEFAULT):
                switch(visit, slug)
                widths.add(visit.page.locator(".hf-chosen").bounding_box()["width"])
                inside = "box => box.querySelector('span').scrollWidth <= box.querySelector('span').clientWidth"
                assert visit.page.locator(".hf-chosen").evaluate(inside), (slug, width)  # the name is whole
            visit.page.goto(f"{served}glossary.html")
            widths.add(visit.page.locator(".hf-chosen").bounding_box()["width"])
    assert len(widths) == 1, widths


def test_a_file_that_does_not_come_leaves_the_page_as_it_was(browser, served):
    with Visit(browser, f"{served}glossary.html") as visit:
        visit.page.route(f"**/_machines/{LAB}/*", lambda route: route.abort())
        visit.page.goto(f"{served}{LAB}.html?machine={XEON}")
        visit.page.wait_for_function("() => !document.documentElement.classList.contains('hf-changing')")
        expect(visit.page.locator("article")).to_be_visible()
        expect(visit.page.locator(SWITCH)).to_have_value(DEFAULT)
        assert visit.page.evaluate("press.machine") == DEFAULT


@pytest.mark.parametrize("page", ["07-compilers", LAB])
def test_what_is_in_sight_changes_first_and_with_little_work(browser, served, page):
    """A press must be answered within a tenth of a second, however long the chapter is."""
    with Visit(browser, f"{served}{page}.html") as visit:
        visit.page.evaluate(UNCOVER)
        late, early, changed = visit.page.evaluate("""async slug => {
          scrollTo({top: document.documentElement.scrollHeight / 3, behavior: "instant"});
          await press.variantOf(slug);
          const slots = [...document.querySelectorAll(".hf-slot")], words = () => slots.map(slot => {
            const copy = slot.cloneNode(true);  // the handle of an answered question is drawn again, unseen, in the end
            copy.querySelectorAll(".hf-drag").forEach(each => each.remove());
            return copy.textContent;
          });
          const before = words(), all = press.showMachine(slug);
          await new Promise(requestAnimationFrame);  // what is painted now
          const first = words(), range = new Range(), seen = slots.map(slot => {
            range.selectNodeContents(slot);
            const {top, bottom, height} = range.getBoundingClientRect();
            const folded = slot.closest("details:not([open])") || slot.querySelector("details:not([open])");
            return height > 0 && bottom > 0 && top < innerHeight && !folded;
          });
          await all;
          const differs = (one, other) => slots.map((_, i) => i).filter(i => one[i] !== other[i]);
          return [differs(first, words()).filter(i => seen[i]), differs(before, first).length, differs(before, words()).length];
        }""", EPYC)
        assert late == [] and 0 < early <= changed / 3


def test_what_a_question_hides_is_not_seen_while_the_machine_changes(browser, served):
    with Visit(browser, f"{served}{LAB}.html") as visit:
        seen = visit.page.evaluate("""async slug => {
          const count = selector => document.querySelectorAll(selector).length, seen = [];
          const hidden = [".hf-blank, .hf-folded", ".hf-veiled", ".hf-veiled svg.hf-figure:not(:has(.hf-telling))"];
          const look = () => {
            seen.push(hidden.map(count).join());
            requestAnimationFrame(look);
          };
          look();
          await press.showMachine(slug);
          return seen;
        }""", EPYC)
        assert len(seen) > 1 and len(set(seen)) == 1 and re.fullmatch("[1-9][0-9]*,[1-9][0-9]*,0", seen[0]), seen


def test_of_machines_asked_for_in_a_row_the_last_stays(browser, served):
    with Visit(browser, f"{served}{LAB}.html") as visit:
        slots = visit.page.evaluate(SLOTS)
        told = visit.page.evaluate("""async ([slugs, last]) => {
          const told = [];
          document.addEventListener("hf:machine", ({detail: {machine}}) => told.push(machine));
          await Promise.all(slugs.map(press.variantOf));
          for (const slug of slugs) {
            press.showMachine(slug);
            await new Promise(requestAnimationFrame);  // begun, and not at its end
          }
          await press.showMachine(last);
          return told;
        }""", [[XEON, EPYC], DEFAULT])
        assert told == [DEFAULT] and visit.page.evaluate(SLOTS) == slots
        expect(visit.page.locator(SWITCH)).to_have_value(DEFAULT)


def test_two_machines_stand_side_by_side_on_the_same_axes(browser, base):
    with Visit(browser, f"{base}{LAB}.html", viewport={"width": 1440, "height": 900}) as visit:
        switch(visit, EPYC)
        visit.page.evaluate(UNCOVER)
        button = visit.page.locator(".hf-compare[data-figure='01-latency'] button")
        figure = button.locator("xpath=ancestor::figure")
        button.scroll_into_view_if_needed()
        expect(button).to_have_attribute("title", re.compile(r"Compare Zen.4.·.2 with "))
        expect(button).to_have_text("compare with")
        own, plot = button.bounding_box(), figure.locator("svg.hf-figure").first.bounding_box()
        assert 0 <= plot["y"] - own["y"] - own["height"] < 12 and abs(own["x"] + own["width"] - plot["x"] - plot["width"]) < 4
        button.press("Enter")
        box = figure.locator(".hf-beside")
        box.wait_for(state="visible")
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(box.locator("svg")).to_have_count(2)
        assert box.locator(".hf-beside-name").first.text_content() == "Zen\u00a04\u00a0·\u00a02"
        scales = box.locator("svg").evaluate_all("""all => all.map(svg =>
          [...svg.querySelectorAll("text.f-quiet")].map(t => t.textContent).filter(t => /^[0-9.]+( .?i?B)?$/.test(t)))""")
        assert scales[0] == scales[1] != []
        assert box.locator(".hf-beside-words").text_content().endswith(".")
        lefts = box.locator("svg").evaluate_all("all => all.map(svg => svg.getBoundingClientRect().left)")
        assert lefts[0] < lefts[1]
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        ids = visit.page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids))
        switch(visit, XEON)
        expect(box.locator(".hf-beside-name").first).to_contain_text("Xeon")
        button.press("Enter")
        expect(box).not_to_be_visible()
        expect(figure.locator("svg.hf-figure").first).to_be_visible()
        caption = figure.locator(".caption-text")
        place = caption.bounding_box()["x"]
        figure.locator(".hf-sources > summary").press("Enter")
        expect(figure.locator(".hf-data table").first).to_be_visible()
        assert caption.bounding_box()["x"] == place
        assert visit.errors == []


def test_side_by_side_fits_a_telephone(browser, served):
    with Visit(browser, f"{served}{LAB}.html", viewport={"width": 360, "height": 800}) as visit:
        visit.page.evaluate(UNCOVER)
        button = visit.page.locator(".hf-compare button").locator("visible=true").nth(1)
        button.scroll_into_view_if_needed()
        button.click()
        box = visit.page.locator(".hf-beside").locator("visible=true").first
        box.wait_for()
        tops = box.locator("svg").evaluate_all("all => all.map(svg => svg.getBoundingClientRect().top)")
        header = visit.page.locator("header").bounding_box()["height"]
        assert header < tops[0] < header + 100 and tops[0] < tops[1] < 700  # both drawings are in view
        button.scroll_into_view_if_needed()
        place = button.bounding_box()["y"]
        button.click()
        assert abs(button.bounding_box()["y"] - place) < 1  # it stays where it was pressed
        button.click()
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert re.search("fast|long|high|differ", box.locator(".hf-beside-words").text_content())


def test_with_forced_colours_the_chooser_has_its_arrow_and_a_title_its_slope(browser, served):
    with Visit(browser, f"{served}{LAB}.html", forced_colors="active") as visit:
        arrow, slope, paper = visit.page.evaluate("""() => [
          getComputedStyle(document.querySelector(".hf-chosen"), "::after").content,
          getComputedStyle(document.querySelector("h1"), "::after").backgroundColor,
          getComputedStyle(document.body).backgroundColor]""")
        assert arrow == '"▾"' and slope not in (paper, "rgba(0, 0, 0, 0)")

"""The ledger in a browser: filters, fit, and targets of links."""

import re

import pytest
from conftest import CLAIMS, LAB, Site, change_value
from playwright.sync_api import Locator, expect
from whole import Visit

MACHINES = 6
FAILING = ["L1 delivers at least 3 times the bandwidth of DRAM.", "L1 answers in less than a fifth of the time."]
CLAIMS_PAGE = "# Page\n\n```{claims-squares}\n```\n\n```{claims-ledger}\n```\n\n```{toctree}\n:hidden:\n\n01-roofline\n```\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory, record_tool):
    """A ledger with many machines, on one of which a claim fails."""
    site = Site(tmp_path_factory.mktemp("ledger"), record_tool)
    site.record()
    for number in range(MACHINES):
        site.record(change_value("cache_gain", 2) if number == 3 else lambda record: None, published=f"machine-{number}")
    site.page(CLAIMS_PAGE)
    site.page("# Chapter\n\n" + "".join(f"```{{claim}} 01-roofline/{claim}\nNot here.\n```\n\n" for claim in (
        "simd-pays", "caches-make-a-ladder", "vector-add-waits", "memory-is-slow", "sides-predicted")), LAB)
    site.built()
    return (site.root / "build" / "out" / "index.html").as_uri()


def seen(visit) -> Locator:
    """The visible claims."""
    return visit.page.locator(".hf-ledger-lab tbody tr:visible td:first-child")


def test_it_is_filtered_and_the_address_says_how(browser, page):
    with Visit(browser, page) as visit:
        expect(seen(visit)).to_have_count(len(CLAIMS))
        expect(visit.page.locator(".hf-ledger-filter")).to_contain_text(f"{len(CLAIMS)} of {len(CLAIMS)} claims")
        visit.page.get_by_label("false somewhere").check()
        expect(seen(visit)).to_have_text(FAILING)
        expect(visit.page).to_have_url(re.compile(r"\?claims=fails$"))
        visit.page.get_by_label("not yet measured").check()
        expect(seen(visit)).to_have_text(["GPUs are wide."])
        visit.page.get_by_label("true everywhere").check()
        expect(seen(visit)).to_have_count(4)
        visit.page.get_by_label("in chapter").select_option(label="01")
        expect(visit.page).to_have_url(re.compile(r"\?claims=holds&chapter=01$"))
        expect(seen(visit)).to_have_count(4)
        assert visit.errors == []
    with Visit(browser, page + "?claims=fails&chapter=01") as visit:
        expect(seen(visit)).to_have_text(FAILING)
        expect(visit.page.get_by_label("false somewhere")).to_be_checked()
    with Visit(browser, page + "?claims=nonsense&chapter=99") as visit:
        expect(seen(visit)).to_have_count(len(CLAIMS))
        expect(visit.page.get_by_label("all", exact=True)).to_be_checked()


def test_a_square_for_each_claim_and_machine_leads_to_its_claim(browser, page):
    with Visit(browser, page) as visit:
        rows, says = visit.page.locator(".hf-ledger-sums tbody tr"), visit.page.locator(".hf-square-says")
        expect(rows).to_have_count(MACHINES + 1)
        for row in rows.all():
            expect(row.locator("rect")).to_have_count(len(CLAIMS))
            counts = dict(zip(("holds", "fails", "close", "made", "open"), map(int, row.locator("td").all_inner_texts()[2:])))
            assert {state: row.locator(f"rect.hf-{state}").count() for state in counts} == counts
        failing = visit.page.locator("rect.hf-fails")
        expect(failing).to_have_count(len(FAILING))
        visit.page.get_by_label("not yet measured").check()
        failing.first.hover()
        expect(says).to_contain_text(FAILING[0])
        expect(says).to_contain_text("false")
        failing.first.click()
        expect(visit.page.locator("tr.hf-sought")).to_contain_text(FAILING[0])
        expect(visit.page.locator("tr.hf-sought")).to_be_in_viewport()
        assert visit.errors == []


def test_the_filter_is_worked_by_the_keyboard(browser, page):
    with Visit(browser, page) as visit:
        visit.page.get_by_label("all", exact=True).focus()
        visit.page.keyboard.press("ArrowRight")
        expect(seen(visit)).to_have_text(FAILING)


def test_without_scripts_every_claim_is_there_and_no_filter(browser, page):
    with Visit(browser, page, java_script_enabled=False) as visit:
        expect(seen(visit)).to_have_count(len(CLAIMS))
        expect(visit.page.locator(".hf-ledger-filter")).not_to_be_visible()


@pytest.mark.parametrize("width", [360, 1440])
def test_every_verdict_can_be_reached(browser, served, width):
    with Visit(browser, f"{served}claims.html", viewport={"width": width, "height": 800}) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        cut = visit.page.locator(".hf-ledger-lab .hf-verdict").evaluate_all("""all => all.filter(verdict => {
          const box = verdict.closest(".hf-scroll"), own = verdict.getBoundingClientRect(), outer = box.getBoundingClientRect();
          return own.right > outer.right + 1 && box.scrollWidth <= box.clientWidth;
        }).length""")
        assert cut == 0
        heads = visit.page.locator(".hf-ledger-lab .hf-cell-head")
        assert heads.first.is_visible() == (width == 360)
        lines = visit.page.locator(".hf-ledger-sums td:first-child p").evaluate_all(
            "all => all.map(name => name.offsetHeight / parseFloat(getComputedStyle(name).lineHeight))")
        assert max(lines) < 2.5  # machines' names


def test_a_link_lands_below_the_header(browser, served):
    with Visit(browser, f"{served}claims.html", reduced_motion="reduce") as visit:
        visit.page.locator(".hf-ledger-lab td a").nth(3).click()
        visit.page.wait_for_function("""() => {
          const claim = location.hash.startsWith("#claim-") && document.querySelector(location.hash)?.getBoundingClientRect();
          return claim && document.querySelector("header").getBoundingClientRect().bottom <= claim.top && claim.top < 400;
        }""")


@pytest.mark.parametrize("width", [360, 800, 1440])
def test_the_squares_are_below_their_chapters_and_no_head_has_more_than_two_lines(browser, served, width):
    with Visit(browser, f"{served}claims.html", viewport={"width": width, "height": 900}) as visit:
        lines, axis, squares = visit.page.locator(".hf-ledger-sums table").evaluate("""table => {
          const lines = [...table.querySelectorAll("thead th:nth-child(n+3)")].map(head => {
            const range = document.createRange();
            range.selectNodeContents(head);
            return range.getBoundingClientRect().height / parseFloat(getComputedStyle(head).lineHeight);
          });
          const span = svg => { const {left, width} = svg.getBoundingClientRect(); return [left, width]; };
          return [lines, ...[".hf-squares:has(text)", ".hf-squares:has(rect)"].map(each => span(table.querySelector(each)))];
        }""")
        assert max(lines) < 2.5 and squares == pytest.approx(axis, abs=2)
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

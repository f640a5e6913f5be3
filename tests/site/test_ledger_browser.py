"""The ledger in a browser: what is filtered, what fits, and where its links land."""

import pytest
from book import Visit
from conftest import CLAIMS, LAB, Site, change_value

MACHINES = 6
FAILING = ["L1 delivers at least 3 times the bandwidth of DRAM.", "L1 answers in less than a fifth of the time."]
CLAIMS_PAGE = "# Page\n\n```{claims-ledger}\n```\n\n```{toctree}\n:hidden:\n\n01-roofline\n```\n"


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
    build = site.build()
    assert build.status == 0, build.said
    return (site.root / "build" / "out" / "index.html").as_uri()


def seen(visit) -> list[str]:
    return [row.locator("td").first.inner_text() for row in visit.page.locator(".hf-ledger-lab tbody tr:visible").all()]


def test_it_is_filtered_and_the_address_says_how(browser, page):
    with Visit(browser, page) as visit:
        assert len(seen(visit)) == len(CLAIMS)
        assert f"{len(CLAIMS)} of {len(CLAIMS)} claims" in visit.page.locator(".hf-ledger-filter").inner_text()
        visit.page.get_by_label("fail somewhere").check()
        assert seen(visit) == FAILING
        assert visit.page.url.endswith("?claims=fails")
        visit.page.get_by_label("wait for a machine").check()
        assert seen(visit) == ["GPUs are wide."]
        visit.page.get_by_label("hold everywhere").check()
        assert len(seen(visit)) == 4
        visit.page.get_by_label("of chapter").select_option(label="01")
        assert visit.page.url.endswith("?claims=holds&chapter=01") and len(seen(visit)) == 4
        assert visit.errors == []
    with Visit(browser, page + "?claims=fails&chapter=01") as visit:
        assert seen(visit) == FAILING and visit.page.get_by_label("fail somewhere").is_checked()
    with Visit(browser, page + "?claims=nonsense&chapter=99") as visit:
        assert len(seen(visit)) == len(CLAIMS) and visit.page.get_by_label("all", exact=True).is_checked()


def test_the_filter_is_worked_by_the_keyboard(browser, page):
    with Visit(browser, page) as visit:
        visit.page.get_by_label("all", exact=True).focus()
        visit.page.keyboard.press("ArrowRight")
        assert seen(visit) == FAILING


def test_without_scripts_every_claim_is_there_and_no_filter(browser, page):
    with Visit(browser, page, java_script_enabled=False) as visit:
        assert len(seen(visit)) == len(CLAIMS)
        assert not visit.page.locator(".hf-ledger-filter").is_visible()


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


def test_a_link_lands_below_the_header(browser, served):
    with Visit(browser, f"{served}claims.html", reduced_motion="reduce") as visit:
        visit.page.locator(".hf-ledger-lab td a").nth(3).click()
        visit.page.wait_for_function("() => location.hash.startsWith('#claim-') && scrollY > 0")
        claim = visit.page.locator(f"#{visit.page.url.partition('#')[2]}").bounding_box()
        header = visit.page.locator("header").bounding_box()
        assert header["y"] + header["height"] <= claim["y"] < 400

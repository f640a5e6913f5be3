"""The cost of a page to its reader: bytes, layout shifts, and the work of an interaction, in a real browser, from a server that
compresses as hosts of static pages do."""

from itertools import permutations
from pathlib import Path

import pytest
from book import WHEN_SEEN
from chromium import counted
from walk import SETTLED
from whole import Visit, pages, zipped

PAGE_BYTES, SCRIPT_BYTES = 300_000, 66_000  # scripts: 60 kB, and a tenth for what the page became able to do
CLS, LATE = 0.02, 0.1  # how far the layout may shift, in browsers' own measure; also if a late font moves a line break
MACHINE_BYTES, LAID_OUT, TOUCHED = 60_000, 10, 24_000  # for a switch to another machine
LONGEST = "07-compilers"

# A script that is one call with a text is data, which a page opened from a file can load in no other way.
MEASURES = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const sum = (entries, size) => entries.reduce((bytes, entry) => bytes + entry[size], 0);
  const isData = ({ name }) => /\\/_machines\\/|\\/search-text\\.js/.test(name);
  return {
    bytes: sum(all, "encodedBodySize"),
    scripts: sum(all.filter(entry => entry.initiatorType === "script" && !isData(entry)), "decodedBodySize"),
    heaviest: all.map(entry => [entry.encodedBodySize, entry.name.split("/").pop()]).sort((a, b) => b[0] - a[0]).slice(0, 6),
  };
}"""


def test_every_page_is_light(browser, book, served):
    too_much = {}
    for page in pages(book):
        with Visit(browser, served + page) as visit:
            if page == "search.html":  # with everything it loads on demand
                visit.page.fill(".hf-search input", "roofline")
                visit.page.wait_for_selector(".hf-found li")
            visit.page.wait_for_load_state("networkidle")
            cost = visit.page.evaluate(MEASURES)
        assert cost["bytes"] > 20_000 or page == "404.html", page
        if cost["bytes"] > PAGE_BYTES or cost["scripts"] > SCRIPT_BYTES:
            too_much[page] = str(cost)
    assert too_much == {}


def machine_files(book: Path, page: str = "*") -> list[Path]:
    """The scripts with the numbers of other machines."""
    return [path for path in sorted((book / "_machines").glob(f"{page}/*.js")) if "+" not in path.name]


def test_no_page_moves_when_its_figures_arrive(browser, book, arrivals):
    moved = {}
    for name in pages(book):
        with arrivals.visit(browser, name, ("font", "figure") if name != "404.html" else ("figure",)) as page:
            seen = page.evaluate("seen")
        moved |= {name: seen} if seen["shifted"] > CLS else {}
    assert moved == {}


@pytest.mark.parametrize("order", [*permutations(("font", "machine", "figure"))], ids="-".join)
@pytest.mark.parametrize(("name", "width"), [("index", 360), ("index", 1280), ("00-workload", 768), ("01-roofline", 1280)])
def test_another_machines_page_is_still_whatever_arrives_first(browser, book, arrivals, name, width, order):
    other = max(machine_files(book, name), key=lambda path: path.stat().st_size).stem
    with arrivals.visit(browser, f"{name}.html?machine={other}", order, viewport={"width": width, "height": 780}) as page:
        page.wait_for_function(f"() => press.machine === '{other}'")
        seen = page.evaluate("seen")
    assert seen["shifted"] <= (CLS if order[0] == "font" else LATE), seen["moved"]


def test_scrolling_moves_nothing_by_itself(browser, arrivals):
    with arrivals.visit(browser, "02-matmul.html", ("font", "figure")) as page:
        for _ in range(8):
            before = page.evaluate("scrollY")
            page.mouse.wheel(0, 1500)
            page.wait_for_function("before => scrollY > before + 400", arg=before)
        page.wait_for_load_state("networkidle")
        page.evaluate(SETTLED)
        assert page.evaluate("scrollY") > 3000 and page.evaluate("seen.shifted") <= CLS


# From now on counts how many elements are added, removed or changed.
WATCHED = """() => {
  window.touched = 0;
  const sum = nodes => [...nodes].reduce((all, node) => all + 1 + (node.querySelectorAll?.("*").length ?? 0), 0);
  new MutationObserver(list => list.forEach(({ addedNodes, removedNodes }) => {
    touched += sum(addedNodes) + sum(removedNodes) || 1;
  })).observe(document, { subtree: true, childList: true, attributes: true });
}"""


def work(visit: Visit, act) -> tuple[float, int]:
    """How often the page is laid out, and how many elements change, until the result of `act` is visible."""
    developer = visit.context.new_cdp_session(visit.page)
    developer.send("Performance.enable")
    laid_out = lambda: next(each["value"] for each in developer.send("Performance.getMetrics")["metrics"]
                            if each["name"] == "LayoutCount")  # fmt: skip
    visit.page.evaluate(WATCHED)
    before = laid_out()
    act()
    visit.page.evaluate(SETTLED)
    return laid_out() - before, visit.page.evaluate("touched")


def test_a_first_switch_to_another_machine_is_one_script_and_little_work(browser, book, served):
    heaviest = max(machine_files(book), key=lambda path: path.stat().st_size)
    with Visit(browser, f"{served}{heaviest.parent.name}.html") as visit:
        asked = len(visit.requests)
        times, elements = work(visit, lambda: visit.page.evaluate(f"press.showMachine('{heaviest.stem}')"))
        assert visit.page.evaluate("press.machine") == heaviest.stem
        loaded = [url.partition("?")[0].rpartition("/")[2] for url in visit.asked_since(asked)]
        near = {file for files in WHEN_SEEN.values() for file in files}  # of what the switch may bring near the screen
        assert [name for name in loaded if name not in near] == [heaviest.name]
    assert len(zipped(heaviest, 0)) <= MACHINE_BYTES
    assert elements <= TOUCHED
    with counted(browser):
        assert times <= LAID_OUT


@pytest.mark.parametrize("press", [".hf-theme-button", "details.admonition > summary", ".hf-contents-button"])
def test_a_press_is_little_work(browser, served, press):
    width = 700 if press == ".hf-contents-button" else 1280
    with Visit(browser, f"{served}{LONGEST}.html", viewport={"width": width, "height": 800}) as visit:
        target = visit.page.locator(press).locator("visible=true").first
        target.scroll_into_view_if_needed()
        visit.page.evaluate(SETTLED)
        times, elements = work(visit, target.click)
        assert elements <= 12
        with counted(browser):
            assert times <= 8

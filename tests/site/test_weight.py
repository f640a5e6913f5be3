"""What a page costs its reader: bytes, whether it jumps, and how much work an interaction is, in a real browser, against a
server that compresses as hosts of static pages do."""

from __future__ import annotations

import pytest
from book import Visit, pages, zipped
from walk import SETTLED

PAGE_BYTES, SCRIPT_BYTES, CLS = 300_000, 60_000, 0.02
MACHINE_BYTES, LAID_OUT, TOUCHED = 60_000, 10, 24_000  # of a switch to another machine
LONGEST = "07-compilers"

# Scripts that are one call with a text are data, which pages that are opened from files can load in no other way.
MEASURES = """() => new Promise(resolve => {
  const seen = { shifted: 0, moved: [] }, name = node => node?.className || node?.nodeName;
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver(list => {
    for (const entry of list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput)) {
      seen.shifted += entry.value;
      for (const { node, previousRect, currentRect } of entry.value > .01 ? entry.sources : [])
        seen.moved.push(`${name(node)}: from ${place(previousRect)} to ${place(currentRect)}`);
    }
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => {
    const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    const sum = (entries, size) => entries.reduce((bytes, entry) => bytes + entry[size], 0);
    const isData = ({ name }) => /\\/_machines\\/|\\/search-text\\.js/.test(name);
    seen.bytes = sum(all, "encodedBodySize");
    seen.scripts = sum(all.filter(entry => entry.initiatorType === "script" && !isData(entry)), "decodedBodySize");
    seen.heaviest = all.map(entry => [entry.encodedBodySize, entry.name.split("/").pop()])
      .sort((a, b) => b[0] - a[0]).slice(0, 6);
    resolve(seen);
  }, 250);
})"""


def measured(visit: Visit) -> dict:
    visit.page.evaluate("document.fonts.ready")
    return visit.page.evaluate(MEASURES)


def test_every_page_is_light_and_still(browser, book, served):
    too_much = {}
    for page in pages(book):
        with Visit(browser, served + page) as visit:
            if page == "search.html":  # with what it loads when it is asked
                visit.page.fill(".hf-search input", "roofline")
                visit.page.wait_for_selector(".hf-found li")
            cost = measured(visit)
        assert cost["bytes"] > 20_000 or page == "404.html", page
        if cost["bytes"] > PAGE_BYTES or cost["scripts"] > SCRIPT_BYTES or cost["shifted"] > CLS:
            too_much[page] = str(cost)
    assert too_much == {}


@pytest.mark.parametrize("width", [360, 768])
def test_a_narrow_page_is_still_too(browser, served, width):
    with Visit(browser, f"{served}00-workload.html", viewport={"width": width, "height": 780}) as visit:
        assert measured(visit)["shifted"] <= CLS


def test_scrolling_moves_nothing_by_itself(browser, served):
    with Visit(browser, f"{served}02-matmul.html") as visit:
        for _ in range(8):
            visit.page.mouse.wheel(0, 1500)
            visit.page.wait_for_timeout(60)
        assert visit.page.evaluate("scrollY") > 3000
        assert measured(visit)["shifted"] <= CLS


# From now on counts how many elements come, go or change.
WATCHED = """() => {
  window.touched = 0;
  const sum = nodes => [...nodes].reduce((all, node) => all + 1 + (node.querySelectorAll?.("*").length ?? 0), 0);
  new MutationObserver(list => list.forEach(({ addedNodes, removedNodes }) => {
    touched += sum(addedNodes) + sum(removedNodes) || 1;
  })).observe(document, { subtree: true, childList: true, attributes: true });
}"""


def work(visit: Visit, act) -> tuple[float, int]:
    """How often the page is laid out, and how many elements are touched, until one sees what `act` does."""
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
    files = [path for path in (book / "_machines").glob("*/*.js") if "+" not in path.name]
    heaviest = max(files, key=lambda path: path.stat().st_size)
    with Visit(browser, f"{served}{heaviest.parent.name}.html") as visit:
        asked = len(visit.requests)
        times, elements = work(visit, lambda: visit.page.evaluate(f"hardwareFirst.showMachine('{heaviest.stem}')"))
        assert visit.page.evaluate("hardwareFirst.machine") == heaviest.stem
        loaded = [url.partition("?")[0].rpartition("/")[2] for url in visit.asked_since(asked)]
        assert loaded == [heaviest.name]
    assert len(zipped(heaviest, 0)) <= MACHINE_BYTES
    assert (times <= LAID_OUT, elements <= TOUCHED) == (True, True), (times, elements)


@pytest.mark.parametrize("press", [".hf-theme-button", "details.admonition > summary", ".hf-contents-button"])
def test_a_press_is_little_work(browser, served, press):
    width = 700 if press == ".hf-contents-button" else 1280
    with Visit(browser, f"{served}{LONGEST}.html", viewport={"width": width, "height": 800}) as visit:
        target = visit.page.locator(press).first
        target.scroll_into_view_if_needed()
        visit.page.evaluate(SETTLED)
        times, elements = work(visit, target.click)
        assert times <= 8 and elements <= 12, (times, elements)

"""Anything that an earlier version of the site, or another program, left in a reader's browser: pages look as they do to a new
reader."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Route, expect
from whole import DEFAULT, STATIC_FOLDERS, Visit

# {what the site stores: pages that together contain all scripts that read it}
READ_BY = {
    "theme": ["01-roofline"], "machine": ["01-roofline", "machines"], "jump": ["01-roofline"],
    "predictions": ["01-roofline", "search"], "predictions-skipped": ["01-roofline", "search"],
    "measured": ["01-roofline", "measure"], "this-browser": ["01-roofline"], "measured-gpu": ["03-gpu", "measure"],
}
GARBAGE = ["", "null", "7", '"x"', "[]", "[[]]", "{}", '{"__proto__": []}', "\0\ud83d" + "x" * 100_000]
EARLIER = {  # what an earlier site may have stored
    "theme": ["sepia", "auto"], "machine": ["a-machine-that-went", "constructor", "__proto__", "here "],
    "jump": ["01-roofline.html#fig-gone", "https://elsewhere.example/"], "this-browser": ["hidden", "shown"],
    "predictions": ['{"01-roofline/gone": {"bet": "much", "near": 1, "of": 9}}', '{"01-roofline/ridge": "much"}',
                    # in addition to those in test_predict_browser.py
                    '{"01-roofline/ridge": {"answer": 4}}', '[{"question": "ridge", "bet": 4}]'],
    "predictions-skipped": ["true", "01-roofline"],
    "measured": ['{"peak": 51.2}', '{"link": "#measured=0:1,2;3"}', '{"values": {"peak_fp32": [1, "1"]}, "points": {}}',
                 '{"values": {"01-roofline/peak_fp32_gflops": {}}, "points": {}}',
                 '{"values": {"01-roofline/peak_fp32_gflops": [1, 1]}, "points": {"fig-latency": 1}}',
                 '{"values": {"01-roofline/peak_fp32_gflops": [1, "<b>1</b>"]}}',
                 '{"link": "#measured=1:1", "values": {"peak_fp32_gflops": "<b>1</b>"}, "points": []}'],
    "measured-gpu": ['{"copy": 1e11}',
                     '{"copy": 1, "n": 1, "naive": 1, "tiled": 1, "launch": 1, "answer": 1, "flight": [[1, 2]]}'],
}
TEXT = "() => document.body.textContent + document.documentElement.className + document.documentElement.dataset.theme"
# Not found in any reader's storage, but measure.js writes it: a measurement, in the form of a link.
LADDERS = ";".join(",".join([number] * 13) for number in ("20", "80"))
NUMBERS = f"#measured=1:5,0.01;4,16,32;{LADDERS};80,40,20,10,5;4,2,4;20;2,60,30"
MEASURED = """link => {
  const [[step, noise], peaks, reads, waits, chases, naive, [tiled], all] =
    link.slice("#measured=1:".length).split(";").map(group => group.split(",").map(Number));
  const result = {step, noise, peaks, reads, waits, chases, naive, tiled, all};
  const {definitions} = JSON.parse(document.querySelector("[data-widget=measure] script").textContent);
  return {link, began: "2026-01-02T03:04:05.678Z", seconds: 12, values: press.valuesInWords(result, definitions),
          points: press.pointsOf(result)};
}"""
READS = {"01-roofline": {"values", "points"}, "measure": {"link", "began", "seconds"}}  # these parts of it
LOST = "Your browser can’t store this, so it will be lost when you leave the page."
CHOSEN = """() => [document.documentElement.dataset.theme ?? "", press.machine,
                   document.querySelectorAll(".hf-answered").length]"""
FORBIDDEN = {
    "every access":
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });",
    "writing": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };",
    "existence": "Object.defineProperty(window, 'localStorage', { value: null });",
}


@pytest.fixture(scope="module")
def visit(browser: Browser) -> Iterator[Visit]:
    with Visit(browser, "about:blank") as visit:
        yield visit


@pytest.fixture
def read(visit: Visit, served: str) -> Iterator[Callable[..., str]]:
    """read(page, memory): the text of a page and its appearance, in a browser whose storage contains only this."""
    page = visit.page
    page.goto(f"{served}404.html")  # its script does not change the storage

    def read_page(name: str, memory: dict[str, str] | None = None) -> str:
        page.evaluate("""memory => {
          localStorage.clear();
          for (const name in memory) localStorage[`hardware-first:${name}`] = memory[name];
        }""", memory or {})
        page.goto(f"{served}{name}.html")
        return page.evaluate(TEXT)

    yield read_page
    page.goto(f"{served}404.html")
    page.evaluate("localStorage.clear()")
    errors, visit.errors = visit.errors, []
    assert errors == []


def test_this_is_all_that_the_site_remembers():
    scripts = [path.read_text(encoding="utf-8") for folder in STATIC_FOLDERS for path in sorted(folder.glob("*.js"))]
    asked = [name for text in scripts for name in re.findall(r"\b(?:stored|store)\((.*?)[,)]", text)]
    named = {"name": None, "HERE": "this-browser"}  # boot.js's own parameter, and a constant
    assert {named.get(name, name.strip('"')) for name in asked} == {None, *READ_BY}
    assert [text for text in scripts if re.search(r"(local|session)Storage", text)] \
        == [text for text in scripts if "window.press = {" in text]


@pytest.mark.parametrize("page", sorted({page for pages in READ_BY.values() for page in pages}))
def test_a_page_that_finds_something_else_in_its_place_is_that_of_a_new_reader(visit, read, page):
    new = read(page)
    assert visit.errors == []

    def objections(memory: dict[str, str]) -> list[str]:
        changed = ["another page"] * (read(page, memory) != new)
        errors, visit.errors = visit.errors, []
        return changed + errors

    texts = {name: GARBAGE + EARLIER.get(name, []) for name, pages in READ_BY.items() if page in pages}
    for i in range(max(map(len, texts.values()))):  # everything read together; shorter lists repeat their last entry
        memory = {name: each[min(i, len(each) - 1)] for name, each in texts.items()}
        if found := objections(memory):
            alone = {name: told for name, text in memory.items() if (told := objections({name: text}))}
            pytest.fail(f"{ {name: text[:100] for name, text in memory.items()} }: {found}; each alone: {alone}")


@pytest.fixture
def measured(visit: Visit, read) -> dict:
    """What measure.js stores of a measurement."""
    read("measure")
    return visit.page.evaluate(MEASURED, NUMBERS)


def spoilt(whole, depth: int = 3) -> Iterator:
    """Variants of a value in which one part, down to a depth, is replaced by another kind of value, or missing."""
    yield from (other for other in (None, "x", [None]) if type(other) is not type(whole))
    if depth and isinstance(whole, dict):
        for key in [*whole][:1] if depth < 3 else whole:  # the values are all alike, and so are the points
            yield {other: value for other, value in whole.items() if other != key}
            yield from ({**whole, key: part} for part in spoilt(whole[key], depth - 1))
    if depth and isinstance(whole, list):
        yield from ([part, *whole[1:]] for part in spoilt(whole[0], depth - 1))


def test_a_measurement_that_lacks_a_part_is_shown_without_it(visit, read, measured):
    def shown(page: str, memory: dict) -> list:
        read(page, {"measured": json.dumps(memory), "this-browser": "shown"})
        return visit.page.locator(".hf-own, .hf-own-line, .hf-links:not([hidden])").all()

    assert shown("01-roofline", measured) and shown("measure", measured)
    for memory in spoilt(measured):
        same = {key for key in measured if isinstance(memory, dict) and memory.get(key, ...) == measured[key]}
        text = json.dumps(memory)
        for page in (page for page, parts in READS.items() if not same >= parts):
            shown(page, memory)
            assert visit.errors == [], (page, text[:200], text[-200:])


@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_browser_that_forbids_to_remember_answers_all_the_same(browser, served, what):
    with Visit(browser, "about:blank") as visit:
        page = visit.page
        page.add_init_script(FORBIDDEN[what])
        page.goto(f"{served}06-precision.html")
        page.get_by_role("button", name=re.compile("colours")).click()
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        box = page.locator(".hf-predict:not(.hf-answered)").first
        box.get_by_role("button", name="Skip").first.click()
        expect(page.locator(".hf-answered")).not_to_have_count(0)
        expect(page.get_by_text(LOST)).to_have_count(0)
        box = page.locator(".hf-predict:not(.hf-answered)[data-kind=choices]").first
        box.locator("[data-choice]").first.click()
        expect(page.get_by_text(LOST)).to_have_count(1)
        machine = page.locator("#hf-machine select")
        other = machine.locator("option").nth(1).get_attribute("value")
        machine.select_option(other)
        page.wait_for_function("slug => press.machine === slug", arg=other)
        assert visit.errors == []


def test_two_books_on_one_host_keep_theme_machine_and_predictions_apart(browser, served):
    def another_book(route: Route) -> None:
        """This book below another address and with another title."""
        response = route.fetch(url=route.request.url.replace("/another/", "/hardware-first/"))
        if not route.request.is_navigation_request():
            return route.fulfill(response=response)
        page = response.text().replace('data-book="hardware-first"', 'data-book="another"')
        return route.fulfill(body=page, content_type="text/html; charset=utf-8")

    with Visit(browser, "about:blank") as visit:
        page = visit.page
        page.route("**/books/another/**", another_book)
        one = f"{served}01-roofline.html"
        other = one.replace("/hardware-first/", "/another/")

        def choose(option: int) -> str:
            machine = page.locator("#hf-machine select")
            slug = machine.locator("option").nth(option).get_attribute("value")
            machine.select_option(slug)
            page.wait_for_function("slug => press.machine === slug", arg=slug)
            return slug

        def chosen(address: str) -> list:
            page.goto(address)
            return page.evaluate(CHOSEN)

        assert chosen(one) == ["", DEFAULT, 0]
        page.get_by_role("button", name=re.compile("colours")).click()
        page.locator(".hf-predict").first.get_by_role("button", name="Skip").first.click()
        first = choose(1)
        assert chosen(other) == ["", DEFAULT, 0]
        second = choose(2)
        assert chosen(one) == ["dark", first, 1]
        assert chosen(other) == ["", second, 0]
        assert visit.errors == []

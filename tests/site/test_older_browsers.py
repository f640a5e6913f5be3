"""The pages work in the browsers that README.md names, Chrome 111, Firefox 111 and Safari 16.4: they don't use what is newer,
or work without it."""

import re

import pytest
from older import OlderVisit
from playwright.sync_api import expect
from press.pictures import svg
from test_search import FIRST, look
from whole import PROJECT, STATIC_FOLDERS, Visit, pages, static

THEME = PROJECT / "site" / "press" / "theme"
KINDS = (".js", ".css", ".html")
FILES = sorted(path for folder in [*STATIC_FOLDERS, THEME] for path in folder.iterdir() if path.suffix in KINDS)
# What at least one of them lacks, and what would fail without it. A style that is merely less beautiful without a feature, such
# as text-wrap, may use it.
NEWER_SCRIPT = [
    r"\b(Object|Map)\.groupBy\b", r"\.(toSorted|toReversed|toSpliced|with)\(", r"\bArray\.fromAsync\b",
    r"\bPromise\.(withResolvers|try)\b", r"\bURL\.(canParse|parse)\(", r"\bAbortSignal\.any\(", r"\(\?<[=!]",
    r"\.(union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(",
    r"\.(checkVisibility|isWellFormed|toWellFormed|setHTMLUnsafe|moveBefore|togglePopover|startViewTransition)\(",
    r"\b(Iterator|scheduler)\.", r"\brequestIdleCallback\b",
    r"\.(keys|values|entries)\(\)\.(map|filter|take|drop|find|some|every)\(",
    r"(?<!showPopover \? )\":popover-open\"",  # boot.js asks first
]  # fmt: skip
NEWER_STYLE = [
    r"\blight-dark\(", r"@(?:scope|starting-style|property|view-transition|position-try|function)\b", "&",
    r":(?:user-valid|user-invalid|popover-open|open|state|dir)\b",
    r"\b(?:round|mod|abs|sign|anchor|if|calc-size|contrast-color)\(",
    r"(?<![\w-])(?:field-sizing|interpolate-size|position-anchor|animation-timeline):",
    r"\btext-decoration: *[\w-]+ (?!!)[^;}]*[;}]",  # Safari takes the line alone
]  # fmt: skip
PREFIXED = re.compile(r"(?P<before>.*)(?<![\w-])(?P<name>mask|print-color-adjust):(?P<value>[^;]*);", re.S)
ASIDE = [r"/\*.*?\*/", r'url\("data:[^"]*"\)', r"@supports[^{]*\{(?:[^{}]|\{[^{}]*\})*\}"]


def style_of(path) -> str:
    """A file's style, without comments, pictures, and what @supports guards."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = "".join(re.findall(r"<style>(.*?)</style>", text, re.S))
    for aside in ASIDE:
        text = re.sub(aside, "", text, flags=re.S)
    return text


SHEETS = [path for path in FILES if path.suffix != ".js"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_uses_nothing_newer(path):
    text, newer = (path.read_text(encoding="utf-8"), NEWER_SCRIPT) if path.suffix == ".js" else (style_of(path), NEWER_STYLE)
    assert [found[0] for pattern in newer for found in re.finditer(pattern, text)] == []


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_one_selector_that_is_not_known_spoils_no_other(path):
    """A browser drops a whole rule if it does not know one of its selectors, except within :is() and :where()."""
    selectors = [found[1] for found in re.finditer(r"([^{};]+)\{", style_of(path)) if ":has(" in found[1]]
    outside = [re.sub(r":(?:is|where)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", each) for each in selectors]
    commas = [re.sub(r"\([^()]*\)", "", each) for each in outside if ":has(" in each]
    assert [each for each in commas if "," in each] == []


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_a_property_that_had_a_prefix_is_also_written_with_it(path):
    blocks = re.findall(r"\{([^{}]*)\}", style_of(path))
    found = [found for block in blocks if (found := PREFIXED.match(block))]
    assert [each["name"] for each in found if f"-webkit-{each['name']}:{each['value']};" not in each["before"]] == []


# ---- A current browser without what is newer ----

PALETTES = dict(zip(("light", "dark"), svg.palettes(static("figures.css").read_text(encoding="utf-8")), strict=True))
# {"s-blue": [stroke, …], "f-ink": [fill, …]} of all figures and drawings.
PAINTED = """() => {
  const found = {};
  for (const each of document.querySelectorAll("svg:is(.hf-figure, .hf-drawing) [class]")) {
    for (const name of each.classList) {
      if (!/^[sft]-/.test(name)) continue;
      const {stroke, fill} = getComputedStyle(each);
      (found[name] ??= new Set()).add(name[0] === "s" ? stroke : fill);
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, all]) => [name, [...all]]));
}"""
BLACK = "rgb(0, 0, 0)"


def rgb(code: str) -> str:
    return f"rgb({', '.join(str(int(code[at:at + 2], 16)) for at in (1, 3, 5))})"


@pytest.mark.parametrize("chosen", ["", "light", "dark"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_have_the_colours_of_the_theme(browser, served, scheme, chosen):
    with OlderVisit(browser, f"{served}01-roofline.html", color_scheme=scheme) as visit:
        visit.page.evaluate("theme => { if (theme) document.documentElement.dataset.theme = theme; }", chosen)
        palette, painted = PALETTES[chosen or scheme], visit.page.evaluate(PAINTED)
        assert {"s-blue", "f-blue", "s-orange", "f-ink", "t-orange"} <= set(painted)
        for name, colours in painted.items():
            if name[0] == "t":
                assert BLACK not in colours, name
            elif name[2:] in palette:
                assert colours == [rgb(palette[name[2:]])], name
        paper = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == rgb(palette["paper"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_wrong_address_has_them_too(browser, served, scheme):
    with OlderVisit(browser, f"{served}nowhere/at-all.html", color_scheme=scheme) as visit:
        body = visit.page.locator("body")
        for name, colour in (("background-color", "paper"), ("color", "ink")):
            expect(body).to_have_css(name, rgb(PALETTES[scheme][colour]))
        expect(visit.page.locator("path.roof").first).to_have_css("stroke", rgb(PALETTES[scheme]["blue"]))


def test_another_machine_can_be_chosen(browser, served):
    numbers = "[...document.querySelectorAll('.hf-slot .hf-number')].map(each => each.textContent).join()"
    with Visit(browser, f"{served}01-roofline.html") as visit:
        other = visit.page.evaluate("press.machines[1].slug")
        visit.page.goto(f"{served}01-roofline.html?machine={other}")
        visit.page.wait_for_function("other => press.machine === other", arg=other)
        theirs = visit.page.evaluate(numbers)
    with OlderVisit(browser, f"{served}01-roofline.html") as visit:
        assert visit.page.evaluate(numbers) != theirs
        visit.page.locator("#hf-machine select").select_option(other)
        visit.page.wait_for_function("other => press.machine === other", arg=other)
        assert visit.page.evaluate(numbers) == theirs
        expect(visit.page.locator("#hf-machine select")).to_have_value(other)
        assert visit.errors == []


def test_the_search_finds_the_same(browser, served):
    with OlderVisit(browser, f"{served}search.html") as visit:
        for words, wanted in FIRST.items():
            found = look(visit, words)
            assert found and found[0] in wanted, (words, found[:5])
        assert visit.errors == []


def test_the_contents_open_over_a_narrow_page_and_close(browser, served):
    with OlderVisit(browser, f"{served}01-roofline.html", viewport={"width": 360, "height": 700}) as visit:
        contents, button = visit.page.locator("#contents"), visit.page.locator(".hf-contents-button")
        expect(contents).to_be_hidden()
        button.click()
        expect(contents).to_be_visible()
        expect(button).to_have_attribute("aria-expanded", "true")
        assert contents.bounding_box()["width"] <= 336
        visit.page.keyboard.press("Escape")
        expect(contents).to_be_hidden()
        expect(button).to_be_focused()
        button.click()
        expect(contents).to_be_visible()
        visit.page.mouse.click(350, 600)  # beside them
        expect(contents).to_be_hidden()
        button.click()
        contents.locator(".hf-current ul a").nth(2).click()
        expect(contents).to_be_hidden()
        expect(visit.page).to_have_url(re.compile("#."))
        visit.page.goto(f"{served}glossary.html")
        visit.page.set_viewport_size({"width": 1280, "height": 800})
        expect(contents).to_be_visible()  # in a column of its own, on a page without figures
        assert visit.errors == []


def test_without_scripts_the_contents_are_above_a_narrow_page(browser, served):
    narrow = {"width": 360, "height": 700}
    with OlderVisit(browser, f"{served}01-roofline.html", viewport=narrow, java_script_enabled=False) as visit:
        expect(visit.page.locator(".hf-contents-button")).to_be_hidden()
        box = visit.page.locator("#contents").bounding_box()
        assert box["y"] + box["height"] <= visit.page.locator("h1").bounding_box()["y"]


def test_a_card_explains_a_word(browser, served):
    with OlderVisit(browser, f"{served}01-roofline.html") as visit:
        card, word = visit.page.locator("#hf-definition"), visit.page.locator("article a.reference.internal[title]").first
        expect(card).to_be_hidden()
        word.hover()
        expect(card).to_be_visible()
        below, at = card.bounding_box(), word.bounding_box()
        assert abs(below["y"] - at["y"]) < 400 and below["width"] > 50
        visit.page.mouse.move(1270, 400)
        expect(card).to_be_hidden()
        assert visit.errors == []


def test_a_dropped_dot_leaves_the_front_page(browser, served):
    with OlderVisit(browser, f"{served}index.html") as visit:
        dot = visit.page.locator(".hf-drag")
        expect(dot).to_be_visible()
        visit.page.locator(".hf-front-try input[type=range]").press("End")
        visit.page.locator(".hf-front-try .hf-predict-commit").click()
        expect(dot).to_be_hidden()
        visit.page.get_by_role("button", name="Try again").click()
        expect(dot).to_be_visible()


COVERED = "xpath=ancestor::*[contains(@class, 'hf-covered')][1]"


def test_an_answer_is_offered_where_it_is_hidden(browser, served):
    with OlderVisit(browser, f"{served}01-roofline.html") as visit:
        covers = visit.page.locator(".hf-cover")
        assert covers.count() > 0
        for cover in covers.all():
            own, place = cover.bounding_box(), cover.locator(COVERED).bounding_box()
            assert own["x"] >= place["x"] - 1 and own["width"] <= place["width"] + 2
            assert own["y"] >= place["y"] - 1 and own["y"] + own["height"] <= place["y"] + place["height"] + 1


def test_no_page_complains(browser, book, served):
    with OlderVisit(browser, served) as visit:
        told = {}
        for page in pages(book):
            visit.page.goto(served + page)
            visit.page.mouse.wheel(0, 4000)
            told |= {page: visit.errors} if visit.errors else {}
            visit.errors = []
        assert told == {}

"""The published book in a real browser, from a server; test_files.py opens it from files."""

import html.parser
import re
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from conftest import LAB, PROJECT
from contrast import FAINT_WORDS
from playwright.sync_api import expect
from walk import OPENED, UNFOLDED, WIDE
from whole import CHAPTERS, LEFT_OUT, Visit, pages


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_a_published_record(book, chapter):
    assert (book / f"{chapter}.html").exists() == (chapter not in LEFT_OUT)
    if chapter in LEFT_OUT:
        pytest.skip(f"{chapter} is left out: it has no published record")


def test_the_book_renders_without_a_warning(rendered):
    _, result = rendered
    left_out = [f"{chapter} is left out: it has no published record" for chapter in LEFT_OUT]
    assert (result.returncode, result.stderr.splitlines()) == (0, left_out)


def test_no_page_asks_another_host_or_complains(walked, served):
    found = walked(WIDE)
    assert found.errors == []
    own = urlsplit(served)
    strangers = [url for url in found.requests if urlsplit(url)[:2] != own[:2] and not url.startswith("data:")]
    assert strangers == []


# The parts of a chapter, and how much of each kind is visible; then buttons that nothing would answer.
WHOLE = """() => Object.fromEntries(
  [".hf-number", "figure svg", ".hf-claim", ".hf-predict-answer", "math"].map(kind => {
    const all = [...document.querySelectorAll(kind)];
    const seen = all.filter(e => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 0);
    return [kind, [seen.length, all.length]];
  }))"""
WAITING = """() => {
  const controls = [...document.querySelectorAll("article :is(button, input, select), .hf-theme-button, #hf-machine *")];
  const words = document.querySelector("article, body").innerText.match(/[^.\\n]*\\b(press|click)(ed|s)?\\b[^.\\n]*/gi);
  return [...controls.filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 90)), ...words ?? []];
}"""


@pytest.mark.parametrize("chapter", [chapter for chapter in CHAPTERS if chapter not in LEFT_OUT])
def test_a_chapter_is_whole_without_scripts(browser, book, chapter):
    with Visit(browser, (book / f"{chapter}.html").as_uri(), java_script_enabled=False) as visit:
        visit.page.evaluate(OPENED)
        found = visit.page.evaluate(WHOLE)
        assert {kind: seen for kind, (seen, there) in found.items() if seen < there or not (there or kind == "math")} == {}
        assert visit.page.evaluate(WAITING) == []


def test_folds_open_without_scripts(browser, served):
    with Visit(browser, f"{served}{LAB}.html", java_script_enabled=False) as visit:
        details = visit.page.locator("details.admonition").first
        content = details.locator("p, table").last
        expect(content).to_be_hidden()
        details.locator("summary").click()
        expect(content).to_be_visible()


SIDEWAYS = [UNFOLDED.ask("""() => {
  scrollTo(9999, 0);
  return scrollX > 0 || document.documentElement.scrollWidth > innerWidth;
}""", width=width) for width in (360, 768, 1280)]


@pytest.mark.parametrize("question", SIDEWAYS, ids=lambda question: question.width)
def test_no_page_scrolls_sideways(walked, question):
    assert walked(UNFOLDED).objections(question) == {}


def test_colours_follow_the_readers_scheme_and_choice(browser, served):
    ink = "getComputedStyle(document.querySelector('svg.hf-figure text')).fill"
    with Visit(browser, f"{served}{LAB}.html", color_scheme="light") as visit:
        light = visit.page.evaluate(ink)
        visit.page.emulate_media(color_scheme="dark")
        dark = visit.page.evaluate(ink)
        assert light != dark
        visit.page.evaluate("document.documentElement.dataset.theme = 'light'")
        assert visit.page.evaluate(ink) == light
        visit.page.emulate_media(color_scheme="light")
        visit.page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert visit.page.evaluate(ink) == dark


CONTRASTS = [UNFOLDED.ask(FAINT_WORDS, width=1280, scheme=scheme) for scheme in ("light", "dark")]


@pytest.mark.parametrize("question", CONTRASTS, ids=lambda question: question.scheme)
def test_text_stands_out_from_its_paper(walked, question):
    assert walked(UNFOLDED).objections(question) == {}


WORDLESS = WIDE.ask("""() => [
  ...[...document.querySelectorAll("article img")].filter(img => !img.alt.trim()),
  ...[...document.querySelectorAll("article svg.hf-figure:not([aria-hidden=true])")].filter(svg =>
    svg.getAttribute("role") !== "img" || !svg.querySelector("title")?.textContent.trim()
    || !svg.querySelector("desc")?.textContent.trim())].map(e => e.outerHTML.slice(0, 100))""")


def test_pictures_have_words(walked):
    assert walked(WIDE).objections(WORDLESS) == {}


def test_folded_boxes_open_from_the_keyboard(browser, served):
    with Visit(browser, f"{served}{LAB}.html") as visit:
        details = visit.page.locator("details.hf-sources").first
        details.locator("summary").focus()
        visit.page.keyboard.press("Enter")
        expect(details.locator("table").first).to_be_visible()
        outline = details.locator("summary").evaluate("e => getComputedStyle(e).outlineStyle")
        assert outline != "none"


def test_formulas_have_a_size(browser, served):
    with Visit(browser, f"{served}{LAB}.html") as visit:
        boxes = visit.page.locator("article math").evaluate_all("all => all.map(m => m.getBoundingClientRect().width)")
        assert boxes and min(boxes) > 3
        fraction = visit.page.locator("article math mfrac").first.bounding_box()
        assert fraction["height"] > fraction["width"] / 10  # laid out, not written in a row
        assert visit.page.locator("article math mfrac").first.evaluate(
            "f => f.children[0].getBoundingClientRect().bottom <= f.children[1].getBoundingClientRect().top + 1")


# Every character, with single letters of <mi> in italics as in MathML, is in the subset font.
STRANGERS = WIDE.ask("""async () => {
  await document.fonts.ready;
  const face = [...document.fonts].find(face => face.family.includes("Press Math"));
  if (!document.querySelector("math")) return [];
  if (face.status !== "loaded") return [face.status];
  const ranges = face.unicodeRange.split(",").map(range => {
    const [first, last = first] = range.trim().slice(2).split("-");
    return [parseInt(first, 16), parseInt(last, 16)];
  });
  const has = letter => ranges.some(([first, last]) => first <= letter && letter <= last);
  const words = [...document.querySelectorAll("math")].map(math => math.textContent).join("");
  return [...new Set(words.replace(/\\s/g, ""))].filter(letter => !has(letter.codePointAt(0)));
}""")


def test_formulas_are_set_in_a_face_for_formulas(walked):
    assert walked(WIDE).objections(STRANGERS) == {}


def test_exponents_stay_at_their_base_and_fractions_clear_of_their_bar(browser, served):
    with Visit(browser, f"{served}02-matmul.html") as visit:
        visit.page.evaluate("document.fonts.ready")
        rises = visit.page.locator("article msup").evaluate_all("""all => all.map(sup => {
          const [base, exponent] = [...sup.children].map(child => child.getBoundingClientRect());
          return (base.bottom - exponent.bottom) / base.height;
        })""")
        assert rises and max(rises) < 0.8  # 1 if no font has a MATH table
        gaps = visit.page.locator("article div.math mfrac").evaluate_all("""all => all.map(fraction => {
          const [above, below] = [...fraction.children].map(child => child.getBoundingClientRect());
          return (below.top - above.bottom) / parseFloat(getComputedStyle(fraction).fontSize);
        })""")
        assert gaps and min(gaps) > 0.45  # 0.3 if no font has a MATH table


def test_the_404_page_leads_home_from_any_depth(browser, book, served):
    for lost in ("nothing.html", "deep/er/nothing.html"):
        with Visit(browser, served + lost) as visit:
            visit.page.wait_for_function(f"() => document.links[0].href === '{served}index.html'", timeout=10000)
            visit.page.click("a >> nth=0")
            expect(visit.page).to_have_url(f"{served}index.html")
            expect(visit.page).to_have_title(re.compile("Hardware First"))


# What paper should not show, and what it lacks: buttons; and folded or covered content, except the data of figures.
ON_PAPER = """() => {
  const shown = e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
  const only = "button, input, select, .hf-press, .headerlink, .hf-header, .hf-contents, .hf-turn, .hf-skip";
  const folded = `details:not(.hf-data) > :not(summary, .hf-slot), details:not(.hf-data) > .hf-slot > *, .hf-predict-answer,
    .hf-telling, .hf-blank, svg.hf-figure`;
  return [...[...document.querySelectorAll(only)].filter(shown),
          ...[...document.querySelectorAll(folded)].filter(e => !e.closest("footer, .hf-data") && !shown(e))]
    .map(e => e.outerHTML.slice(0, 120));
}"""


def test_paper_has_the_whole_text_and_only_the_text(browser, book, served):
    with Visit(browser, f"{served}index.html") as visit:
        visit.page.emulate_media(media="print")
        wrong = {}
        for page in pages(book):
            visit.page.goto(served + page)
            visit.page.evaluate("document.fonts.ready")
            wrong |= {page: found} if (found := visit.page.evaluate(ON_PAPER)) else {}
    assert wrong == {}


def test_no_page_tells_where_it_was_made(book):
    for page in book.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert str(PROJECT) not in text and str(book.parent) not in text, page.name


TWICE = WIDE.ask("""() => {
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  return ids.filter((id, i) => ids.indexOf(id) !== i);
}""")


def test_ids_are_unique(walked):
    assert walked(WIDE).objections(TWICE) == {}


class LinksAndTargets(html.parser.HTMLParser):
    """Every href and src of a page, and every link target."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.targets: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src", "xlink:href") and value:
                self.links.append(value)
            if name == "id" or (tag == "a" and name == "name"):
                self.targets.add(value)


def test_every_internal_link_leads_somewhere(book):
    read = {page: LinksAndTargets((book / page).read_text(encoding="utf-8")) for page in pages(book)}
    broken = []
    for page, content in read.items():
        for link in content.links:
            address, fragment = urldefrag(link)
            if urlsplit(link).scheme or link == "#":
                continue
            target = (book / page).parent / unquote(address.partition("?")[0]) if address else book / page
            if not (target.exists() and (not fragment or target.suffix != ".html" or fragment in read[target.name].targets)):
                broken.append(f"{page}: {link}")
    assert broken == []

"""The text font: it is the one shown, it has every character that the book uses, and nothing moves when it loads."""

import pytest
from chromium import counted
from conftest import installed
from press.pictures.labels import ADVANCES
from walk import WIDE
from whole import CHAPTERS, PROJECT, Visit

FONTS = PROJECT / "site" / "press" / "static" / "fonts"
STYLES = {"regular": "", "italic": "italic ", "bold": "bold "}
# Characters in system fonts: the markers for a curve's points, in legends and tables.
SYMBOLS = set("■□▲△◆◇○●▶◀▸▾✓✗⌘\u200b\u2060\n\r\t")
# The text of a page that should be in the text font, with its actual font.
LETTERS = WIDE.ask("""() => {
  const found = {regular: "", italic: "", bold: ""}, all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = all.nextNode(); node; node = all.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("script, style, noscript, math, pre, code, kbd, title, desc, option")) continue;
    const style = getComputedStyle(parent);
    if (!style.fontFamily.includes("Press Text")) continue;
    found[style.fontStyle === "italic" ? "italic" : style.fontWeight >= 600 ? "bold" : "regular"] += node.data;
  }
  return Object.fromEntries(Object.entries(found).map(([face, text]) => [face, [...new Set(text)].join("")]));
}""")


def test_the_faces_of_a_page_are_light():
    assert "✓" not in ADVANCES["regular"]  # it looks like a root there
    assert sum(file.stat().st_size for file in FONTS.glob("*.woff2")) <= 110_000


def test_the_text_face_has_every_character_that_the_pages_set_in_it(walked):
    lacking = {}
    for page, found in walked(WIDE).answers[LETTERS].items():
        for face, letters in found.items():
            # Only the upright fonts have Greek and arrows; browsers slant these.
            known = ADVANCES[face].keys() | ADVANCES["regular"].keys() | SYMBOLS
            lacking |= {(page, face): sorted(set(letters) - known)} if set(letters) - known else {}
    assert not lacking


def test_prose_and_the_labels_of_figures_are_shown_in_it(browser, base):
    with Visit(browser, base + "01-roofline.html") as visit:
        visit.page.evaluate("document.fonts.ready")
        developer = visit.context.new_cdp_session(visit.page)
        for domain in ("DOM", "CSS"):
            developer.send(f"{domain}.enable")
        root = developer.send("DOM.getDocument")["root"]["nodeId"]
        for selector in ("article p", "article h1", "svg.hf-figure text"):
            node = developer.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
            shown = developer.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
            assert {font["familyName"] for font in shown} == {"Press Text"}, (selector, shown)


WIDTHS = """async ([style, letters]) => {
    const font = style + '1000px "Press Text"';
    await document.fonts.load(font, letters.join(""));
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = font;
    return letters.map(letter => pen.measureText(letter).width);
}"""


def check_widths(browser, page):
    with Visit(browser, page) as visit:
        widths = {face: visit.page.evaluate(WIDTHS, [STYLES[face], list(ADVANCES[face])]) for face in STYLES}
    with counted(browser):
        for face in STYLES:
            assert widths[face] == pytest.approx(list(ADVANCES[face].values()), abs=1.01), face


def test_characters_are_as_wide_as_labels_are_placed_by(browser, served):
    check_widths(browser, served + "01-roofline.html")


def test_characters_are_as_wide_on_a_desktop_that_hints_fonts(browser, served):
    with browser.browser_type.launch(executable_path=installed("chromium-headless-shell"),
                                     args=["--no-sandbox", "--font-render-hinting=full"]) as hinted:
        check_widths(hinted, served + "01-roofline.html")


def test_no_paragraph_changes_its_height_by_much_when_the_face_arrives(browser, served):
    heights = []
    for blocked in (False, True):
        with Visit(browser, "about:blank") as visit:
            if blocked:
                visit.page.route("**/text-*.woff2", lambda route: route.abort())
            visit.page.goto(served + "01-roofline.html")
            visit.page.evaluate("document.fonts.ready")
            heights.append(visit.page.evaluate(
                "[...document.querySelectorAll('article p')].reduce((sum, p) => sum + p.offsetHeight, 0)"))
    with counted(browser):
        assert heights[1] == pytest.approx(heights[0], rel=0.03)


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_all_captions_of_a_page_are_equally_large(browser, served, width):
    with Visit(browser, f"{served}04-tpu.html", viewport={"width": width, "height": 900}) as visit:
        sizes = visit.page.evaluate("""() => Object.fromEntries([...document.querySelectorAll("article figure")].map(figure =>
          [figure.classList[0], getComputedStyle(figure.querySelector(".caption-text")).fontSize]))""")
    assert {"hf-drawn", "hf-lab-figure", "hf-widget"} <= sizes.keys() and len(set(sizes.values())) == 1


COLOURED = """() => [...document.querySelectorAll("article span:is(.compute, .memory)")].map(word => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(--hf-${word.className})`;
  const meant = getComputedStyle(probe).color;
  probe.remove();
  const lines = [...word.querySelectorAll("*"), word].map(each => getComputedStyle(each));
  return [word.textContent, lines.every(({color}) => color === meant),
          lines.some(({textDecorationLine: line, textDecorationStyle: style}) => line === "underline" && style === "solid")];
})"""


def test_a_few_words_have_the_colours_of_the_figures_and_none_looks_like_a_link(browser, served):
    counts = {}
    for chapter in (*CHAPTERS, "start"):
        with Visit(browser, f"{served}{chapter}.html") as visit:
            words = visit.page.evaluate(COLOURED)
        assert all(meant and not line for _, meant, line in words), words
        counts[chapter] = len(words)
    assert counts["01-roofline"] and max(counts.values()) <= 8


@pytest.mark.parametrize("width", [360, 1024, 1440])
def test_code_begins_where_prose_begins_and_its_ground_a_little_before(browser, served, width):
    with Visit(browser, f"{served}06-precision.html", viewport={"width": width, "height": 900}) as visit:
        found = visit.page.evaluate("""() => {
          const code = document.querySelectorAll("article :is(section, .container) > .literal-block-wrapper pre");
          return [...code].map(pre => {
            const prose = pre.closest("section").querySelectorAll(":scope > p, :scope > .container > p");
            const ground = pre.getBoundingClientRect().left, text = ground + parseFloat(getComputedStyle(pre).paddingLeft);
            return [Math.min(...[...prose].map(p => p.getBoundingClientRect().left)), text, ground];
          }).filter(([prose]) => isFinite(prose));
        }""")
        assert found and all(abs(prose - text) < 1 and text - ground > 8 for prose, text, ground in found)

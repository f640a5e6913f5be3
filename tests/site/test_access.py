"""Accessibility: axe finds nothing in either theme; everything can be reached by keyboard, with visible focus; the book fits
the narrowest page; nothing moves for readers who prefer that."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from contrast import FAINT_MARKS, FAINT_WORDS
from playwright.sync_api import expect
from walk import ANSWERED, CALCULATORS, OPENED, SETTLED, UNFOLDED, WIDE, Walk
from whole import Visit, pages

NARROW = {"width": 360, "height": 700}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Axe is slow on large pages, so only the first rows of a figure's data are checked. A figure is one image with a description;
# its parts are not read out, and test_browser.py checks their contrast.
LIGHTENED = """
  document.querySelectorAll("svg[role=img] > :not(title, desc), .hf-data tr:nth-child(n+3)").forEach(each => each.remove());
"""


def violations(page, **choice) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"], **choice}).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


# A home, a chapter with every kind of content, long tables, a form.
REPRESENTATIVE = ("index.html", "01-roofline.html", "claims.html", "search.html")


@pytest.mark.parametrize("which", ["representative", pytest.param("all", marks=pytest.mark.slow)])
def test_axe_finds_nothing(browser, book, served, which):
    # All rules in the light theme; in the other theme, only colours can differ. No colour is changing when axe runs.
    themes = {"light": RULES, "dark": {"type": "rule", "values": ["color-contrast"]}}
    with Visit(browser, served, color_scheme="light", reduced_motion="reduce") as visit:
        bad, papers = {}, set()
        for page in pages(book) if which == "all" else REPRESENTATIVE:
            visit.page.emulate_media(color_scheme="light")
            visit.page.goto(served + page)
            visit.page.evaluate(CALCULATORS)
            visit.page.evaluate(ANSWERED + OPENED + LIGHTENED)  # axe skips hidden content
            visit.page.evaluate(SETTLED)  # overflow.js
            for scheme, rules in themes.items():
                visit.page.emulate_media(color_scheme=scheme)
                papers.add((scheme, visit.page.evaluate("getComputedStyle(document.body).backgroundColor")))
                if found := violations(visit.page, runOnly=rules):
                    bad[page, scheme] = found[:5]
        assert bad == {}
        assert len(papers) == 2, "each theme has one paper, its own"


def test_axe_finds_nothing_before_there_is_an_answer(browser, served):
    with Visit(browser, f"{served}01-roofline.html") as visit:
        assert visit.page.locator(".hf-veiled").count() > 0
        assert violations(visit.page, runOnly=RULES) == []


def test_axe_would_find_what_is_wrong(browser, served):
    with Visit(browser, f"{served}start.html") as visit:
        visit.page.evaluate("""document.querySelector("article").insertAdjacentHTML("beforeend",
            "<img src='data:,'><p style='color: #bbb; background: #fff'>faint</p>")""")
        found = " ".join(violations(visit.page, runOnly=RULES))
        assert "image-alt" in found and "color-contrast" in found


# iOS zooms into a field that has smaller letters. Hidden fields count, because a reader may open them.
TOUCHED = Walk(390, OPENED, {"has_touch": True, "is_mobile": True})
SMALL_FIELDS = TOUCHED.ask("""() => {
  if (!matchMedia("(pointer: coarse)").matches) return ["the browser has no touch screen"];
  const fields = [...document.querySelectorAll("select, input:not([type=range], [type=radio], [type=checkbox])")];
  return fields.filter(field => parseFloat(getComputedStyle(field).fontSize) < 16).map(field => field.outerHTML.slice(0, 80));
}""")


def test_a_phone_does_not_zoom_into_a_field(walked):
    assert walked(TOUCHED).objections(SMALL_FIELDS) == {}


def test_the_first_stop_skips_to_the_text(browser, served):
    with Visit(browser, f"{served}01-roofline.html") as visit:
        visit.page.keyboard.press("Tab")
        skip = visit.page.locator(".hf-skip")
        expect(skip).to_be_focused()
        expect(skip).to_have_css("clip-path", "none")
        visit.page.keyboard.press("Enter")
        expect(visit.page.locator("#content")).to_be_focused()
        visit.page.keyboard.press("Tab")
        expect(visit.page.locator("article :focus")).to_have_count(1)


def test_a_focused_element_shows_it_and_is_not_hidden(browser, served):
    with Visit(browser, f"{served}01-roofline.html") as visit:
        visit.page.locator("main").focus()
        stops = 0
        for _ in range(60):
            visit.page.keyboard.press("Tab")
            at = visit.page.evaluate("""() => {
              const focused = document.activeElement, box = focused.getBoundingClientRect();
              const header = document.querySelector(".hf-header").getBoundingClientRect();
              const style = getComputedStyle(focused);
              return { inside: focused.closest("article") !== null, top: box.top, bottom: box.bottom, header: header.bottom,
                       seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
                       what: focused.outerHTML.slice(0, 90) };
            }""")
            if not at["inside"]:
                break
            stops += 1
            assert at["seen"] and at["bottom"] > at["header"] + 4 and at["top"] < 900, at
        assert stops > 20


def test_what_a_link_points_to_is_not_under_the_header(browser, served):
    with Visit(browser, f"{served}01-roofline.html") as visit:
        targets = visit.page.locator("article :is(section, .hf-claim, figure)[id]").evaluate_all("all => all.map(e => e.id)")
        targets += visit.page.locator(".hf-claim [id], article span[id]").evaluate_all("all => all.map(e => e.id)")
        assert len(targets) > 20
        visit.page.add_style_tag(content="html { scroll-behavior: auto !important; }")
        hidden = []
        for target in targets:
            visit.page.evaluate("id => { location.hash = ''; location.hash = id; }", target)
            top, header, shown = visit.page.evaluate("""id => {
              const element = document.getElementById(id);
              return [element.getBoundingClientRect().top, document.querySelector(".hf-header").offsetHeight,
                      element.checkVisibility()];
            }""", target)
            if shown and top < header:
                hidden.append((target, top))
        assert hidden == []


def test_the_contents_open_over_a_narrow_page_and_close(browser, served):
    with Visit(browser, f"{served}01-roofline.html", viewport=NARROW) as visit:
        expect(visit.page.get_by_role("link", name="Hardware First", exact=True)).to_be_visible()  # out of sight
        contents, button = visit.page.locator("#contents"), visit.page.locator(".hf-contents-button")
        expect(contents).to_be_hidden()
        button.focus()
        visit.page.keyboard.press("Enter")
        expect(contents).to_be_visible()
        assert contents.bounding_box()["width"] <= 336
        visit.page.keyboard.press("Escape")
        expect(contents).to_be_hidden()
        expect(button).to_be_focused()
        button.click()
        contents.locator(".hf-current ul a").nth(2).click()
        expect(contents).to_be_hidden()
        expect(visit.page).to_have_url(re.compile("#."))


@pytest.mark.parametrize("viewport", [NARROW, {"width": 1280, "height": 800}], ids=["narrow", "wide"])
def test_the_contents_open_without_scripts(browser, served, viewport):
    with Visit(browser, f"{served}01-roofline.html", viewport=viewport, java_script_enabled=False) as visit:
        visit.page.click(".hf-contents-button")
        expect(visit.page.locator("#contents a").first).to_be_visible()


def test_the_contents_say_where_one_is(browser, served):
    with Visit(browser, f"{served}01-roofline.html") as visit:
        expect(visit.page.locator("#contents [aria-current=page]")).to_have_count(1)
        section = visit.page.locator("article section section").nth(5)
        section.evaluate("section => scrollTo({ top: section.offsetTop - 100, behavior: 'instant' })")
        here = visit.page.locator("#contents [aria-current=location]")
        expect(here).to_have_count(1)
        expect(here).to_have_attribute("href", f"#{section.get_attribute('id')}")
        visit.page.wait_for_function("""() => {
          const box = document.getElementById("contents").getBoundingClientRect();
          const link = document.querySelector("#contents [aria-current=location]").getBoundingClientRect();
          return box.top <= link.top && link.bottom <= box.bottom;
        }""")


SCROLLING = UNFOLDED.ask("""() => [...document.querySelectorAll("article :is(.hf-scroll, pre, div.math)")]
  .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .map(box => [box.tabIndex, box.getAttribute("aria-label"), getComputedStyle(box).backgroundImage.includes("gradient"),
               box.outerHTML.slice(0, 80)])""", width=360)


def test_what_scrolls_inside_itself_is_reached_and_shows_it(walked):
    boxes = walked(UNFOLDED).objections(SCROLLING)
    for page, each in boxes.items():
        assert [box for box in each if box[0] != 0 or not box[1] or not box[2]] == [], page
    assert sum(map(len, boxes.values())) > 5


# The narrowest page, a telephone, and a window of 1440 pixels at 200% zoom.
ZOOMED = (320, 360, 720)
CUT_OFF = {width: UNFOLDED.ask("""() => {
  const {clientWidth, scrollWidth} = document.documentElement;
  const scrolls = element => element.closest(".hf-scroll, pre, div.math, svg, [hidden], .visually-hidden, .hf-skip, math");
  const cut = [...document.querySelectorAll("body *")].filter(element => {
    const box = element.getBoundingClientRect();
    return box.width && element.checkVisibility() && !scrolls(element) && (box.right > clientWidth + 1 || box.left < -1);
  }).map(element => element.outerHTML.slice(0, 100));
  return scrollWidth > clientWidth ? ["the page", ...cut] : cut;
}""", width=width) for width in ZOOMED}


@pytest.mark.parametrize("width", ZOOMED)
def test_nothing_is_cut_off_where_there_is_little_room(walked, width):
    assert walked(UNFOLDED).objections(CUT_OFF[width]) == {}


# The labels of figures, drawings and calculators that leave their picture or lie on another. Some are turned, so two boxes
# are apart if they are so along any side.
CROWDED = {width: UNFOLDED.ask("""() => [...document.querySelectorAll("article svg")].flatMap((svg, number) => {
  const frame = svg.getBoundingClientRect(), clips = getComputedStyle(svg).overflow !== "visible";
  const corners = text => {
    const { x, y, width, height } = text.getBBox(), matrix = text.getScreenCTM();
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
      .map(corner => new DOMPoint(...corner).matrixTransform(matrix)).map(({ x, y }) => [x, y]);
  };
  const sides = ([a, b, , d]) => [b, d].map(to => [to[0] - a[0], to[1] - a[1]]);
  const along = (box, [x, y]) => box.map(corner => (corner[0] * x + corner[1] * y) / Math.hypot(x, y));
  const height = box => Math.hypot(...sides(box)[1]);
  const met = (a, b) => [...sides(a), ...sides(b)].every(side => {
    const [one, other] = [a, b].map(box => along(box, side)), slack = Math.min(height(a), height(b)) / 3;
    return Math.min(Math.max(...one), Math.max(...other)) - Math.max(Math.min(...one), Math.min(...other)) > slack;
  });
  const boxes = [...svg.querySelectorAll("text")].filter(text => text.checkVisibility({ visibilityProperty: true }))
    .map(text => [text.textContent.trim(), text.getBoundingClientRect(), corners(text)])
    .filter(([words, { width }]) => words && width);
  return boxes.flatMap(([words, box, own], i) => [
    ...clips && (box.left < frame.left - 2 || box.right > frame.right + 2) ? [`${number}: “${words}” is cut off`] : [],
    ...boxes.slice(i + 1).filter(([, , other]) => met(own, other))
      .map(([other]) => `${number}: “${words}” lies on “${other}”`)]);
})""", width=width) for width in (1440, 360, 720)}


@pytest.mark.parametrize("width", [360, 720])
def test_labels_have_as_much_room_on_a_small_page_as_on_a_wide_one(walked, width):
    wide, small = (walked(UNFOLDED).answers[CROWDED[each]] for each in (1440, width))
    assert {page: worse for page, found in small.items() if (worse := sorted(set(found) - set(wide[page])))} == {}


# The theme that the reader chose before is the other one.
FORCED = Walk(1280, ANSWERED + OPENED, {"reduced_motion": "reduce", "forced_colors": "active"})
PALETTES = {(what, scheme): FORCED.ask(f"""() => {{
  document.documentElement.dataset.theme = "{"light" if scheme == "dark" else "dark"}";
  return ({script})();
}}""", scheme=scheme) for scheme in ("light", "dark") for what, script in (("words", FAINT_WORDS), ("marks", FAINT_MARKS))}


@pytest.mark.parametrize("which", ["representative", pytest.param("all", marks=pytest.mark.slow)])
def test_words_and_marks_stand_out_in_forced_colours(browser, book, served, which):
    chosen = pages(book) if which == "all" else ["04-tpu.html", "06-precision.html", "index.html", "measure.html"]
    walked = FORCED.take(browser, served, chosen)
    assert {key: found for key, question in PALETTES.items() if (found := walked.objections(question))} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_forced_colours_words_keep_those_of_their_curves_and_code_has_a_border(browser, served, scheme):
    with Visit(browser, f"{served}01-roofline.html", forced_colors="active", color_scheme=scheme) as visit:
        colours, border = visit.page.evaluate("""() => [
          [".compute", ".memory", "p"].map(each => getComputedStyle(document.querySelector(`article ${each}`)).color),
          getComputedStyle(document.querySelector("article pre")).borderTopStyle]""")
    assert len(set(colours)) == 3 and border == "solid"


MOTION = UNFOLDED.ask("""() => [getComputedStyle(document.documentElement).scrollBehavior,
  ...document.getAnimations().filter(animation => animation.playState === "running")
    .map(animation => animation.effect.target.outerHTML.slice(0, 80))]""", width=1280)


def test_it_stays_still_where_a_reader_asked_for_that(walked):
    for page, moving in walked(UNFOLDED).answers[MOTION].items():
        assert moving == ["auto"], page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_turns_the_colours_and_is_remembered(browser, served, scheme):
    other = "dark" if scheme == "light" else "light"
    with Visit(browser, f"{served}01-roofline.html", color_scheme=scheme) as visit:
        button, body = visit.page.locator(".hf-theme-button"), visit.page.locator("body")
        paper = lambda: body.evaluate("body => getComputedStyle(body).backgroundColor")
        before = paper()
        offers = lambda scheme: re.compile(f"^{scheme}", re.IGNORECASE)
        expect(button).to_have_attribute("aria-label", offers(other))
        button.click()
        expect(button).to_have_attribute("aria-label", offers(scheme))
        expect(body).not_to_have_css("background-color", before)
        turned = paper()
        visit.page.goto(f"{served}02-matmul.html")
        expect(body).to_have_css("background-color", turned)
        button.click()  # the system's own choice again, which the page follows from now on
        expect(body).to_have_css("background-color", before)
        visit.page.emulate_media(color_scheme=other)
        expect(body).to_have_css("background-color", turned)


POLICY = WIDE.ask("""() => document.querySelector("meta[http-equiv=Content-Security-Policy]")?.content ?? ''""")
IN_THE_PAGE = WIDE.ask("""() => [
  ...[...document.scripts].filter(script => !script.src && script.type !== "application/json"),
  ...[...document.querySelectorAll("*")].filter(e => e.getAttributeNames().some(name => name.startsWith("on")))
].map(element => element.outerHTML)""")


def test_a_policy_lets_no_script_stand_in_a_page(walked):
    for page, policy in walked(WIDE).answers[POLICY].items():
        allowed = {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}
        assert allowed["default-src"] == ["'none'"], page
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & set(allowed.get("script-src", [])), page
    assert walked(WIDE).objections(IN_THE_PAGE).keys() <= {"404.html"}


@pytest.mark.parametrize("base", ["server", "file"], indirect=True)
def test_the_policy_is_obeyed(browser, base):
    with Visit(browser, f"{base}01-roofline.html") as visit:
        visit.page.evaluate("""() => {
          const script = document.createElement("script");
          script.textContent = "window.smuggled = true";
          document.body.append(script);
        }""")
        assert visit.page.evaluate("window.smuggled") is None


def test_every_page_says_what_it_is(book):
    for page in pages(book):
        text = (book / page).read_text(encoding="utf-8")
        if page in ("404.html", "search.html", "references.html"):
            continue
        assert text.count('<meta name="description"') == 1 and 'property="og:title"' in text, page
        described = text.split('<meta name="description" content="')[1].split('"')[0]
        assert 40 < len(described) <= 200, (page, described)

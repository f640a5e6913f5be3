"""On wide pages, figures have a column of their own: they grow, their words don't, and text passes them."""

import docutils.nodes
import pytest
from press.pictures import beside
from whole import CHAPTERS, Visit

# For each figure in the text of a chapter: the width of its picture, the size of its words, the number of average letters that
# fit in a line of its caption, and whether it is within the window.
FIGURES = """() => [...document.querySelectorAll(":is(section, .hf-scene) > :is(.hf-lab-figure, .hf-drawn)")].map(figure => {
  const svg = figure.querySelector("svg.hf-figure, svg.hf-drawing"), words = svg?.querySelector("text");
  if (!svg) return null;  // it is pending
  const caption = figure.querySelector(".caption-text"), pen = document.createElement("canvas").getContext("2d");
  const {fontSize, fontFamily} = getComputedStyle(caption), text = caption.textContent;
  pen.font = `${fontSize} ${fontFamily}`;
  const letter = pen.measureText(text).width / text.length;
  const {width: wide, height: high} = svg.getBoundingClientRect();
  return {id: figure.id, wide, high, tall: figure.matches(".hf-tall"), letters: caption.getBoundingClientRect().width / letter,
          size: words ? parseFloat(getComputedStyle(words).fontSize) * svg.getScreenCTM().a : 15,
          right: figure.getBoundingClientRect().right <= document.documentElement.clientWidth};
}).filter(Boolean)"""


@pytest.mark.parametrize("width", [1280, 1440, 1920])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_figures_grow_and_their_words_do_not(browser, book, chapter, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((book / f"{chapter}.html").as_uri())
    page.evaluate("document.fonts.ready")
    figures = page.evaluate(FIGURES)
    page.close()
    assert figures
    for figure in figures:
        assert 0 < figure["high"] <= 660, figure  # the least height of a laptop's screen
        assert 460 <= figure["wide"] <= 480 if figure["tall"] else 640 <= figure["wide"] <= 760, figure
        assert 14.5 <= figure["size"] <= 18.5, figure
        assert figure["letters"] >= 28 and figure["right"], figure


# How far from its caption's left edge the sources of a figure begin.
INDENTED = """() => [...document.querySelectorAll("figure .caption-text")]
  .map(caption => [caption.parentElement, caption.closest("figure").querySelector(".hf-sources")])
  .filter(([, sources]) => sources)
  .map(([caption, sources]) => sources.getBoundingClientRect().left - caption.getBoundingClientRect().left)"""


@pytest.mark.parametrize("width", [360, 1440])
def test_sources_begin_where_their_caption_does(browser, served, width):
    with Visit(browser, f"{served}02-matmul.html", viewport={"width": width, "height": 900}) as visit:
        indented = visit.page.evaluate(INDENTED)
        assert len(indented) > 5 and {round(each) for each in indented} == {0}


# Scrolls to each figure that text passes, by half of its way through its scene. The distance from the header to each.
PASSED = """async () => {
  const found = [], header = document.querySelector("header").getBoundingClientRect().height;
  for (const figure of document.querySelectorAll("figure.hf-stays")) {
    const start = figure.getBoundingClientRect(), scene = figure.parentElement.getBoundingClientRect();
    const way = scene.bottom - start.bottom;
    if (way < 100 || start.height > innerHeight - header) continue;
    scrollBy({top: start.top - header + way / 2, behavior: "instant"});
    found.push([figure.id, figure.getBoundingClientRect().top - header]);
  }
  return found;
}"""


def test_a_figure_stays_while_its_text_passes(browser, book):
    found = []
    for chapter in CHAPTERS:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto((book / f"{chapter}.html").as_uri())
        page.evaluate("document.fonts.ready")
        found += page.evaluate(PASSED)
        page.close()
    assert found and [each for each in found if not 0 <= each[1] <= 16] == []


def section(*nodes):
    return docutils.nodes.section("", docutils.nodes.title("", "A section"), *nodes)


def figure(name, high=400):
    svg = docutils.nodes.raw("", f'<svg viewBox="0 0 640 {high}"></svg>', format="html")
    return docutils.nodes.figure("", svg, docutils.nodes.caption("", "A caption."), classes=["hf-drawn"], ids=[name])


def paragraph(lines):
    return docutils.nodes.paragraph("", "x" * 66 * lines)


# Shows all answers. For each scene: by how much its figure is higher than the text beside it.
EMPTY = """() => {
  document.querySelectorAll(".hf-predict-skip").forEach(each => each.click());
  return [...document.querySelectorAll(".hf-scene")].map(scene => {
    const figure = scene.querySelector(":scope > figure"), text = [...scene.children].filter(each => each !== figure);
    const shown = text.map(each => each.getBoundingClientRect()).filter(({height}) => height);
    const high = Math.max(...shown.map(({bottom}) => bottom)) - Math.min(...shown.map(({top}) => top));
    return [figure.id, Math.round(figure.getBoundingClientRect().height - high)];
  });
}"""

@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_column_of_text_is_empty_beside_a_figure(browser, book, chapter):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto((book / f"{chapter}.html").as_uri())
    page.evaluate("document.fonts.ready")
    empty = page.evaluate(EMPTY)
    page.close()
    assert empty and [each for each in empty if each[1] > 1.5 * beside.EMPTY] == []  # its heights are estimates


def test_a_scene_is_a_figure_and_the_text_beside_it():
    before, near, after = paragraph(30), paragraph(5), [paragraph(20), paragraph(20)]
    own = figure("a")
    scene = beside.scene_of(own, [before, near, own, *after])
    assert scene == [near, own, *after]  # the first paragraph is longer than the figure is high
    far, question, other = paragraph(14), paragraph(2), figure("b")
    around = [near, own, far, question, other, *after]
    first = beside.scene_of(own, around)
    assert first == [near, own] and beside.scene_of(other, around[2:]) == [question, other, *after]
    assert beside.scene_of(own, [own, other]) == [own]
    assert beside.height(own) > 400 and beside.height(figure("high", 1000)) > beside.HIGHEST

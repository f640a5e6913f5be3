"""No word of a drawing leaves it, overlaps another or has a line through it, at any step; checked in a browser, with the book's
font."""

import pytest
from conftest import PROJECT
from press.pictures import drawing

STATIC = PROJECT / "site" / "press" / "static"
SMALLEST, TELEPHONE = 11.0, 347  # pixels: of a word; of a figure if the page is 360 wide

# The faults of each drawing at each of its steps: words outside it, overlapping words, lines through words that no area in
# between hides. Only the middle of a line of words counts, where letters have no tails.
FAULTS = """() => [...document.querySelectorAll("svg.hf-drawing")].flatMap(svg => {
  const slider = svg.parentElement.querySelector("input[type=range]"), told = [], name = svg.classList[1];
  const lines = [...svg.querySelectorAll("path, line, polyline, polygon, rect, circle, ellipse")].filter(
    shape => !shape.matches(".s-grid, .s-paper, clipPath *") && getComputedStyle(shape).stroke !== "none");
  const crosses = (shape, {text, left, right, top, bottom}) => {
    const box = shape.getBoundingClientRect();
    if (box.left > right || box.right < left || box.top > bottom || box.bottom < top) return false;
    const matrix = shape.getScreenCTM(), length = shape.getTotalLength();
    for (let at = 0; at <= length; at += 1.5) {
      const {x, y} = shape.getPointAtLength(at).matrixTransform(matrix);
      if (x < left + 2 || x > right - 2 || y < top || y > bottom) continue;
      scrollTo(0, scrollY + y - 400);
      const moved = shape.getPointAtLength(at).matrixTransform(shape.getScreenCTM());
      const seen = document.elementsFromPoint(moved.x, moved.y).find(found => found !== text);
      scrollTo(0, 0);
      if (seen === shape) return true;
    }
    return false;
  };
  const steps = slider ? Array.from({length: slider.max - slider.min + 1}, (_, i) => Number(slider.min) + i) : [0];
  for (const step of steps) {
    if (slider) { slider.value = step; slider.dispatchEvent(new Event("input")); }
    const edge = svg.getBoundingClientRect();
    const words = [...svg.querySelectorAll("text")].filter(text => !text.closest(".hf-off")).map(text => {
      const {left, right, top, bottom, height, width} = text.getBoundingClientRect();
      return text.getAttribute("transform") ? {text, left: left + .25 * width, right: right - .25 * width, top, bottom}
                    : {text, left, right, top: top + .25 * height, bottom: bottom - .25 * height};
    });
    words.forEach((a, i) => {
      const say = (what) => told.push(`${name}, step ${step}: “${a.text.textContent}” ${what}`);
      if (a.left < edge.left - 1 || a.right > edge.right + 1 || a.top < edge.top || a.bottom > edge.bottom) {
        say("leaves the drawing");
      }
      for (const shape of lines) {
        if (!shape.closest(".hf-off") && crosses(shape, a)) say("has a line through it");
      }
      for (const b of words.slice(0, i)) {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom) {
          say(`lies on “${b.text.textContent}”`);
        }
      }
    });
  }
  return told;
})"""


def show(page, folder, pictures: list[str], width: int) -> None:
    """Shows all drawings on one page, in columns of a width."""
    sheets = "".join(f'<link rel="stylesheet" href="{(STATIC / name).as_uri()}">'
                     for name in ("fonts.css", "figures.css", "drawings.css"))
    boxes = "".join(f'<div style="width: {width}px">{picture}</div>' for picture in pictures)
    path = folder / "drawings.html"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{sheets}<style>body {{ --hf-sans: var(--hf-text) }}</style>{boxes}'
                    f'<script src="{(STATIC / "steps.js").as_uri()}"></script>', encoding="utf-8")
    page.goto(path.as_uri())
    page.evaluate("() => document.fonts.ready")
    assert page.evaluate("() => document.fonts.check('16px \"Press Text\"')")


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    yield page
    page.close()


def test_no_word_of_a_drawing_leaves_it_or_lies_on_another(page, drawings, tmp_path):
    show(page, tmp_path, [drawing.as_html(drawing.read(path)) for path in drawings], 467)
    found = page.evaluate(FAULTS)
    assert drawings and not found, "\n".join(found)


def test_words_of_drawings_can_be_read_on_a_telephone(page, drawings, tmp_path):
    show(page, tmp_path, [drawing.as_html(drawing.read(path)) for path in drawings], TELEPHONE)
    sizes = page.evaluate("""() => [...document.querySelectorAll("svg.hf-drawing text")].map(text => [
        text.closest("svg").classList[1] + ": " + text.textContent,
        parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a])""")
    assert sizes and [words for words, size in sizes if 0 < size < SMALLEST] == []


@pytest.mark.parametrize(("words", "told"), [
    ('<text x="10" y="50">one</text><text x="300" y="50">two</text>', []),
    ('<text x="10" y="50">one</text><text x="20" y="52">two</text>', ["“two” lies on “one”"]),
    ('<text x="500" y="50">far too long</text>', ["“far too long” leaves the drawing"]),
    ('<text x="10" y="50">one</text><text x="20" y="52" data-from="2">two</text>', ["“two” lies on “one”"]),
    ('<path class="s-blue" d="M0 45h100"/><text x="10" y="50">one</text>', ["“one” has a line through it"]),
    ('<path class="s-blue" d="M0 45h100"/><rect class="f-paper" x="5" y="30" width="40" height="30"/>'
     '<text x="10" y="50">one</text>', []),
    ('<path class="s-grid" d="M0 45h100"/><path class="s-blue" d="M0 60h100"/><text x="10" y="50">one</text>', []),
])
def test_the_check_sees_what_it_should(page, tmp_path, words, told):
    path = tmp_path / "09-check.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 100" data-first="1" data-last="2" data-at="1" '
                    f'data-unit="step"><title>A check</title><desc>Words.</desc>{words}</svg>', encoding="utf-8")
    show(page, tmp_path, [drawing.as_html(drawing.read(path))], 467)
    found = {fault.partition(": ")[2] for fault in page.evaluate(FAULTS)}
    assert found == set(told)

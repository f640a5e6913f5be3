"""No word of a figure leaves it, overlaps another or is struck through, for any measurement; checked in a browser."""

import pytest
from extremes import LABS, extremes
from layout import FAULTLESS, draw_all, draw_published, faults, judge, measure
from made import RECORDS
from walk import UNFOLDED

NOTABLE = ("unlike itself", "all alike", "four caches", "128 cores")  # the others take too long for every run


def faults_of(browser, figures, folder):
    """{(machine, figure): its faults}"""
    words = measure(browser, figures, folder)
    return {key: faults(source, words[key]) for key, source in figures.items()}


def assert_faultless(browser, records, folder):
    told = faults_of(browser, draw_all(records, folder), folder)
    assert told and {key: each for key, each in told.items() if each} == {}


def test_figures_of_every_published_record(browser, tmp_path):
    figures = draw_published()
    assert {f"{path.parent.name}/{path.stem}" for path in RECORDS.glob("*/*.json")} == {record for record, _ in figures}
    judge(faults_of(browser, figures, tmp_path))


def test_a_known_machines_fault_blocks_and_a_new_machines_warns():
    assert {path.name for path in RECORDS.iterdir()} >= FAULTLESS
    fault = ["'word' leaves the figure"]
    known = ("amd-epyc-zen-4-2-cores-vm/01-roofline", "01-latency")
    with pytest.raises(AssertionError, match="01-latency: 'word' leaves the figure"):
        judge({known: fault})
    with pytest.warns(UserWarning, match="a-new-machine/01-roofline: 01-latency: 'word' leaves the figure"):
        judge({known: [], ("a-new-machine/01-roofline", "01-latency"): fault})


# In every run for the lab with the most labels; once a week for all labs.
@pytest.mark.parametrize("lab", [lab if lab == "01-roofline" else pytest.param(lab, marks=pytest.mark.slow) for lab in LABS])
def test_figures_of_notable_machines(browser, tmp_path, lab):
    records = extremes(lab)
    assert_faultless(browser, {name: records[name] for name in NOTABLE if name in records}, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS)
def test_figures_of_machines_unlike_any_other(browser, tmp_path, lab):
    assert_faultless(browser, {name: record for name, record in extremes(lab).items() if name not in NOTABLE}, tmp_path)


# Figures, drawings, calculators and everything else that is drawn, on every page.
SMALL = UNFOLDED.ask("""() => {
  const WORDS = "svg text, article :is(.hf-spread, .hf-kind, mi, mn, mo, mtext)";
  return [...document.querySelectorAll(WORDS)].filter(text => text.getClientRects().length).map(text =>
    [parseFloat(getComputedStyle(text).fontSize) * (text.ownerSVGElement?.getScreenCTM().a ?? 1), text.textContent])
    .filter(([size]) => size < 10.99);
}""", width=360)


def test_words_are_eleven_pixels_on_a_telephone(walked):
    assert walked(UNFOLDED).objections(SMALL) == {}


@pytest.mark.parametrize("width", [360, 768, 1270])  # wider pages: test_stage.py
def test_figures_and_code_reach_equally_far(browser, book, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((book / "02-matmul.html").as_uri())
    edges = page.evaluate("""() => [
      ...document.querySelectorAll(":is(section, .hf-scene) > :is(.hf-lab-figure, .hf-drawn, .literal-block-wrapper)")
    ].map(box => box.getBoundingClientRect()).map(({left, right}) => [left, right])""")
    page.close()
    assert len(edges) > 5 and edges == [pytest.approx(edges[0], abs=.5)] * len(edges)


SHAPE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{}</svg>'
WORD = {"string": "word", "x": 10, "y": 50, "anchor": "start", "turn": "", "width": 40, "size": 18}


@pytest.mark.parametrize(("path", "words", "told"), [
    ("", [WORD], []),
    ("", [{**WORD, "x": 70}], ["'word' leaves the figure"]),
    ("", [WORD, {**WORD, "string": "other", "x": 45}], ["'other' lies on 'word'"]),
    ("", [WORD, {**WORD, "x": 52}], []),
    ('<path class="s-blue" d="M0,45L100,45"/>', [WORD], ["'word' is struck through by a blue line"]),
    ('<path class="s-blue" d="M0,55L100,55"/>', [WORD], []),  # below it
    ('<path class="s-grid" d="M0,45L100,45"/>', [WORD], []),
    ('<path class="s-quiet" d="M0,45L100,45"/>', [WORD], ["'word' is struck through by a quiet line"]),
    ('<path class="s-blue" d="M0,0L5,5M60,0L60,99"/>', [WORD], []),
    ('<circle class="s-ink f-paper" cx="5" cy="45" r="7"/>', [WORD], ["'word' lies on a mark that is ink"]),
    ('<polygon class="f-ink" points="2,40 12,40 12,50 2,50"/>', [WORD], ["'word' lies on a mark that is ink"]),
    ('<polygon class="f-ink" fill-opacity="1" points="0,40 60,40 60,60 0,60"/>', [WORD], []),  # a bar
    ('<circle class="f-ink" cx="5" cy="45" r="4"/>', [WORD], []),
    ('<path class="s-ink" d="M30,0L30,99"/>', [{**WORD, "turn": "rotate(90 10 50)"}], []),
])
def test_the_check_sees_what_it_should(path, words, told):
    assert faults(SHAPE.format(path), words) == told

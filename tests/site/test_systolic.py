"""{systolic-array}: the moving array, drawn from the trace in a record; and what the reader can press."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROJECT
from playwright.sync_api import Page

TRACE = Path(__file__).parent / "fixtures" / "04-tpu.json"
PAGE = "# Page\n\n```{systolic-array} 04-tpu\nWatch a number.\n```\n"


def trace_record() -> dict:
    return json.loads(TRACE.read_text(encoding="utf-8"))


def numbers(record: dict, series: str) -> list[int]:
    points = next(each for each in record["series"] if each["id"] == series)["points"]
    return [round(point["median"]) for point in points]


@pytest.fixture
def tpu(site):
    """A site whose lab is 04-tpu; calling it writes the record, after an edit, and builds the page."""
    (site.root / "labs" / "04-tpu").mkdir()
    (site.root / "labs" / "04-tpu" / "lab.cpp").touch()

    def build(edit=lambda record: None):
        record = trace_record()
        edit(record)
        (site.root / "build" / "records" / "04-tpu.json").write_text(json.dumps(record), encoding="utf-8")
        site.page(PAGE)
        return site.build()

    build.site = site
    return build


def frames(html: str) -> list[str]:
    return re.findall(r'<g data-cycle="\d+".*?</g>', html, re.S)


def test_every_cycle_is_a_frame_and_one_of_them_is_shown(tpu):
    build = tpu()
    assert (build.status, build.said) == (0, "")
    html = tpu.site.html()
    drawn = frames(html)
    assert len(drawn) == len(numbers(trace_record(), "trace_moving")) // 9 + 1
    assert sum('class="hf-off"' not in frame for frame in drawn) == 1
    assert "Watch a number." in tpu.site.text() and "what a register held" in tpu.site.text()
    assert 'role="img"' in html and "<desc" in html


def test_the_last_frame_holds_the_product(tpu):
    tpu()
    record = trace_record()
    a, b = numbers(record, "trace_a"), numbers(record, "trace_b")
    product = [sum(a[3 * i + p] * b[3 * p + j] for p in range(3)) for i in range(len(a) // 3) for j in range(3)]
    green = re.findall(r'class="green">(\d+)<', frames(tpu.site.html())[-1])
    assert sorted(map(int, green)) == sorted(product)


def test_the_cells_show_the_registers(tpu):
    def other_number(record):
        points = next(each for each in record["series"] if each["id"] == "trace_sums")["points"]
        points[6 * 9]["median"] = 98765  # the first cell, after seven cycles

    tpu(other_number)
    assert [n for n, frame in enumerate(frames(tpu.site.html())) if "98765" in frame] == [7]


def test_it_is_small(tpu):
    tpu()
    html = tpu.site.html()
    start = html.index('<div class="hf-systolic"')
    assert html.index("</div>", start) - start < 100_000


def test_only_its_page_loads_its_script_and_style(tpu):
    tpu.site.page("# Other", "other")
    tpu()
    for name in ("systolic.js", "systolic.css"):
        assert f"_static/{name}" in tpu.site.html() and name not in tpu.site.html("other")


def test_its_colours_are_the_palettes(tpu):
    tpu()
    style = (PROJECT / "site" / "static" / "systolic.css").read_text()
    assert not re.search(r"#[0-9a-f]{3,6}\b|rgb", style)
    palette = set(re.findall(r"(--hf-\w+):", (PROJECT / "site" / "static" / "figures.css").read_text()))
    names = {name for classes in re.findall(r'class="([a-z ]+)"', frames(tpu.site.html())[3]) for name in classes.split()}
    assert {f"--hf-{name}" for name in names - {"big"}} <= palette
    assert all(f".{name} {{" in style for name in names)


@pytest.mark.parametrize("series", ["trace_sums", "trace_a"])
def test_a_record_without_a_whole_trace_costs_its_place_only(tpu, series):
    def cut(record):
        next(each for each in record["series"] if each["id"] == series)["points"].pop()

    build = tpu(cut)
    assert build.status == 1
    assert "The moving array: 04-tpu.json has a trace of another array" in build.said
    assert "Not shown" in tpu.site.text()


def test_a_record_without_a_trace_is_named(tpu):
    build = tpu(lambda record: record["series"].__delitem__(
        next(n for n, each in enumerate(record["series"]) if each["id"] == "trace_held")))
    assert build.status == 1 and 'has no series "trace_held"' in build.said


@pytest.fixture
def opened(tpu, browser) -> Iterator[Page]:
    tpu()
    page = browser.new_page()
    page.goto((tpu.site.root / "build" / "out" / "index.html").as_uri())
    yield page
    page.close()


def shown(page: Page) -> int:
    visible = page.locator(".hf-systolic g[data-cycle]").evaluate_all(
        "all => all.filter(g => getComputedStyle(g).display !== 'none').map(g => Number(g.dataset.cycle))")
    assert len(visible) == 1
    return visible[0]


def test_buttons_keys_and_slider_step(opened):
    start = shown(opened)
    opened.get_by_role("button", name="Step").click()
    assert shown(opened) == start + 1
    opened.get_by_role("button", name="Back").click()
    opened.get_by_role("button", name="Back").click()
    assert shown(opened) == start - 1
    opened.locator(".hf-systolic").focus()
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("ArrowRight")
    assert shown(opened) == start + 1
    slider = opened.get_by_role("slider", name="cycle")
    slider.focus()
    opened.keyboard.press("Home")
    assert shown(opened) == 0
    opened.keyboard.press("ArrowRight")
    assert shown(opened) == 1
    assert slider.get_attribute("aria-valuetext").startswith("Cycle 1 of")


def test_it_stops_at_both_ends(opened):
    last = opened.locator(".hf-systolic g[data-cycle]").count() - 1
    opened.locator(".hf-systolic").focus()
    for key, end in (("ArrowRight", last), ("ArrowLeft", 0)):
        for _ in range(last + 3):
            opened.keyboard.press(key)
        assert shown(opened) == end


def test_it_plays_and_pauses(opened):
    start = shown(opened)
    opened.get_by_role("button", name="Play").click()
    opened.wait_for_function(f"document.querySelector('g[data-cycle=\"{start + 1}\"]').getAttribute('class') !== 'hf-off'")
    opened.get_by_role("button", name="Pause").click()
    assert shown(opened) > start

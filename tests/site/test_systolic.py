"""{systolic-array}: the moving array, drawn from the trace in a record; and the reader's controls."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import made
import pytest
from conftest import points_of
from playwright.sync_api import Page, expect

SVG = "{http://www.w3.org/2000/svg}"
PAGE = "# Page\n\n```{systolic-array} 04-tpu\nWatch a number.\n```\n"


def numbers(record: dict, series: str) -> list[int]:
    return [round(point["median"]) for point in points_of(record, series)]


@pytest.fixture
def tpu(site):
    """A site whose lab is 04-tpu; calling it writes the record, after an edit, and builds the page."""
    site.lab("04-tpu")

    def build(edit=lambda record: None):
        record = made.record("04-tpu")
        edit(record)
        (site.root / "build" / "records" / "04-tpu.json").write_text(json.dumps(record), encoding="utf-8")
        site.page(PAGE)
        return site.build()

    build.site = site
    return build


def drawn(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(re.search(r"<svg[^>]*hf-systolic.*?</svg>", html, re.S)[0])


def there(svg: ElementTree.Element, step: int) -> list[str]:
    """The words of temporary elements that are visible in a step."""
    lasting = [part for part in svg.iter(f"{SVG}g") if "data-from" in part.attrib]
    return ["".join(part.itertext()) for part in lasting
            if int(part.get("data-from")) <= step <= int(part.get("data-to"))]


def test_every_cycle_is_a_step_and_without_scripts_one_of_them_stands(tpu):
    build = tpu()
    assert (build.status, build.said) == (0, "")
    html = tpu.site.html()
    svg = drawn(html)
    cycles = len(numbers(made.record("04-tpu"), "trace_moving")) // 9
    assert (svg.get("data-first"), svg.get("data-at"), svg.get("data-last")) == ("0", str(cycles // 2 + 2), str(cycles + 1))
    assert len(svg.get("data-says").split("|")) == cycles + 2
    seen = ["".join(part.itertext()) for part in svg.iter(f"{SVG}g")
            if "data-from" in part.attrib and "hf-off" not in part.get("class", "")]
    assert seen == there(svg, cycles // 2 + 2)
    assert "Watch a number." in tpu.site.text() and "what a register held" in tpu.site.text()
    assert svg.get("role") == "img" and svg.find(f"{SVG}desc").text


def test_in_the_end_the_product_stands_the_right_way_up(tpu):
    tpu()
    record = made.record("04-tpu")
    a, b = numbers(record, "trace_a"), numbers(record, "trace_b")
    product = [sum(a[3 * i + p] * b[3 * p + j] for p in range(3)) for i in range(len(a) // 3) for j in range(3)]
    svg = drawn(tpu.site.html())
    sums = [part for part in svg.iter(f"{SVG}g") if "data-places" in part.attrib and "f-blue" in part[-1].get("class")]
    ends = [tuple(map(float, part.get("data-places").split()[-1].split(","))) for part in sums]
    in_order = sorted(zip(ends, sums, strict=True), key=lambda each: (each[0][1], each[0][0]))
    assert [int("".join(part.itertext())) for _, part in in_order] == product
    assert there(svg, int(svg.get("data-last"))) == list(map(str, product))


def test_the_cells_show_the_registers(tpu):
    tpu(lambda record: points_of(record, "trace_sums")[6 * 9].update(median=98765))  # the first cell, after seven cycles
    svg = drawn(tpu.site.html())
    assert [step for step in range(int(svg.get("data-last"))) if "= 98765" in there(svg, step)] == [7]


def test_it_is_small(tpu):
    tpu()
    assert len(re.search(r"<svg[^>]*hf-systolic.*?</svg>", tpu.site.html(), re.S)[0]) < 40_000


def test_only_its_page_loads_what_moves_it(tpu):
    tpu.site.page("# Other", "other")
    tpu()
    for name in ("steps.js", "drawings.css"):
        assert f"_static/{name}" in tpu.site.html() and name not in tpu.site.html("other")


@pytest.mark.parametrize("series", ["trace_sums", "trace_a"])
def test_a_record_without_a_whole_trace_costs_its_place_only(tpu, series):
    build = tpu(lambda record: points_of(record, series).pop())
    assert build.status == 1
    assert "The moving array: 04-tpu.json has a trace of another array" in build.said
    assert "Not shown" in tpu.site.text()


def test_a_record_without_a_trace_is_named(tpu):
    build = tpu(lambda record: record["series"].__delitem__(
        next(n for n, each in enumerate(record["series"]) if each["id"] == "trace_held")))
    assert build.status == 1 and 'has no series "trace_held"' in build.said


@pytest.mark.parametrize("series", ["trace_moving", "trace_held", "trace_c"])
def test_a_trace_that_goes_another_way_is_not_drawn(tpu, series):
    def change(record):
        points_of(record, series)[-1]["median"] += 1

    build = tpu(change)
    assert build.status == 1 and "has a trace of another array (" in build.said


@pytest.fixture
def opened(tpu, browser) -> Iterator[Page]:
    tpu()
    page = browser.new_page(reduced_motion="reduce")
    page.goto((tpu.site.root / "build" / "out" / "index.html").as_uri())
    yield page
    page.close()


def test_it_starts_while_cells_work_and_its_numbers_move(opened):
    slider = opened.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Cycle 7 of 11: "))
    slider.focus()
    opened.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "Cycle 0 of 11: nothing has moved yet")
    ring = opened.locator(".hf-systolic g[data-places]:has(circle)")
    before = ring.bounding_box()
    for _ in range(6):
        opened.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Cycle 6 of 11"))
    opened.wait_for_function("([ring, before]) => ring.getBoundingClientRect().x > before",
                             arg=[ring.element_handle(), before["x"]])
    opened.keyboard.press("End")
    expect(opened.get_by_text("After 11 cycles: the product is complete")).to_be_visible()
    expect(ring).not_to_be_visible()
    expect(opened.locator(".hf-systolic .f-blue:visible")).to_have_count(12)


def test_it_plays_where_motion_is_welcome_and_pauses(opened):
    opened.emulate_media(reduced_motion="no-preference")
    opened.get_by_role("button", name="Play").click()
    opened.wait_for_function("() => document.querySelector('input[type=range]').value > 7")
    opened.get_by_role("button", name="Pause").click()
    expect(opened.get_by_role("button", name="Play")).to_be_visible()


def test_where_motion_is_unwanted_a_press_is_a_step_and_no_button_is_printed(opened):
    slider, button = opened.get_by_role("slider"), opened.get_by_role("button", name=re.compile("Next|Replay"))
    opened.clock.install()
    for step in range(8, 13):
        expect(button).to_have_text("Next")
        button.click()
        expect(slider).to_have_value(str(step))
    expect(button).to_have_text("Replay")
    button.click()
    expect(slider).to_have_value("0")  # from the beginning
    opened.clock.run_for(10_000)
    expect(slider).to_have_value("0")  # it does not play
    opened.emulate_media(media="print")
    expect(button).not_to_be_visible()

"""{measured}: numbers in the prose."""

import html
import re

import pytest
from conftest import LAB, add_value, fixture_record
from playwright.sync_api import expect
from press.measurements.record import row_of
from whole import Visit

PAGE = "# Page\n\nIt is {measured}`01-roofline/%s`."


@pytest.mark.parametrize(("target", "text"), [
    ("speed", "It is 171 GFLOP/s 168–173."),
    ("speed|plain", "It is 171 GFLOP/s."),
    ("speed|number", "It is 171."),
    ("speed|label", "It is reading."),
    ("share|percent", "It is 0.56% 0.55–0.57."),
    ("share|percent|plain", "It is 0.56%."),
    ("ratio|times|plain", "It is 23×."),
    ("model", "It is 9.5 GB/s."),
    ("machine.cores", "It is 2."),
    ("machine.memory_bytes", "It is 24 GiB."),
    ("run.started", "It is 20 November 2026."),
    ("machine.cpu", "It is Fixture Processor."),
])
def test_formats(site, target, text):
    site.shown(PAGE % target, add_value(id="speed", label="reading", value=171.3, low=168.1, high=173.2, unit="GFLOP/s"),
               add_value(id="share", value=0.0056, low=0.0055, high=0.0057, unit="1"),
               add_value(id="ratio", value=23.1, unit="1"), add_value(id="model", value=9.5, unit="GB/s", kind="modelled"))
    assert text in site.text()


@pytest.mark.parametrize(("core", "shown"), [("Zen 5", "Fixture Processor (Zen 5)"), ("Processor", "Fixture Processor")])
def test_a_processor_is_shown_with_its_core_where_its_name_does_not_say_it(site, core, shown):
    site.shown(PAGE % "machine.cpu", lambda record: record["machine"].update(microarchitecture=core))
    assert f"It is {shown}." in site.text()


@pytest.mark.parametrize(("toolchain", "source", "place"), [
    ({"commit": "1234abc", "dirty": False}, "https://forge.example/us/book",
     "https://forge.example/us/book/blob/1234abc/labs/01-roofline/bench/a.cpp#L12"),
    ({"commit": "1234abc", "dirty": True}, "https://forge.example/us/book",
     "https://forge.example/us/book/blob/HEAD/labs/01-roofline/bench/a.cpp#L12"),
    ({}, "", "labs/01-roofline/bench/a.cpp:12"),
])
def test_a_number_knows_the_line_that_added_it(site, toolchain, source, place):
    at = {"at": "labs/01-roofline/bench/a.cpp:12"}
    site.record(add_value(id="speed", value=171.3, unit="GFLOP/s", **at), lambda record: record["series"][0].update(at),
                lambda record: record["toolchain"].update(toolchain))
    series = fixture_record()["series"][0]
    site.page(PAGE % "speed" + f" And {{measured}}`01-roofline/{series['id']}[{row_of(series['points'][0])}]`.")
    site.built(press_source=source)
    assert site.html().count(f'data-at="{place}"') == 2


@pytest.mark.parametrize(("source", "code"), [
    ('\n  lab.add(Value("speed", 1));\nlab.law("speed");', 'lab.add(Value("speed", 1));'),
    ('\nlab.add(\n  Value("speed", 1));', 'Value("speed", 1));'),  # a call of two lines
    ('check("speed");\n\nlab.add(Value("speed", 1));', ""),  # which one it was is unknown
    ('lab.add(Value("slow_speed", 1));', ""),
])
def test_a_number_shows_the_line_of_code_that_added_it(site, source, code):
    site.record(add_value(id="speed", value=171.3, unit="GFLOP/s", at="labs/01-roofline/bench/a.cpp:2"))
    path = site.root / "labs/01-roofline/bench/a.cpp"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    site.built(PAGE % "speed")
    assert re.findall(r'data-code="([^"]*)"', site.html()) == [html.escape(code)] * bool(code)


def test_a_chapter_means_its_own_lab(site):
    site.record(add_value(id="speed", value=171.3, unit="GFLOP/s"))
    site.page("# Index\n\n```{toctree}\n01-roofline\n```")
    site.page("# Chapter\n\nIt is {measured}`speed`.", LAB)
    site.built()
    assert "It is 170 GFLOP/s." in site.text(LAB)


@pytest.mark.parametrize(("role", "problem"), [
    ("{measured}`01-roofline/nothing`", 'build/records/01-roofline.json has no value "nothing"'),
    ("{measured}`02-none/speed`", 'no lab "02-none": the labs are 01-roofline'),
    ("{measured}`speed`", '"speed" names no lab: on this page, write NN-slug/speed'),
    ("{measured}`01-roofline/clock_ghz|loud`", 'unknown option "loud"'),
    ("{measured}`01-roofline/clock_ghz|label`", 'value "clock_ghz" has no label'),
    ("{measured}`01-roofline/clock_ghz|times`", '"times" needs a value of unit 1, not GHz'),
    ("{measured}`01-roofline/machine.secret`", 'there is no fact "machine.secret"'),
    ("{measured}`01-roofline/speedup[q4_0]`", 'has no value "speedup[q4_0]"'),
])
def test_what_cannot_be_shown_is_seen_and_counted(site, role, problem):
    site.record()
    site.fails("1 problem with measurements", problem, "index.md:3", page=f"# Page\n\nIt is {role}.")
    assert "It is not measured here yet." in site.text()


def test_numbers_say_where_they_come_from(site):
    site.record(add_value(id="speed", value=171.3, low=168.1, high=173.2, unit="GFLOP/s"))
    site.page(PAGE % "speed|number")
    site.build()
    assert 'title="speed; 90% of samples within 168–173\xa0GFLOP/s; measured on this machine, ' \
           '20 November 2026"' in site.html()
    assert "tabindex" not in site.html()  # without a spread there is none to explain


def test_of_what_kind_a_number_is_stands_in_no_sentence(site):
    site.record(add_value(id="model", value=9.5, unit="GB/s", kind="modelled"))
    site.page(PAGE % "model")
    site.build()
    assert "It is 9.5 GB/s." in site.text() and "; modelled on this machine" in site.html()


@pytest.mark.parametrize("way", ["hover", "focus"])
def test_a_spread_is_explained_to_who_points_at_it_and_who_comes_by_the_keyboard(browser, served, way):
    with Visit(browser, f"{served}{LAB}.html") as visit:
        numbers = visit.page.locator("article p .hf-number:has(.hf-spread)")
        titles = numbers.evaluate_all("all => all.map(({title}) => title)")
        number = numbers.nth(next(i for i, title in enumerate(titles) if "90% of samples" in title))
        shown = number.inner_text()
        getattr(number, way)()
        if way == "focus":
            visit.page.keyboard.press("Shift+Tab")
            visit.page.keyboard.press("Tab")
        card = visit.page.locator("#hf-definition")
        card.wait_for()
        assert re.search("90% of samples within .*; measured on ", card.inner_text()), shown
        assert number.get_attribute("aria-describedby") == "hf-definition" and number.get_attribute("title") is None
        visit.page.keyboard.press("Escape")
        assert not card.is_visible() and "90% of samples" in number.get_attribute("title")


def test_a_numbers_card_leads_to_the_line_that_added_it(site, browser):
    site.record(add_value(id="speed", value=171.3, low=168.1, high=173.2, unit="GFLOP/s", at="labs/01-roofline/bench/a.cpp:12"))
    site.page("# Page\n\n<article>\n\nIt is {measured}`01-roofline/speed`.\n\n</article>")
    address = "https://forge.example/us/book"
    site.build(press_source=address, html_js_files=[("reading.js", {"defer": "defer"})])
    with Visit(browser, (site.root / "build/out/index.html").as_uri()) as visit:
        visit.page.locator(".hf-number").hover()
        link = visit.page.locator("#hf-definition a")
        expect(link).to_have_text("labs/01-roofline/bench/a.cpp:12")
        expect(link).to_have_attribute("href", f"{address}/blob/HEAD/labs/01-roofline/bench/a.cpp#L12")


TWO_STATES = {"value": 51.4, "low": 47.25, "high": 96.05,
              "samples": [50.1, 95.3, 48.4, 51.2, 96.8, 49.9, 52.0, 94.7, 46.1, 51.9, 51.4],
              "modes": [{"median": 50.65, "share": 8 / 11}, {"median": 95.3, "share": 3 / 11}]}
IN_BOTH = "two states: 51\xa0GB/s in 8 of 11 samples, 95\xa0GB/s in the others"


def test_a_number_measured_in_two_states_says_so(site):
    site.record(add_value(id="speed", unit="GB/s", **TWO_STATES))
    site.built(PAGE % "speed" + " Plain, {measured}`01-roofline/speed|plain`; bare, {measured}`01-roofline/speed|number`.")
    assert "It is 51 GB/s 46–97. Plain, 51 GB/s; bare, 51." in site.text()
    assert site.html().count(IN_BOTH) == 3


def test_a_published_number_measured_in_two_states_says_so(site):
    site.record(add_value(id="speed", unit="GB/s", **TWO_STATES), published="other-machine")
    site.built(PAGE % "speed")
    assert IN_BOTH in site.html()


@pytest.mark.parametrize(("value", "spread", "text"), [
    (1.31, (1.28, 1.36), "It is 1.31× 1.28–1.36 as fast."),
    (1.31, None, "It is 1.3× as fast."),
    (1.04, None, "It is 1.04× as fast."),  # with two digits it would be a tie
    (0.84, (0.81, 0.88), "It is 0.84× 0.81–0.88 as fast."),
    (1.004, (0.93, 1.08), "It is just as fast 0.93–1.08×."),  # it prints as 1.00
    (1.0, None, "It is just as fast."),
    (0.985, (0.97, 1.0), "It is just as fast 0.97–1.00×."),  # nearer to 1 than the noise floor, 0.02
    (1.4, (0.9, 1.8), "It is 1.4× 0.9–1.8 as fast."),  # unknown, and so it is not called a tie
])
def test_a_ratio_in_a_sentence_that_is_one_as_far_as_can_be_told_is_a_word(site, value, spread, text):
    interval = dict(zip(("low", "high"), spread or ()))
    site.shown(PAGE % "ratio|as fast", add_value(id="ratio", value=value, unit="1", **interval),
               lambda record: record["run"].update(noise_floor=0.02))
    assert text in site.text()


def test_quoted_values_are_cited(site):
    site.record(add_value(id="peak", value=312, unit="TFLOP/s", kind="quoted", source="maker2020"))
    site.built(PAGE % "peak" + "\n\n```{bibliography}\n```", **site.cites())
    assert "312 TFLOP/s [Maker, 2020]" in site.text()


def test_a_point_of_a_series_is_called_by_its_row(site):
    point = {"x": 4, "median": 3.9, "low": 3.9, "high": 3.9, "samples": [3.9, 3.9, 3.9], "label": "FP8 E4M3"}
    series = {"id": "speedup", "label": "measured", "kind": "measured", "x": {"name": "format", "unit": "1"},
              "y": {"name": "speedup", "unit": "1"}, "points": [point]}
    site.record(lambda record: record["series"].append(series))
    site.page(PAGE % "speedup[fp8_e4m3]|times|plain")
    assert site.build().said == ""
    assert "It is 3.9×." in site.text()
    assert 'title="speedup, FP8 E4M3; ' in site.html()

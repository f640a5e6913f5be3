"""The page Start here: one question with its answer, and one figure about it, on each machine."""

import json
import re

import pytest
from layout import draw_one, faults, measure
from made import RECORDS, ROOT
from playwright.sync_api import expect
from whole import CHAPTERS, Visit

FIGURE = "start-two-orders"
OF_MACHINES = {path.parent.name: path for path in sorted(RECORDS.glob("*/02-matmul.json"))}
OTHER = "amd-epyc-zen-4-2-cores-vm"
SAID = "() => document.querySelector('article .admonition').innerText"


def value(record, name: str) -> float:
    return next(each["value"] for each in json.loads(record.read_text())["values"] if each["id"] == name)


@pytest.fixture(scope="module")
def bars(tmp_path_factory) -> dict[tuple[str, str], str]:
    folder = tmp_path_factory.mktemp("bars")
    return {(name, FIGURE): draw_one((path, ROOT / "figures" / f"{FIGURE}.gp", folder / name))
            for name, path in OF_MACHINES.items()}


def test_the_bars_are_as_far_apart_as_chapter_02_measured(bars):
    for (name, _), drawn in bars.items():
        first, second = (float(re.sub("[\u202f,]", "", each)) for each in re.findall(r">([\d\u202f,.]+) ms<", drawn))
        assert first / second == pytest.approx(value(OF_MACHINES[name], "loop_order_gain"), rel=0.05), name


def test_no_word_of_the_bars_leaves_them(browser, bars, tmp_path):
    words = measure(browser, bars, tmp_path)
    assert {key: faults(source, words[key]) for key, source in bars.items() if faults(source, words[key])} == {}


def test_the_answer_is_the_chosen_machines(browser, served):
    with Visit(browser, f"{served}start.html") as visit:
        own = visit.page.evaluate(SAID)
        said = re.search(r"You said “just as fast”: ([\d.]+)× too low", own)
        assert said[1] == re.search(r"Measured: ([\d.]+)×", own)[1]
        bars = visit.page.locator("#fig-two-orders svg.hf-figure").inner_html()
        visit.page.locator("#hf-machine select").select_option(OTHER)
        visit.page.wait_for_function(f"() => press.machine === '{OTHER}'")
        assert visit.page.evaluate(SAID) != own
        assert visit.page.locator("#fig-two-orders svg.hf-figure").inner_html() != bars
        assert visit.errors == []


def test_the_marks_are_one_press_away(browser, served):
    with Visit(browser, f"{served}start.html") as visit:
        marks = visit.page.locator("svg.hf-mark-of")
        expect(marks).to_have_count(4)
        assert not marks.first.is_visible()
        visit.page.get_by_text("The four kinds of numbers and their marks").click()
        assert all(mark.is_visible() for mark in marks.all())


def test_the_road_has_every_chapter(browser, served):
    with Visit(browser, f"{served}start.html") as visit:
        rows = visit.page.locator("table a").evaluate_all("all => all.map(a => a.getAttribute('href').split('-')[0])")
        assert rows == [chapter[:2] for chapter in CHAPTERS]

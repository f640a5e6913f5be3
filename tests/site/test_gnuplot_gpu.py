"""The figures of chapter 03, with and without the series that only a GPU can measure, on unusual machines."""

import copy
import json
import random
import re
import xml.etree.ElementTree as ElementTree

import made
import pytest
from extremes import gpu_series, scale, scheduler_series
from test_gnuplot import ROOT, SVG, TOOL, assert_clear, gnuplot

SCRIPTS = {script.stem: script for script in sorted((ROOT / "figures").glob("03-*.gp"))}
RECORD = made.record("03-gpu")
NAMES = {"naive", "coalesced", "shared tile", "register tile", "warp tile", "register ports", "no tensor cores",
         "through registers", "early copies", "copy engine", "ring of buffers", "blocks that stay", "all steps"}


def scaled(record, chance):
    """The record of another machine: the measured points, with each series multiplied by its own factor."""
    record = copy.deepcopy(record)
    walks = chance.uniform(0.2, 6)
    for series in record["series"]:
        factor = walks if series["id"].startswith(("chases_", "little_", "simt_chases")) else chance.uniform(0.3, 4)
        if series["kind"] in ("measured", "modelled") or series["id"] == "simt_chases":
            for point in series["points"]:
                scale(point, factor)
    for value in record["values"]:
        if value["id"].endswith("_gbs"):
            scale(value, walks, "value")
    return record


@pytest.fixture
def drawn(tmp_path):
    """Draws every figure whose series the record has: {name: the SVG's text}."""
    def from_record(record):
        path = tmp_path / "03-gpu.json"
        path.write_text(json.dumps(record))
        have = {series["id"] for series in record["series"]}
        return {name: gnuplot.draw(path, script, tmp_path / "figures", TOOL).read_text() for name, script in SCRIPTS.items()
                if set(gnuplot.read_header(script)["needs"]) <= have}
    return from_record


def test_without_a_gpu_all_but_its_own_figure_are_drawn(drawn):
    assert set(drawn(RECORD)) == {"03-divergence", "03-gpu-ladder", "03-little", "03-prefetch", "03-rung-ticks",
                                  "03-simt"}


def test_labels_of_the_fixture_are_clear_of_each_other(drawn):
    for source in drawn(RECORD).values():
        assert_clear(source)
        assert "NaN" not in source


@pytest.mark.parametrize("seed", range(2))
def test_labels_are_clear_on_machines_nobody_thought_of(drawn, seed):
    for source in drawn(scaled(RECORD, random.Random(seed))).values():
        assert_clear(source)


@pytest.mark.parametrize("seed", range(2))
def test_labels_are_clear_where_there_is_a_gpu(drawn, seed):
    chance = random.Random(seed)
    record = scaled(RECORD, chance)
    record["series"] += gpu_series(chance) + scheduler_series(chance)
    figures = drawn(record)
    assert set(figures) == set(SCRIPTS)
    for source in figures.values():
        assert_clear(source)


def test_a_ladder_that_ends_at_the_warp_tile_has_a_row_less(drawn):
    """As in records from before the register ports."""
    def ladder(rungs):
        record = copy.deepcopy(RECORD)
        record["series"] += gpu_series(random.Random(0))
        next(each for each in record["series"] if each["id"] == "sgemm_ladder")["points"][rungs:] = []
        return drawn(record)["03-gpu-ladder"]
    assert "register ports" in ladder(7)
    assert "register ports" not in ladder(6)
    assert_clear(ladder(6))


def test_each_number_of_the_ladder_is_on_the_line_of_its_row(drawn):
    record = copy.deepcopy(RECORD)
    record["series"] += gpu_series(random.Random(0))
    for with_gpu in (RECORD, record):
        words = [(text.text, float(text.get("x")), float(text.get("y")))
                 for text in ElementTree.fromstring(drawn(with_gpu)["03-gpu-ladder"]).iter(SVG + "text")]
        rows = {y for string, _, y in words if string in NAMES}
        numbers = [(x, y) for string, x, y in words if re.fullmatch(r"[\d.]+", string) and y in rows]
        assert len({x for x, _ in numbers}) == 1 and len({y for _, y in numbers}) == len(numbers) >= 8


def test_figures_without_what_one_core_cannot_measure(drawn):
    record = copy.deepcopy(RECORD)
    record["series"] = [series for series in record["series"] if series["id"] != "chases_bandwidth_2"]
    for source in drawn(record).values():
        assert_clear(source)

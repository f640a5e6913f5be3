"""The figures of chapter 03, with and without the series that only a GPU can give, on machines nobody thought of."""

from __future__ import annotations

import copy
import json
import random

import pytest
from test_draw import ROOT, TOOL, assert_clear, draw

SCRIPTS = {script.stem: script for script in sorted((ROOT / "figures").glob("03-*.gp"))}
RECORD = json.loads((ROOT / "tests/site/fixtures/03-gpu.json").read_text())
SGEMM = ["naive", "coalesced", "shared tile", "register tile", "vectorised", "warp tile"]
BF16 = ["WMMA", "TMA + WGMMA", "producer/consumer", "persistent + clusters"]


def measured(name, points, x_unit, y_unit, label=None):
    """A series as a GPU's part of the lab writes it; points are (x, median) or (x, median, label)."""
    told = [{"x": x, "median": y, "low": y, "high": y, "samples": [y], **({"label": text[0]} if text else {})}
            for x, y, *text in points]
    return {"id": name, "label": label or name.replace("_", " "), "kind": "measured", "points": told,
            "x": {"name": "x", "unit": x_unit}, "y": {"name": "y", "unit": y_unit}}


def gpu_series(chance):
    """What a GPU would add to the record: its numbers are made up, and stay in this test."""
    top, latency = chance.uniform(300, 8000), chance.uniform(300, 900)
    flight = [2.0 ** i for i in range(9, 24)]
    strides = [1, 2, 4, 8, 16, 32]
    shares = sorted(chance.uniform(1, 108) for _ in SGEMM), sorted(chance.uniform(20, 110) for _ in BF16)
    intensities = [2.0 ** i for i in range(-2, 9)]
    return [
        measured("gpu_bandwidth_in_flight", [(b, min(top, b / latency)) for b in flight], "B", "GB/s", "one load per thread"),
        measured("gpu_bandwidth_in_flight_4", [(4 * b, min(top, 4 * b / latency)) for b in flight], "B", "GB/s",
                 "four loads per thread"),
        {**measured("simt_gpu_bandwidth", [(b, min(top, b / latency)) for b in flight[6:]], "B", "GB/s", "simulated"),
         "kind": "simulated"},
        measured("gpu_latency", [(2.0 ** i, 34 if i < 17 else 270 if i < 25 else latency) for i in range(12, 31)], "B",
                 "cycles", "one thread"),
        measured("gpu_stride", [(s, top / s) for s in strides], "1", "GB/s", "words used"),
        measured("gpu_bank_conflicts", [(s, 1.0 * s) for s in strides], "1", "cycles", "a warp's load"),
        measured("gpu_divergence", [(s, 1.0 * s) for s in strides], "1", "1", "neighbours differ"),
        measured("gpu_divergence_between", [(s, 1.0) for s in strides], "1", "1", "whole warps differ"),
        measured("gpu_power", [(i, chance.uniform(100, 700)) for i in intensities], "FLOP/byte", "W", "board"),
        measured("gpu_power_speed", [(i, min(6e4, top * i)) for i in intensities], "FLOP/byte", "GFLOP/s", "fp32"),
        measured("sgemm_ladder", [(i, share, name) for i, (share, name) in enumerate(zip(shares[0], SGEMM), 1)], "1", "%"),
        measured("bf16_ladder", [(i, share, name) for i, (share, name) in enumerate(zip(shares[1], BF16), 1)], "1", "%"),
    ]


def scaled(record, chance):
    """The record of another machine: what was measured, each series multiplied by a number of its own."""
    record = copy.deepcopy(record)
    walks = chance.uniform(0.2, 6)
    for series in record["series"]:
        factor = walks if series["id"].startswith(("chases_", "little_", "simt_chases")) else chance.uniform(0.3, 4)
        if series["kind"] in ("measured", "modelled") or series["id"] == "simt_chases":
            for point in series["points"]:
                for key in {"median", "low", "high"} & set(point):
                    point[key] *= factor
                if "samples" in point:
                    point["samples"] = [factor * sample for sample in point["samples"]]
    for value in record["values"]:
        if value["id"].endswith("_gbs"):
            value.update({key: walks * value[key] for key in ("value", "low", "high") if key in value})
            value["samples"] = [walks * sample for sample in value.get("samples", [])] or [value["value"]]
    return record


@pytest.fixture
def drawn(tmp_path):
    """Draws every figure whose series the record has: {name: the SVG's text}."""
    def from_record(record):
        path = tmp_path / "03-gpu.json"
        path.write_text(json.dumps(record))
        have = {series["id"] for series in record["series"]}
        return {name: draw.draw(path, script, tmp_path / "figures", TOOL).read_text() for name, script in SCRIPTS.items()
                if set(draw.read_header(script)["needs"]) <= have}
    return from_record


def test_without_a_gpu_all_but_its_own_figure_are_drawn(drawn):
    assert set(drawn(RECORD)) == {"03-divergence", "03-gpu-ladder", "03-little", "03-prefetch", "03-simt"}


def test_labels_of_the_fixture_are_clear_of_each_other(drawn):
    for source in drawn(RECORD).values():
        assert_clear(source)
        assert "NaN" not in source


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_clear_on_machines_nobody_thought_of(drawn, seed):
    for source in drawn(scaled(RECORD, random.Random(seed))).values():
        assert_clear(source)


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_clear_where_there_is_a_gpu(drawn, seed):
    chance = random.Random(seed)
    record = scaled(RECORD, chance)
    record["series"] += gpu_series(chance)
    figures = drawn(record)
    assert set(figures) == set(SCRIPTS)
    for source in figures.values():
        assert_clear(source)


def test_figures_without_what_one_core_cannot_measure(drawn):
    record = copy.deepcopy(RECORD)
    record["series"] = [series for series in record["series"] if series["id"] != "chases_bandwidth_2"]
    for source in drawn(record).values():
        assert_clear(source)

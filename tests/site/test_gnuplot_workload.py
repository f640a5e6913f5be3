"""The figures of chapter 00, drawn from a real record and from very different machines."""

import copy
import json
import random

import made
import pytest
from test_gnuplot import ROOT, TOOL, assert_clear, gnuplot, texts

SCRIPTS = sorted((ROOT / "figures").glob("00-*.gp"))
RECORD = made.record("00-workload")


@pytest.fixture
def drawn(tmp_path):
    """Draws every figure from a record: {name: the SVG's text}."""
    def from_record(record):
        path = tmp_path / "00-workload.json"
        path.write_text(json.dumps(record))
        return {script.stem: gnuplot.draw(path, script, tmp_path / "figures", TOOL).read_text() for script in SCRIPTS}
    return from_record


def scaled(record, factors, shares=None):
    """The record of another machine: whole series multiplied, and the shares of the passes replaced."""
    record = copy.deepcopy(record)
    for series in record["series"]:
        factor = next((factor for prefix, factor in factors.items() if series["id"].startswith(prefix)), 1)
        for i, point in enumerate(series["points"]):
            point["median"] = shares[series["id"]][i] if shares and series["id"] in shares else factor * point["median"]
            if "samples" in point:
                point.update(samples=[point["median"]], low=point["median"], high=point["median"])
    record["values"] = []  # they are the real machine's
    return record


def test_labels_of_the_fixture_are_clear_of_each_other(drawn):
    for source in drawn(RECORD).values():
        assert_clear(source)


@pytest.mark.parametrize("seed", range(3))
def test_labels_are_clear_on_machines_nobody_thought_of(drawn, seed):
    chance = random.Random(seed)
    classes = ("gemm", "attention", "reduction", "elementwise", "copying")
    shares = {f"{kind}_share_{name}": [] for kind in ("flop", "time") for name in classes}
    for kind in ("flop", "time"):
        for _ in range(5):
            parts = [chance.random() ** 3 for _ in classes]
            for name, part in zip(classes, parts):
                shares[f"{kind}_share_{name}"].append(100 * part / sum(parts))
    speed, memory = 10 ** chance.uniform(-2, 2), 10 ** chance.uniform(-1, 1.3)
    factors = {"pass_speed": speed, "pass_peak": chance.uniform(0.1, 1.2), "batch_flops": speed, "batch_bytes": memory,
               "batch_speed": min(speed, memory), "token_with_": 1 / memory, "token_without_": 1 / speed}
    for source in drawn(scaled(RECORD, factors, shares)).values():
        assert_clear(source)


def test_every_pass_shows_its_bars_and_its_share_of_the_peak(drawn):
    strings = [string for string, _ in texts(drawn(RECORD)["00-where-time-goes"])]
    passes = next(series for series in RECORD["series"] if series["id"] == "pass_speed")["points"]
    for point in passes:
        assert strings.count(point["label"]) == 1
    assert strings.count("FLOPs") == strings.count("time") == strings.count("busy") == len(passes)
    assert sum(string.startswith("GEMM ") for string in strings) == len(passes)
    assert sum(string.endswith("of the peak") for string in strings) == len(passes)


def test_figures_without_what_a_machine_could_not_predict(drawn):
    record = scaled(RECORD, {})
    record["series"] = [series for series in record["series"] if not series["id"].endswith("cache_predicted")]
    for name, source in drawn(record).items():
        assert_clear(source)
        assert "NaN" not in source, name

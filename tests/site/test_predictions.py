"""The page of predictions: which count, the results, and that nothing is left out."""

import fnmatch
import json
import math
import re
from pathlib import Path

import pytest
from conftest import LAB, PROJECT, points_of
from press.measurements.outcomes import Declared, Pair, outcomes, place_on_axis, read_declared, tally, times_as_long
from press.measurements.record import Record


def series(series_id, kind, unit, *points, x_unit="1"):
    """A series of (x, median) or (x, median, label)."""
    return {"id": series_id, "kind": kind, "label": series_id, "x": {"name": "batch", "unit": x_unit},
            "y": {"name": "time", "unit": unit},
            "points": [dict(zip(("x", "median", "label"), point)) for point in points]}


def found(predicted, measured, *values):
    """The outcomes of one pair of series, or of a pair of values, if there are any."""
    record = Record(Path("01-some.json"), True, {"series": [predicted, measured], "values": list(values)})
    ids = [each["id"] for each in values or (predicted, measured)]
    return outcomes(record, Declared((Pair("some", *ids),)))


def test_a_time_and_a_speed_are_read_as_times():
    times = found(series("step_predicted", "modelled", "ms", (1, 10), (2, 20)),
                  series("step", "measured", "ms", (1, 12.5), (2, 16)))
    assert [each.took for each in times] == [1.25, 0.8]
    assert [each.miss for each in times] == [1.25, 1.25]  # in either direction
    (speed,) = found(series("dot_predicted", "modelled", "GFLOP/s", (0, 30)), series("dot", "measured", "GFLOP/s", (0, 10)))
    assert speed.took == speed.miss == 3
    assert (speed.predicted, speed.measured) == ("30\u00a0GFLOP/s", "10\u00a0GFLOP/s")


def test_points_are_matched_by_label_else_by_place():
    by_label = found(series("a_predicted", "modelled", "us", (0, 4, "add"), (1, 8, "dot")),
                     series("a", "measured", "us", (7, 16, "dot"), (9, 2, "add")))
    assert {each.name: each.took for each in by_label} == {"add": 0.5, "dot": 2}
    by_place = found(series("a_predicted", "modelled", "us", (1, 4), (2, 8)),
                     series("a_measured", "measured", "us", (2, 12, "two")))
    assert [(each.name, each.took) for each in by_place] == [("two", 1.5)]
    (named,) = found(series("a_predicted", "modelled", "us", (16, 4)), series("a", "measured", "us", (16, 5)))
    assert named.name == "batch 16"


def test_a_share_and_a_value_are_read_as_they_are():
    (share,) = found(series("a", "modelled", "%", (0, 20)), series("b", "quoted", "%", (0, 30)))
    assert (share.took, share.predicted, share.measured) == (1.5, "20%", "30%")
    values = [{"id": "ridge_predicted", "unit": "1", "value": 12}, {"id": "ridge", "unit": "1", "value": 9}]
    (value,) = found(series("a", "modelled", "ms", (0, 1)), series("b", "measured", "ms", (0, 1)), *values)
    assert (value.took, value.what, value.name) == (0.75, "some", "some")


@pytest.mark.parametrize("pair", [
    (series("a_predicted", "modelled", "ms", (0, 2)), series("a", "measured", "us", (0, 3))),  # another unit
    (series("a_predicted", "modelled", "ms", (0, 2)), series("a", "measured", "ms", (0, 2))),  # where a law starts
    (series("a_predicted", "modelled", "ms", (0, 2)), series("a", "measured", "ms", (1, 3))),  # another place
    (series("a_predicted", "modelled", "ms", (0, 0)), series("a", "measured", "ms", (0, 3))),
])
def test_what_does_not_count(pair):
    assert found(*pair) == []


def test_a_tally_by_hand():
    # measured over predicted: 1.05, 0.9, 1.25, 2, 0.25; misses: 1.05, 1.11, 1.25, 2, 4
    all_of_them = found(series("a_predicted", "modelled", "ms", *((n, 100) for n in range(5))),
                        series("a", "measured", "ms", *enumerate((105, 90, 125, 200, 25))))
    summary = tally(all_of_them)
    assert summary.count == 5 and summary.median == 1.25
    assert summary.within == (0.2, 0.6, 0.8)
    assert summary.worst.name == "batch 4" and times_as_long(summary.worst.took) == "0.25×"


@pytest.mark.parametrize(("unit", "measured", "words"), [
    ("ms", 300, "3× longer than predicted"), ("ms", 50, "2× shorter than predicted"),
    ("GFLOP/s", 50, "2× slower than predicted"), ("GFLOP/s", 300, "3× faster than predicted"),
    ("1", 300, "predicted 3× too low"), ("1", 50, "predicted 2× too high"),
])
def test_a_miss_is_told_by_the_direction_of_its_quantity(unit, measured, words):
    (outcome,) = found(series("a_predicted", "modelled", unit, (0, 100)), series("a", "measured", unit, (0, measured)))
    assert outcome.missed_by == words


def test_the_axis_is_in_octaves_and_ends():
    assert [place_on_axis(took) for took in (1, 2, 0.125, 8, 100, 0.001)] == pytest.approx([50, 50 + 50 / 3, 0, 100, 100, 0])
    assert math.isclose(place_on_axis(1.25) - 50, 50 - place_on_axis(0.8))


PAGE = "# Page\n\n```{predictions-overview}\n```\n\n```{predictions} 01-roofline\n```\n"
DECLARED = {"pairs": [{"what": "ten kernels", "predicted": "kernels_predicted", "measured": "kernels"}]}


def declare(site, declared=DECLARED):
    (site.root / "labs" / LAB / "predictions.json").write_text(json.dumps(declared))


def test_the_page_of_two_machines(site):
    def faster(record):
        point = next(point for point in points_of(record, "kernels") if point["label"] == "dot")
        point.update(median=8.25, low=8.205, high=8.295, samples=[8.2, 8.25, 8.3])

    site.record()
    site.record(faster, published="other-machine")
    declare(site)
    site.built(PAGE)
    text = site.text().replace("\u00a0", " ")
    # the fixture's speeds, predicted over measured: naive matmul 83×, layer norm 2.5×, softmax 1.7×, …
    misses = sorted(max(m / p, p / m) for m, p in zip(
        (0.9962, 4.098, 1.937, 2.87, 7.963, 6.91, 9.119, 8.61, 2.107, 59.75),
        (1.031, 4.125, 2.062, 2.75, 8.25, 9.9, 23.1, 14.85, 175, 175)))
    median = (misses[4] + misses[5]) / 2
    assert 1.15 < median < 1.35
    assert f"10 {median:.3g}×" in text
    assert f"{sum(miss <= 1.1 for miss in misses) * 10}%" in text
    assert "naive matmul: 83× slower than predicted" in text
    assert "dot 1.01× (4.12 GFLOP/s, 4.1 GFLOP/s) 0.5× (4.12 GFLOP/s, 8.25 GFLOP/s)" in text
    assert site.html().count("<circle") == 5 * 10 + 2  # two machines with two lines each, the chapter's section, the example
    assert "predictions.css" in site.html()


def test_a_malformed_declaration_and_a_lab_without_predictions_are_named(site):
    site.record(lambda record: record["series"].remove(next(s for s in record["series"] if s["id"] == "kernels_predicted")))
    declare(site)
    site.fails("no record of 01-roofline has both a prediction and its measurement", page=PAGE)
    site.record()
    for malformed in ({}, {"pairs": [{"what": "a"}]}, {"pairs": [], "left_out": [{"ids": ["a"]}]}, {**DECLARED, "more": 1}):
        declare(site, malformed)
        assert 'labs/01-roofline/predictions.json: expected "pairs", each with "what"' in site.build().said


LABS = sorted(path.parent.name for path in (PROJECT / "labs").glob("[0-9][0-9]-*/lab.cpp"))
PREDICTED = re.compile(r"predicted|(^|_)model_us_|_modelled$")


def declared_by(lab):
    return read_declared(PROJECT / "labs" / lab / "predictions.json", lab)


def published_ids(lab):
    """The ids in a lab's published records."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in PROJECT.glob(f"figures/records/*/{lab}.json")]
    return {each["id"] for record in records for each in record["series"] + record["values"]}


@pytest.mark.parametrize("lab", LABS)
def test_no_prediction_of_a_published_record_is_forgotten(lab):
    declared = declared_by(lab)
    known = {name for pair in declared.pairs for name in (pair.predicted, pair.measured)}
    forgotten = {each for each in filter(PREDICTED.search, published_ids(lab) - known)
                 if not any(fnmatch.fnmatch(each, name) for name in declared.left_out)}
    assert not forgotten, f"labs/{lab}/predictions.json neither pairs these nor leaves them out"


@pytest.mark.parametrize("lab", LABS)
def test_what_is_declared_is_in_some_published_record(lab):
    there = published_ids(lab)
    for pair in declared_by(lab).pairs:
        assert {pair.predicted, pair.measured} <= there, pair
    for name in declared_by(lab).left_out:
        assert fnmatch.filter(there, name), name


def test_every_lab_with_predictions_is_on_the_page():
    shown = re.findall(r"^```\{predictions\} (\S+)", (PROJECT / "chapters" / "predictions.md").read_text(), re.M)
    assert shown == [lab for lab in LABS if declared_by(lab).pairs]

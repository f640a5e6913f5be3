"""Two machines in one figure: the same axes, and a sentence on the differences beyond the noise."""

import json
import re

import pytest
from conftest import FIGURE, PROJECT, scale_series
from press.measurements.record import Record
from press.pictures.compare import sentence

NAMES = ("A", "B")
PAGE = f"# Page\n\n{FIGURE}"
PAIR = "here+other-machine"
RANGED = 'stats tables."/latency.tsv" using 2 nooutput\neval y_range(0, STATS_max)\nplot '


def series(medians, *, unit="GB/s", label="read", spread=0.01, kind="measured", xs=(1024, 2048, 4096, 8192), labels=()):
    """One series with an interval around each median."""
    points = [{"x": x, "median": median, "low": median * (1 - spread), "high": median * (1 + spread)}
              for x, median in zip(xs, medians)]
    for point, name in zip(points, labels):
        point["label"] = name
    return {"id": label.replace(" ", "_"), "label": label, "kind": kind, "x": {"name": "size", "unit": "B"},
            "y": {"name": "speed", "unit": unit}, "points": points}


def said(of_a, of_b, noise=0.02, drawn=frozenset()):
    """The sentence on two records with these series."""
    a, b = (Record(PROJECT / "x.json", True, {"series": each, "run": {"noise_floor": noise}}) for each in (of_a, of_b))
    return sentence(a, b, [each["id"] for each in of_a], NAMES, drawn)


@pytest.mark.parametrize(("a", "b", "unit", "words"), [
    ([20, 30, 40, 50], [10, 15, 20, 25], "GB/s", "Read: A is 2 times as fast."),
    ([10, 15, 20, 25], [20, 45, 40, 50], "GB/s", "Read: B is 2 to 3 times as fast."),
    ([10, 15, 20, 25], [20, 45, 40, 50], "ns", "Read: B takes 2 to 3 times as long."),
    ([1, 2, 3, 4], [2, 4, 6, 8], "1", "Read: B is 2 times as high."),
    ([10, 14, 21, 10], [10, 10, 10, 10], "GB/s", "Read: A is 1.4 to 2.1 times as fast from 2 KiB to 4 KiB; "
                                                 "elsewhere they tie."),
    ([20, 10, 20, 10], [10, 10, 10, 10], "GB/s", "Read: A is 2 times as fast at 2 of 4 points from 1 KiB to 4 KiB; "
                                                 "elsewhere they tie."),
    ([20, 10, 10, 5], [10, 10, 10, 10], "GB/s", "Read: A is 2 times as fast at 1 KiB; B is 2 times as fast at 8 KiB; "
                                                "elsewhere they tie."),
    ([10, 10, 10, 10], [10, 10, 10, 10], "GB/s", "Any difference is within the noise."),
])
def test_what_differs_is_said_with_where_and_how_much(a, b, unit, words):
    assert said([series(a, unit=unit)], [series(b, unit=unit)]) == words


@pytest.mark.parametrize(("spread", "noise", "differs"), [
    (0.001, 0.001, True), (0.03, 0.001, False), (0.001, 0.06, False),
])
def test_five_per_cent_count_where_intervals_lie_apart_and_beyond_the_noise(spread, noise, differs):
    words = said([series([105] * 4, spread=spread)], [series([100] * 4, spread=spread)], noise)
    assert words == ("Read: A is 1.05 times as fast." if differs else "Any difference is within the noise.")


def test_points_are_matched_by_label_or_else_by_place():
    kernels = ("add", "dot", "softmax", "matmul")
    a = series([20, 10, 10, 30], labels=kernels, xs=(1, 2, 3, 4))
    b = series([10, 10, 10, 10], labels=kernels, xs=(9, 8, 7, 6))
    assert said([a], [b]) == "Read: A is 2 to 3 times as fast for add and matmul; elsewhere they tie."
    assert said([series([20, 20, 20, 20])], [series([10, 10], xs=(2048, 9999))]) == "Read: A is 2 times as fast."
    assert said([series([20, 20])], [series([10, 10], xs=(3, 5))]) == ""


def test_series_that_differ_alike_share_a_sentence_and_only_what_was_measured_counts():
    a = [series([20] * 4), series([30] * 4, label="copy"), series([9] * 4, label="triad, 1 thread"),
         series([9] * 4, label="roof", kind="modelled")]
    b = [series([10] * 4), series([10] * 4, label="copy"), series([9] * 4, label="triad, 1 thread"),
         series([1] * 4, label="roof", kind="modelled")]
    for each in (a, b):
        each[2]["id"] = "triad"
    assert said(a, b) == "Read and copy: A is 2 to 3 times as fast. They tie on triad (1 thread)."


def test_a_series_is_called_as_in_the_figure_and_what_differs_most_comes_first():
    a = [series([9] * 4, label="chase, huge pages"), series([4] * 4, label="chase, small pages", xs=(1, 2, 3, 4)),
         series([50, 5, 5, 5], label="measured")]
    b = [series([3] * 4, label="chase, huge pages"), series([1, 4, 4, 4], label="chase, small pages", xs=(1, 2, 3, 4)),
         series([5] * 4, label="measured")]
    assert said(a, b, drawn={"huge pages", "small pages"}) == (
        "Measured: A is 10 times as fast at 1 KiB; elsewhere they tie. "
        "Small pages: A is 4 times as fast at 1 B; elsewhere they tie. The other series differ by less.")
    assert said(a[:1], b[:1], drawn={"other"}) == "Chase (huge pages): A is 3 times as fast."


def test_what_has_no_ratio_is_left_out():
    assert said([series([0, 20, 20, 20])], [series([5, 10, 10, 10])]) == "Read: A is 2 times as fast."


def pairs(site) -> dict | None:
    """The figures of the page's pair; None if there is none."""
    file = site.root / "build" / "out" / "_machines" / "index" / f"{PAIR}.js"
    if not file.exists():
        return None
    arguments = re.fullmatch(r"press\.pair\((.*)\);\n", file.read_text(encoding="utf-8"), re.S)[1]
    return json.loads(f"[{arguments}]")[2]


def scale(drawing: str) -> list[str]:
    """The words beside the axes."""
    return re.findall(r'<text class="f-quiet"[^>]*>([\d.e+]+)<', drawing)


def test_a_figure_that_two_have_measured_can_show_both_on_the_same_axes(site):
    site.record(lambda record: record["machine"].update(cpu="First"))
    site.record(lambda record: record["machine"].update(cpu="Second"), scale_series("latency", 10), published="other-machine")
    script = site.root / "figures" / "01-small.gp"
    script.write_text(script.read_text().replace("plot ", RANGED))  # as in the figures of the book
    site.built(PAGE)
    here, other, words = pairs(site)["01-small"]
    assert words == "Pointer chase (huge pages): Second\u00a0·\u00a02 takes 10 times as long."
    assert scale(here) == scale(other) != []
    alone = re.search(r"<svg.*?</svg>", site.html(), re.S)[0]
    assert scale(alone) != scale(here)
    assert "beyond 64 MiB" in here and "beyond 64 MiB" in other and "1416 ns" in other and "1416 ns" not in here
    ids = re.findall(r'id="([^"]+)"', here + other + alone)
    assert len(ids) == len(set(ids))
    assert f'data-figure="01-small" data-pairs="{PAIR}"' in site.html()


def test_each_machine_stands_beside_the_first_alone(site):
    site.record()
    for name in ("a-machine", "b-machine"):
        site.record(published=name)
    site.built(PAGE)
    assert 'data-pairs="here+a-machine here+b-machine"' in site.html()
    assert {file.stem for file in (site.root / "build" / "out" / "_machines" / "index").glob("*+*.js")} == {
        "here+a-machine", "here+b-machine"}


def test_a_pair_follows_its_records_and_its_script_and_goes_with_them(site):
    site.record()
    path = site.record(scale_series("latency", 10), published="other-machine")
    site.page(PAGE)
    site.build()
    first = pairs(site)
    site.record(scale_series("latency", 3), published="other-machine")
    site.build()
    assert pairs(site) != first and "3 times as long" in pairs(site)["01-small"][2]
    script = site.root / "figures" / "01-small.gp"
    script.write_text(script.read_text().replace("A small figure", "A better figure"))
    site.build()
    assert "A better figure" in pairs(site)["01-small"][0]
    path.unlink()
    site.build()
    assert pairs(site) is None and "hf-compare" not in site.html()


def test_a_machine_without_the_figure_stands_beside_nobody(site):
    site.lab("02-other")
    site.record()
    site.record(published="other-machine", lab="02-other")
    site.built(PAGE)
    assert pairs(site) is None and "hf-compare" not in site.html()

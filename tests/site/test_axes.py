"""Two records on the same axes: both use them, and no label is lost."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest
from extremes import LABS, ROOT, cut_short, everything, times_as_fast
from layout import faults, measure
from test_gnuplot import SVG, TOOL, gnuplot

SCRIPTS = {script.stem: script for script in sorted((ROOT / "figures").glob("[0-9][0-9]-*.gp"))}


def written(path):
    """(the scales: the words beside the axes and their places; all other words, with their counts) of a figure."""
    scales, labels = set(), Counter()
    for text in ElementTree.parse(path).iter(SVG + "text"):
        if text.get("class") == "f-quiet" and re.match(r"[-\d.,/⁰¹²³⁴-⁹⁻]+( [KMG]iB| B| [nµm]?s)?$", text.text):
            scales.add((text.text, text.get("x"), text.get("y")))
        else:
            labels[re.sub(r"[\d.]+", "0", text.text)] += 1
    return scales, labels


# Together these two labs have every kind of axis; the others are checked once a week.
OFTEN = {"01-roofline", "05-scaling"}


@pytest.fixture(scope="module", params=[lab if lab in OFTEN else pytest.param(lab, marks=pytest.mark.slow) for lab in LABS])
def pair(request, tmp_path_factory):
    """A record of a lab, and the record of a machine several times as fast whose measurements end earlier."""
    folder = tmp_path_factory.mktemp(request.param)
    paths = []
    for name, record in (("a", everything(request.param)),
                          ("b", times_as_fast(cut_short(everything(request.param)), 7, spread=1.5))):
        (folder / name).mkdir()
        paths.append(folder / name / f"{request.param}.json")
        paths[-1].write_text(json.dumps(record))
    return folder, paths


def test_both_have_the_same_axes_and_keep_their_labels(pair, browser, tmp_path):
    _, paths = pair
    figures = {}
    for name, script in SCRIPTS.items():
        if not name.startswith(paths[0].stem[:2]):
            continue
        try:
            common = gnuplot.common_axes(paths, script, TOOL)
        except gnuplot.SeriesAbsent:
            continue
        scales = []
        for path in paths:
            alone = gnuplot.draw(path, script, path.parent / "alone", TOOL)
            beside = gnuplot.draw(path, script, path.parent / "beside", TOOL, axes=common, name=f"{name}-beside")
            assert f'id="hf-{name}-beside-title"' in beside.read_text()
            assert not written(alone)[1] - written(beside)[1], f"{name}: labels are lost"
            scales.append(written(beside)[0])
            figures[str(path.parent.name), name] = beside.read_text(encoding="utf-8")
        assert scales[0] == scales[1], f"{name}: the axes differ"
        assert json.loads(json.dumps(common)) == common
    words = measure(browser, figures, tmp_path)
    assert not [(key, fault) for key, source in figures.items() for fault in faults(source, words[key])]


def test_one_record_keeps_its_own_axes(tmp_path, pair):
    _, (path, _) = pair
    script = next(script for name, script in SCRIPTS.items() if name.startswith(path.stem[:2]))
    common = gnuplot.common_axes([path, path], script, TOOL)
    alone, beside = (gnuplot.draw(path, script, tmp_path / "one", TOOL, axes=axes).read_text() for axes in (None, common))
    assert gnuplot.svg.inline(alone) == gnuplot.svg.inline(beside)


def test_a_record_that_lacks_the_figure_says_so(pair, tmp_path):
    _, (path, _) = pair
    script = next(script for name, script in SCRIPTS.items() if name.startswith(path.stem[:2]))
    record = json.loads(path.read_text())
    needed = gnuplot.read_header(script)["needs"][0]
    record["series"] = [series for series in record["series"] if series["id"] != needed]
    poor = tmp_path / path.name
    poor.write_text(json.dumps(record))
    with pytest.raises(gnuplot.SeriesAbsent, match=f"series {needed} is absent"):
        gnuplot.common_axes([path, poor], script, TOOL)


def test_a_range_is_widened_whichever_way_it_runs():
    assert gnuplot.widest("x1 0 3\ny1 5 0\ny2 5 0\nx1 -1 2\ny1 7 -2\n") == {"x1": [-1, 3], "y1": [7, -2], "y2": [5, 0]}

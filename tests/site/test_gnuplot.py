"""The figures: their descriptions, their colours, which follow the page, and labels that do not overlap."""

import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "site" / "press" / "pictures"))  # as the script does: without Sphinx

import gnuplot  # noqa: E402
import labels  # noqa: E402
import svg  # noqa: E402

TOOL = os.environ.get("HARDWARE_FIRST_RECORD_TOOL") or str(ROOT / "build" / "bin" / "record")
SCRIPTS = sorted((ROOT / "figures").glob("01-*.gp"))
SVG = "{http://www.w3.org/2000/svg}"

# Machines: (level, largest working set, GB/s, ns), (instruction set, GFLOP/s), threads, non-temporal stores or not.
MACHINES = {
    "server": {"levels": [("L1", 48 << 10, 620, 1.2), ("L2", 2 << 20, 260, 3.9), ("L3", 90 << 20, 60, 24),
                          ("DRAM", 4 << 30, 38, 105)], "threads": 64,
               "peaks": [("scalar", 8), ("scalar FMA", 16), ("SSE", 31), ("AVX2 FMA", 128), ("AVX-512 FMA", 245)]},
    "laptop": {"levels": [("L1", 32 << 10, 48, 1.4), ("L2", 256 << 10, 30, 4), ("L3", 4 << 20, 19, 14),
                          ("DRAM", 512 << 20, 9, 82)], "threads": 4, "peaks": [("scalar", 5.6), ("SSE", 21)]},
    "board": {"levels": [("L1", 32 << 10, 22, 2.7), ("L2", 1 << 20, 11, 11), ("DRAM", 256 << 20, 3.6, 150)], "threads": 4,
              "peaks": [("scalar", 2.9), ("scalar FMA", 2.95), ("NEON FMA", 11.6)], "nontemporal": False},
    "single": {"levels": [("L1", 32 << 10, 30, 1.1), ("L2", 512 << 10, 14, 9), ("DRAM", 128 << 20, 12, 95)], "threads": 1,
               "burst": 128 << 20,
               "peaks": [("scalar", 3.1), ("scalar FMA", 3.1), ("SSE", 12), ("AVX2 FMA", 40)]},
}
KERNELS = [("vector add", 1 / 12, 1), ("dot", 0.25, 1), ("triad", 1 / 6, 0.98), ("axpy", 1 / 6, 1.02),
           ("GEMV", 0.5, 0.96), ("5-point stencil", 0.6, 0.8), ("softmax", 1.4, 0.35), ("layer norm", 0.9, 0.55),
           ("naive matmul", 170, 0.012), ("blocked matmul", 170, 0.45)]  # name, FLOP/byte, share of the roof
UNITS = {"bandwidth": ("B", "GB/s"), "roofs": ("1", "GFLOP/s"), "latency": ("B", "ns"), "plateaus_bandwidth": ("B", "GB/s"),
         "plateaus_latency": ("B", "ns"), "peaks": ("1", "GFLOP/s"), "kernels": ("FLOP/byte", "GFLOP/s"),
         "products": ("FLOP/byte", "GFLOP/s"), "stride": ("1", "ns"),
         "canonical": ("FLOP/byte", "TFLOP/s")}


def series(name, points, kind="measured", label=None):
    """A series of a record; points are (x, median) or (x, median, label)."""
    x, y = next(units for prefix, units in UNITS.items() if name.startswith(prefix))
    told = []
    for point in points:
        one = {"x": point[0], "median": point[1]}
        if kind == "measured":
            samples = [point[1] * share for share in [0.96, 0.97] + 17 * [1] + [1.02, 1.03]]
            one.update(low=samples[1], high=samples[19], samples=samples)  # the 5th and 95th percentile of 21
        if len(point) > 2:
            one["label"] = point[2]
        told.append(one)
    source = {"source": "canonical"} if kind == "quoted" else {}
    return {"id": name, "label": label or name.replace("_", " "), "kind": kind, **source, "points": told,
            "x": {"name": "x", "unit": x}, "y": {"name": "y", "unit": y}}


def ladder(levels, column, factor=1.0, smallest=4096):
    """A curve that steps from plateau to plateau."""
    points, size = [], smallest
    while size <= levels[-1][1]:
        points.append((float(size), factor * next(level[column] for level in levels if size <= level[1])))
        size *= 2
    return points


def over_time(dram, burst):
    """Continuous reading: if there is a burst, that many bytes at twice the speed."""
    return [(float(2 << 20 << k), dram * (2 if 2 << 20 << k <= burst else 1)) for k in range(11)]


def record_of(levels, peaks, threads=1, nontemporal=True, kernels=None, burst=0):
    peak, dram = max(value for _, value in peaks), levels[-1][2]
    kernels = kernels or KERNELS
    made = []
    for suffix, factor in [("", 1)] + ([("_all", 0.6 * threads)] if threads > 1 else []):
        made += [series(f"bandwidth_{name}{suffix}", ladder(levels, 2, factor * share))
                 for name, share in (("read", 1), ("copy", 0.8), ("triad", 0.87))]
        if nontemporal:
            made += [series(f"bandwidth_{name}_nt{suffix}", [(x, factor * 1.25 * dram) for x, _ in ladder(levels, 2)])
                     for name in ("copy", "triad")]
    made += [series("latency", ladder(levels, 3)), series("latency_4k", ladder(levels, 3, 1.3)),
             series("plateaus_bandwidth", [(level[1], level[2], level[0]) for level in levels]),
             series("plateaus_latency", [(level[1], level[3], level[0]) for level in levels]),
             series("bandwidth_over_time", over_time(dram, burst)),
             *[series(f"stride_{name}", [(2.0**k, ns * min(2.0**k, lines)) for k in range(7)]) for name, ns, lines in
               (("near", 4 / levels[0][2], 4), ("near_sum", 1, 1), ("dram", 4 / dram, 16), ("dram_sum", 1 + 4 / dram, 16))],
             series("stride_dram_predicted", [(2.0**k, 4 / dram * min(2.0**k, 16)) for k in range(7)], "modelled"),
             series("peaks_fp32", [(i, value, name) for i, (name, value) in enumerate(peaks)]),
             series("kernels", [(x, min(peak, dram * x) * share, name) for name, x, share in kernels]),
             series("kernels_predicted", [(x, min(peak, dram * x), name) for name, x, _ in kernels], "modelled"),
             series("products_operational", [(0.5, min(peak, dram * 170) * 0.012, "naive matmul"),
                                             (12, min(peak, dram * 170) * 0.45, "blocked matmul")], "simulated"),
             series("canonical_roof", [(0.01, 0.01), (100, 100), (10000, 100)], "quoted"),
             series("canonical_kernels", [(1 / 12, 1 / 12, "vector add"), (200, 100, "matrix multiply")], "quoted")]
    base = json.loads((ROOT / "tests/site/fixtures/01-roofline.json").read_text())
    roof = {"id": "memory_roof_gbs", "value": (1.25 if nontemporal else 1) * dram, "unit": "GB/s", "kind": "measured"}
    clock = {"id": "clock_ghz", "value": 2.0, "unit": "GHz", "kind": "measured"}
    told = [{"id": name, "value": value, "unit": unit, "kind": "measured"} for name, value, unit in
            (("bandwidth_first_gbs", 2 * dram, "GB/s"), ("bandwidth_steady_gbs", dram, "GB/s"),
             ("bandwidth_burst_bytes", burst, "B")) if burst]
    return {**base, "series": made, "values": [roof, clock, *told]}


@pytest.fixture(scope="session", autouse=True)
def tools():
    assert Path(TOOL).exists(), f"{TOOL} is missing; cmake --build build, or set HARDWARE_FIRST_RECORD_TOOL"
    assert shutil.which("gnuplot"), "gnuplot is missing"


@pytest.fixture
def write(tmp_path):
    """Writes a record, or a text instead of one, and returns its path."""
    def to(record):
        path = tmp_path / "01-roofline.json"
        path.write_text(record if isinstance(record, str) else json.dumps(record))
        return path
    return to


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """{(machine, figure): the SVG's text} for every machine above."""
    result = {}
    for name, machine in MACHINES.items():
        folder = tmp_path_factory.mktemp(name)
        path = folder / "01-roofline.json"
        path.write_text(json.dumps(record_of(**machine)))
        for script in SCRIPTS:
            result[name, script.stem] = gnuplot.draw(path, script, folder / "figures", TOOL).read_text()
    return result


@pytest.fixture
def figures(tmp_path):
    """A folder for a test's own scripts."""
    folder = tmp_path / "scripts"
    folder.mkdir()

    def script(body, header="# title: Test\n# needs: latency\n# shows: latency\nheight = 300\nload 'style.gp'\n"):
        path = folder / "01-test.gp"
        path.write_text(header + body)
        return path
    return script


def texts(source):
    """The labels of a figure as boxes with the font's widths: (string, four corners)."""
    for text in ElementTree.fromstring(source).iter(SVG + "text"):
        x, y = float(text.get("x")), float(text.get("y"))
        width, size = labels.text_width(text.text, 18) / labels.WIDER, 18
        left = x - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
        corners = [(left, y - 0.7 * size), (left + width, y - 0.7 * size), (left + width, y + 0.15 * size),
                   (left, y + 0.15 * size)]
        turn = re.match(r"rotate\((\S+) ", text.get("transform", ""))
        angle = math.radians(float(turn[1])) if turn else 0
        yield text.text, labels.Shape([(x + (a - x) * math.cos(angle) - (b - y) * math.sin(angle),
                           y + (a - x) * math.sin(angle) + (b - y) * math.cos(angle)) for a, b in corners])


def assert_clear(source):
    top, width, height = map(float, re.search(r'viewBox="0 (\S+) (\S+) (\S+)"', source).groups())
    boxes = list(texts(source))
    for i, (string, box) in enumerate(boxes):
        assert all(0 <= x <= width and 0 <= y - top <= height for x, y in box.corners), f"{string!r} leaves the figure"
        for other, other_box in boxes[:i]:
            assert not labels.overlap(box, other_box), f"{string!r} overlaps {other!r}"


@pytest.mark.parametrize("figure", [script.stem for script in SCRIPTS])
@pytest.mark.parametrize("machine", MACHINES)
def test_labels_are_clear_of_each_other(drawn, machine, figure):
    assert_clear(drawn[machine, figure])


@pytest.mark.parametrize("seed", range(3))
def test_labels_are_clear_on_machines_nobody_thought_of(write, tmp_path, seed):
    chance = random.Random(seed)
    top, names = chance.uniform(15, 900), ["L1", "L2", "L3", "DRAM"][chance.choice((0, 1)):]
    sizes = sorted(chance.uniform(15, 29) for _ in names[1:]) + [31]
    levels = [(name, int(2 ** size), top / 2.4 ** i * chance.uniform(0.9, 1), 1.1 * 4 ** i)
              for i, (name, size) in enumerate(zip(names, sizes))]
    sets = ["scalar", "scalar FMA", "SSE", "AVX2 FMA"]
    peaks = [(name, chance.uniform(3, 6) * 2.1 ** i) for i, name in enumerate(sets)]
    kernels = [(name, x * chance.uniform(0.7, 1.4), share * chance.uniform(0.4, 1)) for name, x, share in KERNELS]
    record = write(record_of(levels, peaks, threads=chance.choice((1, 2, 96)), kernels=kernels))
    for script in SCRIPTS:
        assert_clear(gnuplot.draw(record, script, tmp_path / "figures", TOOL).read_text())


def test_all_that_was_measured_is_named(drawn):
    roofline = [string for string, _ in texts(drawn["server", "01-roofline"])]
    for name, *_ in KERNELS:
        assert roofline.count(name.removeprefix("5-point ")) == 1
    assert "memory: 47.5 GB/s" in roofline and "arithmetic: 245 GFLOP/s" in roofline and "scalar: 8" in roofline
    assert not any(re.match("SSE|AVX2|L1|L2", string) for string in roofline)  # they are in its table
    assert "37.5× apart" in roofline  # beside a bracket:
    source = drawn["server", "01-roofline"]
    x, y = map(float, re.search(r'<text class="f-ink bare" x="(\S+)" y="(\S+)"[^>]* transform="rotate\(-90', source).groups())
    brackets = re.findall(r'd="M([\d.]+),([\d.]+)L\1,([\d.]+)M', source)
    assert any(0 < x - float(at) < 20 and float(high) < y < float(low) for at, low, high in brackets)
    assert "ridge 5.16 FLOP/byte" in roofline


def test_a_peak_that_scalar_code_reaches_is_one_roof(write, tmp_path):
    record = record_of(**{**MACHINES["server"], "peaks": [("scalar", 8), ("scalar FMA", 8)]})
    source = gnuplot.draw(write(record), ROOT / "figures/01-roofline.gp", tmp_path / "figures", TOOL).read_text()
    assert_clear(source)
    roofs = [string for string, _ in texts(source) if re.match("(scalar|arithmetic):", string)]
    assert roofs == ["arithmetic: 8 GFLOP/s"]


def test_a_ration_is_named(drawn):
    rationed = [string for string, _ in texts(drawn["single", "01-burst"])]
    assert "burst, 24 GB/s" in rationed and "sustained, 12 GB/s" in rationed
    free = [string for string, _ in texts(drawn["laptop", "01-burst"])]
    assert "9 GB/s" in free and not any(re.match("burst|sustained", string) for string in free)


def test_colours_follow_the_page(drawn):
    for source in drawn.values():
        root = ElementTree.fromstring(source)
        for element in root.iter():
            for name, value in element.attrib.items():
                assert not re.search(r"#[0-9a-fA-F]{3,}|rgb\(", value), f"{name}={value} is a raw colour"
        used = set(re.findall(r"\b([sf]-\w+)\b", " ".join(element.get("class", "") for element in root.iter())))
        style = root.find(SVG + "style").text
        assert used and all(f".{name}{{" in style for name in used)
        assert "prefers-color-scheme:dark" in style
        rules = re.findall(r"([^{}]+)\{", style.replace("@media (prefers-color-scheme:dark){", ""))
        assert all(re.match(r"\.hf-figure |svg:root$", rule) for rule in rules), "a rule would leak into the page"


def test_svg_stands_in_a_page(drawn):
    ids = []
    for source in (source for (machine, _), source in drawn.items() if machine == "server"):
        root = ElementTree.fromstring(source)
        assert source.startswith("<svg") and "<!--" not in svg.inline(source) and "gnuplot" not in source.lower()
        assert root.get("width") is None and root.get("height") is None and root.get("role") == "img"
        assert not list(root.iter(SVG + "script")) and not re.search(r"\s(on\w+|href)=", source)
        own = [element.get("id") for element in root.iter() if element.get("id")]
        assert root.get("aria-labelledby").split() == own and len(own) == 2
        assert root.find(SVG + "title").text and root.find(SVG + "desc").text
        ids += own
    assert len(ids) == len(set(ids))


def test_a_script_shows_the_series_that_fit_its_names_in_their_order():
    assert gnuplot.shown({"shows": ["other", "rung_*"]}, ["rung_b", "rung_a", "none", "other"]) == ["other", "rung_b", "rung_a"]
    assert gnuplot.shown({"shows": ["rung_*", "absent"]}, ["other"]) == []


def test_description_tells_the_data(drawn):
    bandwidth = ElementTree.fromstring(drawn["laptop", "01-bandwidth"]).find(SVG + "desc").text
    assert "Bandwidth read: peaks at 4 KiB with 48 GB/s, then falls to 9 GB/s beyond 4 MiB." in bandwidth
    latency = ElementTree.fromstring(drawn["laptop", "01-latency"]).find(SVG + "desc").text
    assert "Latency: rises from 1.4 ns at 4 KiB to 82 ns beyond 4 MiB." in latency
    assert "L3 14 ns" in latency
    roofline = ElementTree.fromstring(drawn["laptop", "01-roofline"]).find(SVG + "desc").text
    assert "Kernels predicted (modelled): vector add 0.75 GFLOP/s" in roofline


@pytest.mark.parametrize("points, expected", [
    ([(1, 5), (2, 5.1), (4, 5.05)], "stays near 5.05 GB/s from 1 B to 4 B"),
    ([(1024, 1), (2048, 9), (1 << 30, 3)], "peaks at 2 KiB with 9 GB/s, then falls to 3 GB/s beyond 2 KiB"),
    ([(1024, 1), (2048, 9), (4096, 9.2)], "rises from 1 GB/s at 1 KiB to 9.2 GB/s beyond 1 KiB"),
    ([(1024, 1)], "stays near 1 GB/s from 1 KiB to 1 KiB"),
])
def test_describe(points, expected):
    assert gnuplot.describe(series("bandwidth_read", points)) == f"Bandwidth read: {expected}."


def test_same_input_same_bytes_and_no_needless_write(write, tmp_path):
    record = write(record_of(**MACHINES["server"]))
    script = ROOT / "figures/01-roofline.gp"
    first = gnuplot.draw(record, script, tmp_path / "figures", TOOL)
    content, before = first.read_bytes(), first.stat()
    second = gnuplot.draw(record, script, tmp_path / "figures", TOOL)
    assert (second.stat().st_mtime_ns, second.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    first.unlink()
    assert gnuplot.draw(record, script, tmp_path / "figures", TOOL).read_bytes() == content
    assert [path.name for path in first.parent.iterdir()] == ["01-roofline.svg"]


OPTIONAL = ["bandwidth_copy", "bandwidth_triad_nt", "bandwidth_read_all", "bandwidth_copy_all", "plateaus_bandwidth",
            "plateaus_latency", "latency_4k", "kernels_predicted", "products_operational"]


@pytest.mark.parametrize("absent", OPTIONAL)
def test_series_that_may_be_absent(write, tmp_path, absent):
    record = record_of(**MACHINES["server"])
    record["series"] = [one for one in record["series"] if one["id"] != absent]
    record["values"] = [value for value in record["values"] if value["id"] != "clock_ghz"]
    path = write(record)
    for script in SCRIPTS:
        if absent not in gnuplot.read_header(script)["needs"]:
            assert_clear(gnuplot.draw(path, script, tmp_path / "figures", TOOL).read_text())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_series_that_must_be_there(write, tmp_path, script):
    for needed in gnuplot.read_header(script)["needs"]:
        record = record_of(**MACHINES["server"])
        record["series"] = [one for one in record["series"] if one["id"] != needed]
        with pytest.raises(gnuplot.DrawError, match=f"series {needed} is absent"):
            gnuplot.draw(write(record), script, tmp_path / "figures", TOOL)


def test_hostile_labels_are_only_text(write, tmp_path):
    label = "</text><script>alert(1)</script> & {/=90 x}_y^z \"q\" 'r' `touch pwned` %s \\n"
    record = record_of(**MACHINES["laptop"], kernels=[(label, 0.2, 1), ("dot", 0.5, 1)])
    record["machine"]["cpu"] = "`touch pwned`'; system('touch pwned'); print '"
    for one in record["series"]:
        one["label"] = label
    source = gnuplot.draw(write(record), ROOT / "figures/01-roofline.gp", tmp_path / "figures", TOOL).read_text()
    root = ElementTree.fromstring(source)
    assert not list(root.iter(SVG + "script"))
    assert any("<script>alert(1)</script> & {/=90 x}_y^z" in string for string, _ in texts(source))
    assert "<script>" in root.find(SVG + "desc").text
    assert not list(ROOT.rglob("pwned")) and not list(tmp_path.rglob("pwned"))


ERRORS = {
    "syntax": ("plot sin(x) wiht lines\n", "line 6"),
    "missing data": ("plot 'nothing.tsv'\n", "nothing.tsv"),
    "no plot": ("", "drew nothing"),
    "raw colour": ("plot x linecolor rgb '#ff0000'\n", "#ff0000 has no name in style.gp"),
}


@pytest.mark.parametrize("body, told", ERRORS.values(), ids=ERRORS)
def test_script_errors_are_one_line(write, tmp_path, figures, body, told):
    out = tmp_path / "figures"
    out.mkdir()
    (out / "01-test.svg").write_text("before")
    with pytest.raises(gnuplot.DrawError) as error:
        gnuplot.draw(write(record_of(**MACHINES["laptop"])), figures(body), out, TOOL)
    assert told in str(error.value) and "01-test.gp" in str(error.value) and "\n" not in str(error.value)
    assert (out / "01-test.svg").read_text() == "before" and len(list(out.iterdir())) == 1


def test_the_legend_stands_in_rows_above_the_figure(write, tmp_path, figures):
    names = [f"entry number {i}" for i in range(5)]
    entries = "".join(f'eval key("{name}", {point}, blue)\n' for name, point in zip(names, (7, 0, 6, 5, 7)))
    script = figures(f"{entries}set multiplot layout 2,1\nplot x linecolor rgb ink\nplot x linecolor rgb ink\n")
    source = gnuplot.draw(write(record_of(**MACHINES["laptop"])), script, tmp_path / "figures", TOOL).read_text()
    assert_clear(source)
    top = float(re.search(r'viewBox="0 (\S+) ', source)[1])
    rows = [(string, box) for string, box in texts(source) if string in names]
    assert [string for string, _ in rows] == names and top < 0 and all(top <= box.y0 and box.y1 <= 0 for _, box in rows)
    assert len({round(box.y0) for _, box in rows}) == 2 and all(box.x1 <= 560 for _, box in rows)
    marks = [float(y) for y in re.findall(r'<circle class="[^"]*f-(?:blue|paper)" [^>]*cy="(\S+)"', source)]
    assert len(marks) == 3 and all(top <= y <= 0 for y in marks)


def test_a_second_row_of_a_legend_has_as_many_entries_as_the_first(write, tmp_path, figures):
    names = ["GEMM", "attention", "reductions", "elementwise", "copying", "rest"]
    script = figures("".join(f'eval key("{name}", square, ink)\n' for name in names) + "plot 1 linecolor rgb ink")
    source = gnuplot.draw(write(record_of(**MACHINES["board"])), script, tmp_path / "figures", TOOL).read_text()
    rows = [float(text.get("y")) for text in ElementTree.fromstring(source).iter(SVG + "text") if text.text in names]
    assert [rows.count(y) for y in dict.fromkeys(rows)] == [3, 3]


def test_a_label_is_held_at_the_end_beside_its_point(write, tmp_path, figures):
    script = figures('set xrange [0:9]; set yrange [0:9]\n'
                     'set label "a name too long for the right" at 8,5 font near textcolor rgb ink\n'
                     'set label "short" at 1,5 font near textcolor rgb ink\nplot 5 linecolor rgb grid\n')
    source = gnuplot.draw(write(record_of(**MACHINES["board"])), script, tmp_path / "figures", TOOL).read_text()
    anchors = {text.text: text.get("text-anchor", "start") for text in ElementTree.fromstring(source).iter(SVG + "text")}
    assert anchors["a name too long for the right"] == "end" and anchors["short"] == "start"


def test_no_figure_has_a_legend_of_its_own():
    for script in (ROOT / "figures").glob("*.gp"):
        commands = re.sub(r"\\\n", " ", script.read_text(encoding="utf-8"))
        assert not re.search(r"set label .*point pointtype", commands), f"{script.name}: use key(), see style.gp"


def test_cooks_are_blue_and_the_door_is_orange(drawn):
    for machine in MACHINES:
        words = {text.text.split(":")[0]: text.get("class")
                 for text in ElementTree.fromstring(drawn[machine, "01-roofline"]).iter(SVG + "text")}
        assert (words["memory"], words["arithmetic"]) == ("f-orange bare", "f-blue")  # the slanted one has no seam


def test_blue_and_orange_are_the_cooks_and_the_door_and_nothing_else():
    for script in (ROOT / "figures").glob("*.gp"):
        words = set(re.findall(r"\w+", re.sub(r"(?m)^\s*#.*|\"[^\"\n]*\"", "", script.read_text(encoding="utf-8"))))
        assert "orange" not in words, f"{script.name}: memory, or another colour; see style.gp"
        assert not {"blue", "compute"} <= words, f"{script.name}: blue is two things"
        assert not {"blue", "memory"} <= words, f"{script.name}: blue beside memory is compute"


def test_script_without_header_or_unreadable(write, tmp_path, figures):
    record = write(record_of(**MACHINES["laptop"]))
    with pytest.raises(gnuplot.DrawError, match="no comment line '# title"):
        gnuplot.draw(record, figures("plot x\n", header=""), tmp_path / "figures", TOOL)
    with pytest.raises(gnuplot.DrawError, match="none.gp: cannot be read .No such file"):
        gnuplot.draw(record, tmp_path / "none.gp", tmp_path / "figures", TOOL)
    binary = figures("")
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(gnuplot.DrawError, match="not UTF-8"):
        gnuplot.draw(record, binary, tmp_path / "figures", TOOL)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"series": []}', '{"series": 1}', '{"series": [{}]}'])
def test_broken_records(write, tmp_path, text):
    with pytest.raises(gnuplot.DrawError, match="01-roofline.json: .*; measure again"):
        gnuplot.draw(write(text), SCRIPTS[0], tmp_path / "figures", TOOL)


def run(*arguments, **environment):
    command = [sys.executable, str(ROOT / "site/press/pictures/gnuplot.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


def test_command_line(write, tmp_path):
    record, out = write(record_of(**MACHINES["board"])), tmp_path / "figures"
    result = run("--record", record, "--out", out, "--tool", TOOL, *SCRIPTS)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split() == [str(out / f"{script.stem}.svg") for script in SCRIPTS]
    assert run("--help").returncode == 0 and "--record" in run("--help").stdout


def test_missing_tools_are_one_line(write, tmp_path):
    record = write(record_of(**MACHINES["board"]))
    bare = tmp_path / "bin"
    bare.mkdir()
    for needed in ("python3", "env"):  # a tool may itself be a script
        (bare / needed).symlink_to(shutil.which(needed))
    result = run("--record", record, "--out", tmp_path / "f", "--tool", TOOL, SCRIPTS[0], PATH=str(bare))
    assert result.returncode == 1 and result.stdout == ""
    assert re.fullmatch(r"draw: .*01-\S+\.gp: gnuplot is missing; install it \(.*\)\n", result.stderr)
    result = run("--record", record, "--out", tmp_path / "f", "--tool", tmp_path / "no-tool", SCRIPTS[0])
    assert re.fullmatch(r"draw: .*no-tool: cannot be run \(No such .*\); build it with .*\n", result.stderr)


def test_full_disk_leaves_what_was_there(write, tmp_path, monkeypatch):
    figure = tmp_path / "figures" / "01-canonical.svg"
    figure.parent.mkdir()
    figure.write_text("before")

    def full(self, *_, **__):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(gnuplot.DrawError, match="01-canonical.svg: cannot be written .No space left on device"):
        gnuplot.write_if_changed(figure, "after")
    assert figure.read_text() == "before"


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    bright, dim = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_palettes_are_legible_and_complete():
    css = gnuplot.CSS.read_text()
    names = set(svg.colour_names((gnuplot.PLOT / "style.gp").read_text()).values())
    for palette in svg.palettes(css):
        assert set(palette) == names
        for name in names - {"grid", "paper"}:
            assert contrast(palette[name], palette["paper"]) >= 4.5, name
    for scheme, other in (("light", "dark"), ("dark", "light")):  # the reader's choice; without one, it is the system's
        rule = re.search(rf':root\[data-theme="{scheme}"\] \{{(.*)\}}', css)[1]
        assert f"color-scheme: {scheme};" in rule and f"--hf-{scheme}: initial;" in rule and f"--hf-{other}: ;" in rule


def test_inputs_are_all_there():
    for script in SCRIPTS:
        names = [path.name for path in gnuplot.inputs(script)]
        assert {script.name, "style.gp", "figures.css", "gnuplot.py", "json_file.py", "svg.py", "labels.py"} <= set(names)
        assert all(path.exists() for path in gnuplot.inputs(script))
    latency = [path.name for path in gnuplot.inputs(ROOT / "figures/01-latency.gp")]
    assert "working-set.gp" in latency and "frame.gp" in latency
    assert gnuplot.inputs(ROOT / "figures/99-none.gp")[0].name == "99-none.gp"


# What gnuplot 6.0.2's svg.trm writes for a vector with length, one without, and a marker.
GNUPLOT_6 = """<svg width="620" height="300" viewBox="0 0 620 300" xmlns="http://www.w3.org/2000/svg"
 xmlns:xlink="http://www.w3.org/1999/xlink"><defs><circle id='gpDot' r='0.5' stroke-width='0.5' stroke='currentColor'/>
<circle id='gpPt5' stroke-width='0.222' stroke='currentColor' cx='0' cy='0' r='1'/></defs>
<g fill="none" color="black" stroke="rgb(192, 222,   1)" stroke-width="5.00">
\t<path stroke='rgb(192, 222,   5)'  d='M150.25,88.55 L226.35,88.55  '/>
\t<use xlink:href='#gpDot' x='226.35' y='88.55' color='rgb(192, 222,   5)'/>
\t<use xlink:href='#gpPt5' transform='translate(226.35,88.55) scale(3.60)' color='rgb(192, 222,   5)'/>
</g></svg>"""


def test_the_dot_of_gnuplot_6_for_a_vector_without_length_is_left_out():
    source = svg.themed(GNUPLOT_6, "01-test", "t", "d", (gnuplot.PLOT / "style.gp").read_text(), gnuplot.CSS.read_text())
    drawn = [element for element in ElementTree.fromstring(source).iter() if "s-blue" in element.get("class", "")]
    assert [element.tag for element in drawn] == [SVG + "path", SVG + "circle"]
    assert drawn[0].get("d") == "M150.2,88.5L226.3,88.5"
    assert (drawn[1].get("cx"), drawn[1].get("r")) == ("226.3", "3.6")


def test_a_marker_of_another_form_is_one_line():
    other = GNUPLOT_6.replace("transform='translate(226.35,88.55) scale(3.60)'", "x='3' y='4'")
    with pytest.raises(svg.SvgError, match="a marker in gnuplot's SVG has an unknown form"):
        svg.themed(other, "01-test", "t", "d", (gnuplot.PLOT / "style.gp").read_text(), gnuplot.CSS.read_text())

"""{scoreboard}: tokens per second of one small model, a row for each chapter, computed from the records of labs 00, 06 and
08."""

import json
import re
import shutil
import xml.etree.ElementTree as ElementTree

import made
import pytest
from book.scoreboard import LEFT, NOT_MEASURED, RIGHT, ROWS, WIDTH, drawing
from book.scoreboard import board as of_machine
from conftest import change_value, drop_value, points_of
from layout import faults, measure
from press.measurements.records import Records
from whole import PROJECT

SVG = "{http://www.w3.org/2000/svg}"
PAGE = "# Page\n\n```{scoreboard}\n```\n"
WORKLOAD, PRECISION, MODEL = LABS = "00-workload", "06-precision", "08-your-model"
WHOLE = "amd-epyc-zen-3-2-cores-vm"  # has measured everything that the rows need
MEASURED = {"00", "02", "05", "06", "08"}


@pytest.fixture
def board(site):
    """Writes a machine's three records, after edits, as those of the machine `slug`, or of this machine if ""."""
    for lab in (*LABS, "05-scaling"):
        site.lab(lab)
        shutil.copy(PROJECT / "labs" / lab / "definitions.json", site.root / "labs" / lab)  # of the numbers not in a record

    def write(slug="", workload=lambda record: None, precision=lambda record: None, labs=LABS):
        edits = {WORKLOAD: workload, PRECISION: precision}
        for lab in labs:
            record = made.record(lab, WHOLE)
            record["machine"].update(slug=slug or made.SLUG, cpu=f"{slug or 'Own'} Processor")
            edits.get(lab, lambda record: None)(record)
            path = site.root / "figures" / "records" / slug if slug else site.root / "build" / "records"
            path.mkdir(parents=True, exist_ok=True)
            (path / f"{lab}.json").write_text(json.dumps(record), encoding="utf-8")

    write.site = site
    return write


def built(site, page="index"):
    """The board on a page, after a build without complaints."""
    site.page(PAGE, page)
    if page != "index":
        site.page(f"# Book\n\n```{{toctree}}\n{page}\n```\n")
    site.built()
    return drawn(site.html(page))


def drawn(html):
    return ElementTree.fromstring(re.search(r'<svg[^>]*aria-labelledby="hf-scoreboard.*?</svg>', html, re.S)[0])


def told(svg):
    """{chapter: the description of its row}"""
    parts = re.split(r"(?:^|\. )(\d\d), ", svg.find(f"{SVG}desc").text.rstrip("."))[1:]
    return dict(zip(parts[::2], parts[1::2]))


def words(svg):
    return ["".join(text.itertext()).replace("\u00a0", " ") for text in svg.iter(f"{SVG}text")]


def speed_at(x, svg):
    """The speed at a position on the logarithmic axis."""
    lines = [path for path in svg.iter(f"{SVG}path") if path.get("class") == "s-grid"]
    return 10 * (10 ** (len(lines) - 1)) ** ((x - LEFT) / (WIDTH - LEFT - RIGHT))


def numbers(lab):
    """A machine's numbers in a lab: values by id, and series by id and label or x."""
    record = made.record(lab, WHOLE)
    values = {value["id"]: value["value"] for value in record["values"]}
    return values | {(series["id"], point.get("label", point["x"])): point["median"]
                     for series in record["series"] for point in series["points"]}


def expected():
    """{chapter: (tokens per second, bound)} from the record, by the book's own formulas."""
    w, p, m = map(numbers, LABS)
    bytes_bound = 1e9 * w["bandwidth_during_passes_gbs"] / w["decode_bytes_per_token"]
    q4_bound = p["decode_tokens_predicted", "Q4_0"]
    peak, q4 = 1e9 * w["peak_during_passes_gflops"], p["decode_tokens", "Q4_0"]
    return {"00": (w["decode_tokens_per_s"], bytes_bound), "01": (peak / w["flops_decode"], bytes_bound),
            "02": (512e3 / w["prefill_ms"], peak / (w["flops_prefill"] / 512)),
            "03": (3.35e12 / w["decode_bytes_per_token"], None), "04": (2.765e12 / w["decode_bytes_per_token"], None),
            "05": (w["batch_speed", 16], min(w["batch_bytes", 16], w["batch_flops", 16])), "06": (q4, q4_bound),
            "07": (1 / (1 / q4 - 1e-6 * p["decode_between_us"]), q4_bound),
            "08": (m["gpt2_tokens_per_s"], m["gpt2_bound_per_s"])}


@pytest.mark.parametrize("chapter", ["00", "01", "05", "06", "08"])
def test_a_chapter_has_the_rows_up_to_its_own_which_is_emphasised(board, chapter):
    page = {"00": WORKLOAD, "01": "01-roofline", "05": "05-scaling", "06": PRECISION, "08": MODEL}[chapter]
    board.site.record()
    board()
    svg = built(board.site, page)
    assert list(told(svg)) == [row.chapter for row in ROWS if row.chapter <= chapter]
    bold = [text for text in svg.iter(f"{SVG}text") if text.get("font-weight") == "700"]
    assert len(bold) == 2 and bold[0].text.startswith(chapter)  # its name and its number
    assert f'id="fig-{chapter}-scoreboard"' in board.site.html(page)
    *earlier, own = (bar.get("class").split()[0][2:] for bar in svg.iter(f"{SVG}rect"))
    assert own == "ink" and set(earlier) <= {"grey"}


def gpu_record(site, slug="with-gpu", speed=3456.0, bound=7890.0):
    """Publishes a machine's record whose GPU has run the model."""
    site.lab("03-gpu")
    record = made.record("03-gpu")
    gpu = {"name": "NVIDIA H100", "memory_bytes": 2**36, "driver": "580.1"}
    record["machine"].update(slug=slug, cpu="Host Processor", gpus=[gpu])
    record["values"] += [{"id": "gpu_tokens_per_s", "value": speed, "low": 3405.6, "high": 3495.6, "unit": "tokens/s",
                          "kind": "measured", "samples": [3400.0, speed, 3500.0]},
                         {"id": "gpu_tokens_bound_per_s", "value": bound, "unit": "tokens/s", "kind": "modelled"}]
    path = site.root / "figures" / "records" / slug
    path.mkdir(parents=True, exist_ok=True)
    (path / "03-gpu.json").write_text(json.dumps(record), encoding="utf-8")


def test_a_measured_gpu_replaces_the_modelled_one_and_names_its_machine(board):
    board()
    gpu_record(board.site)
    svg = built(board.site)
    assert told(svg)["03"] == "one user, 16-bit weights, NVIDIA H100: 3460, measured; bound 7890 (memory)"
    bar = dict(zip(told(svg), svg.iter(f"{SVG}rect"), strict=True))["03"]
    assert "f-ink" in bar.get("class") and not bar.get("stroke-dasharray")
    assert speed_at(LEFT + float(bar.get("width")), svg) == pytest.approx(3456, rel=0.01)
    text = board.site.text()
    assert "Row 03: H100 · " in text and "Bandwidth of a TPU v5p: 2.765 TB/s" in text and "an H100" not in text


def test_the_front_page_has_all_rows_alike(board):
    board()
    svg = built(board.site)
    assert list(told(svg)) == [row.chapter for row in ROWS] == [f"{number:02}" for number in range(9)]
    assert not [text for text in svg.iter(f"{SVG}text") if text.get("font-weight")]
    assert {bar.get("class").split()[0][2:] for bar in svg.iter(f"{SVG}rect")} == {"ink"}


def test_bars_and_bounds_lie_where_the_record_says(board):
    board()
    svg = built(board.site)
    bars = dict(zip(told(svg), svg.iter(f"{SVG}rect"), strict=True))
    bounds = [path for path in svg.iter(f"{SVG}path") if path.get("class") != "s-grid"]
    for chapter, (speed, bound) in expected().items():
        assert speed_at(LEFT + float(bars[chapter].get("width")), svg) == pytest.approx(speed, rel=0.01)
        if bound:
            line = bounds.pop(0)
            x, y, below = re.fullmatch(r"M([\d.]+),([\d.]+)L[\d.]+,([\d.]+)", line.get("d")).groups()
            assert speed_at(float(x), svg) == pytest.approx(bound, rel=0.01)
            top = float(bars[chapter].get("y"))
            assert float(y) < top and float(below) > top + float(bars[chapter].get("height"))  # across the bar
    assert not bounds


def test_every_number_is_printed_at_its_bar_and_in_the_table(board):
    board()
    svg = built(board.site)
    for row, (chapter, (speed, _)) in zip(ROWS, expected().items(), strict=True):
        number = words(svg)[words(svg).index(f"{chapter}  {row.name}") + 1]
        assert float(number) == pytest.approx(speed, rel=0.05)
        assert told(svg)[chapter].startswith(f"{row.name}: {number}, {row.kind}")
        assert f"{chapter} {row.name} {row.kind} {number} " in board.site.text()


def test_the_bound_names_its_roof(board):
    board()
    svg = built(board.site)
    roofs = {chapter: found[1] for chapter, said in told(svg).items() if (found := re.search(r"bound \d+ \((\w+)\)$", said))}
    w = numbers(WORKLOAD)
    of_16 = "memory" if w["batch_bytes", 16] < w["batch_flops", 16] else "arithmetic"
    assert roofs == {"00": "memory", "01": "memory", "02": "arithmetic", "05": of_16, "06": "memory", "07": "memory",
                     "08": "memory"}
    colours = [path.get("class") for path in svg.iter(f"{SVG}path") if path.get("class") != "s-grid"]
    assert colours.count("s-blue") == list(roofs.values()).count("arithmetic") and set(colours) == {"s-blue", "s-orange"}


def test_the_lower_roof_bounds_a_batch(board):
    def little_arithmetic(record):
        next(point for point in points_of(record, "batch_flops") if point["x"] == 16)["median"] = 700

    board(workload=little_arithmetic)
    assert told(built(board.site))["05"].endswith("measured; bound 700 (arithmetic)")


def test_measured_bars_are_filled_and_modelled_ones_dashed(board):
    board()
    svg = built(board.site)
    for chapter, bar in zip(told(svg), svg.iter(f"{SVG}rect"), strict=True):
        filled = "f-ink" in bar.get("class") and not bar.get("stroke-dasharray")
        dashed = "f-paper" in bar.get("class") and bar.get("stroke-dasharray") == "4,4"
        assert filled != dashed and filled == (chapter in MEASURED), chapter


def test_below_stand_kinds_machine_records_and_dates(board):
    board()
    built(board.site)
    assert re.search(r"Measured and modelled · this machine · ±[\d.]+ ?%, at most ±[\d.]+ ?% · record 00, \d+ \w+ 2026 · "
                     r"record 06, \d+ \w+ 2026 · record 08, \d+ \w+ 2026 "
                     r"Bandwidth of an H100: 3.35 TB/s · a TPU v5p: 2.765 TB/s", board.site.text())
    said = "Context: about 500 tokens; 32 in row 05, 100 in rows 06 and 07, 256 in row 08. A shorter context means fewer bytes."
    assert said in board.site.text()
    assert "with the quick budget" not in board.site.text()


def test_in_chapter_00_nothing_is_said_of_what_comes_later(board):
    board(labs=(WORKLOAD,))
    built(board.site, WORKLOAD)
    text = board.site.text(WORKLOAD)
    assert "Measured · this machine" in text and "Filled bars are measured. The line" in text
    for later in ("modelled", "H100", "record 06", "precede", "bold"):
        assert later not in text


def test_what_a_machine_has_not_measured_is_said_in_its_row(board):
    board(precision=drop_value("decode_between_us"))
    svg = built(board.site)
    assert told(svg)["07"].endswith(NOT_MEASURED) and NOT_MEASURED in words(svg)
    assert len(list(svg.iter(f"{SVG}rect"))) == len(ROWS) - 1


def test_times_that_do_not_fit_together_make_no_bar(board):
    board(precision=change_value("decode_between_us", 1e4))  # longer than a token
    assert told(built(board.site))["07"].endswith(NOT_MEASURED)


def test_rows_of_two_machines_are_never_mixed(board):
    board(labs=(WORKLOAD,))
    board("other-machine")
    board.site.page(PAGE)
    board.site.build()
    said = told(drawn(board.site.html()))
    assert [chapter for chapter, words in said.items() if words.endswith(NOT_MEASURED)] == ["06", "07", "08"]
    other = (board.site.root / "build/out/_machines/index/other-machine.js").read_text(encoding="utf-8")
    assert NOT_MEASURED not in other and "record 06" in other


def test_without_a_record_of_lab_00_a_machine_shows_another_board_and_its_name(board):
    board.site.record()  # this machine measured only chapter 01
    board("other-machine")
    svg = built(board.site)
    assert not any(said.endswith(NOT_MEASURED) for said in told(svg).values())
    assert re.search(r"Measured and modelled · other-machine Processor .*?, 2 cores · ", board.site.text())
    assert re.search('class="hf-provenance hf-elsewhere"', board.site.html())


def test_a_smaller_model_is_no_row_of_this_board(board):
    smaller = change_value("flops_decode", 3.4e7, kind="modelled")
    board(workload=lambda record: (smaller(record), drop_value("prefill_over_decode_flops")(record)))
    board("other-machine")
    built(board.site)
    assert "other-machine Processor" in board.site.text()


def test_where_nobody_has_measured_it_the_place_says_so(board):
    board.site.record()
    board.site.fails("The scoreboard: 00-workload has not been measured here yet: run make lab-00", page=PAGE)


def test_a_quick_record_is_called_quick(board):
    board(workload=lambda record: record["run"].update(budget="quick"))
    built(board.site, "05-scaling")
    text = board.site.text("05-scaling")
    assert re.search(r"record 00, \d+ \w+ 2026, with the quick budget", text)
    assert "Lab 00-workload was run with the quick budget" in text


def test_the_axis_is_made_of_whole_decades_and_holds_every_bar(board):
    board(workload=change_value("decode_tokens_per_s", 4.2))
    svg = built(board.site)
    lowest = max(float(bar.get("y")) for bar in svg.iter(f"{SVG}rect"))
    feet = [text.text for text in svg.iter(f"{SVG}text") if float(text.get("y")) > lowest + 30]
    assert feet == ["1", "10", "100", "1000", "10,000", "tokens per second"]
    assert all(0 < float(bar.get("width")) <= WIDTH - LEFT - RIGHT for bar in svg.iter(f"{SVG}rect"))


def test_no_word_of_a_published_board_leaves_it_or_lies_on_another(browser, record_tool, tmp_path):
    records = Records(PROJECT, tmp_path, record_tool, published_only=True, default=WHOLE)
    svgs = {(machine.slug, new): drawing(of_machine(records, machine, rows, LABS), new)
            for machine in records.machines()
            for new in ("", "00", "05", "07", "08") for rows in [[row for row in ROWS if row.chapter <= (new or "99")]]}
    placed = measure(browser, svgs, tmp_path)
    assert {key: told for key, svg in svgs.items() if (told := faults(svg, placed[key]))} == {}

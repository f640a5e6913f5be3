"""What `make lab-NN` draws after measuring: every figure that the record allows, on machines with and without each part."""

import json

import pytest
from extremes import ABSENT, LABS, everything, without
from layout import FAULTLESS, draw_published, scripts_of
from made import RECORDS
from test_gnuplot import ROOT, TOOL, assert_clear, gnuplot


@pytest.fixture
def make_lab(tmp_path, capsys):
    """Draws a lab's figures as the Makefile does; (status, the names drawn, standard output, standard error)."""
    def run(lab, record):
        path = tmp_path / f"{lab}.json"
        path.write_text(json.dumps(record))
        scripts = [str(script) for script in sorted((ROOT / "figures").glob(f"{lab[:2]}-*.gp"))]
        status = gnuplot.main([*scripts, "--record", str(path), "--out", str(tmp_path / "figures"), "--tool", TOOL])
        said = capsys.readouterr()
        figures = sorted((tmp_path / "figures").glob("*.svg"), key=lambda figure: figure.stem)
        for figure in figures:
            assert_clear(figure.read_text())
            assert "NaN" not in figure.read_text()
        return status, [figure.stem for figure in figures], said.out, said.err
    return run


def every_figure(lab):
    return sorted(script.stem for script in (ROOT / "figures").glob(f"{lab[:2]}-*.gp"))


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*/*.json")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_record_of_the_book_can_be_drawn(path):
    """A record that is older than a figure lacks its series; all other figures can be drawn from it."""
    have = {series["id"] for series in json.loads(path.read_text())["series"]}
    needed = {script.stem: set(gnuplot.read_header(script)["needs"]) for script in scripts_of(path)}
    own = f"{path.parent.name}/{path.stem}"
    figures = {figure: source for (record, figure), source in draw_published().items() if record == own}
    assert sorted(figures) == sorted(name for name in needed if needed[name] <= have)
    for source in figures.values():
        assert "NaN" not in source
        if path.parent.name in FAULTLESS:  # for the others, test_figures_layout.py warns
            assert_clear(source)


@pytest.mark.parametrize("lab", LABS)
def test_a_machine_with_everything_has_every_figure(make_lab, lab):
    status, figures, out, err = make_lab(lab, everything(lab))
    assert (status, err, figures) == (0, "", every_figure(lab))
    assert len(out.splitlines()) == len(figures)


@pytest.mark.parametrize(("lab", "note", "pattern", "left_out"), ABSENT, ids=[f"{a[0]}: {a[1]}" for a in ABSENT])
def test_what_a_machine_lacks_costs_one_line(make_lab, lab, note, pattern, left_out):
    record = everything(lab)
    before = len(record["series"]) + len(record["values"])
    record = without(record, pattern, note)
    assert len(record["series"]) + len(record["values"]) < before
    status, figures, out, err = make_lab(lab, record)
    assert (status, err) == (0, "")
    assert figures == [figure for figure in every_figure(lab) if figure not in left_out]
    said = out.splitlines()[len(figures):]
    assert said == ([f"not drawn, because this machine has not measured them: {', '.join(left_out)} ({note})"]
                    if left_out else [])


def test_a_series_that_is_missing_without_a_word_is_a_failure(make_lab):
    status, figures, out, err = make_lab("03-gpu", without(everything("03-gpu"), "gpu_stride", ""))
    assert status == 1
    assert "03-gpu.json: series gpu_stride is absent, and 03-gpu-memory.gp needs it; measure again" in err
    assert "03-gpu-memory" not in figures and "not drawn" not in out


def test_a_value_that_is_missing_is_no_fault_of_the_script(tmp_path, capsys):
    record = tmp_path / "01-roofline.json"
    record.write_text(json.dumps(everything("01-roofline") | {"values": []}))
    script = tmp_path / "01-short.gp"
    script.write_text("# title: t\n# needs: latency\n# shows: latency\nload tables.\"/values.gp\"\nx = value_memory_roof_gbs\n")
    assert gnuplot.main([str(script), "--record", str(record), "--out", str(tmp_path / "figures"), "--tool", TOOL]) == 1
    said = capsys.readouterr().err
    assert said == f"draw: {record}: value memory_roof_gbs is absent, and 01-short.gp needs it; measure again\n"


def test_a_broken_figure_is_a_failure_whatever_else_is_missing(make_lab, tmp_path, capsys):
    record = tmp_path / "03-gpu.json"
    record.write_text(json.dumps(without(everything("03-gpu"), r"gpu_.*", "no GPU")))
    broken = tmp_path / "03-broken.gp"
    broken.write_text("# title: t\n# needs: little_line\n# shows: little_line\nplot (\n")
    status = gnuplot.main([str(broken), str(ROOT / "figures/03-gpu-little.gp"), "--record", str(record),
                        "--out", str(tmp_path / "figures"), "--tool", TOOL])
    said = capsys.readouterr()
    assert status == 1
    assert "03-broken.gp: gnuplot reported:" in said.err and "not drawn" in said.out and "03-gpu-little" in said.out

"""What `make lab-NN` draws after measuring: every figure that the record allows, on machines with and without each part."""

from __future__ import annotations

import json
import random
import re

import pytest
from test_draw import ROOT, TOOL, assert_clear, draw, over_time, series
from test_draw_gpu import gpu_series

LABS = sorted(source.parent.name for source in (ROOT / "labs").glob("[0-9][0-9]-*/lab.cpp"))
RECORDS = sorted([*(ROOT / "figures/records").glob("*/*.json"), *(ROOT / "tests/site/fixtures").glob("*.json")])
# Per lab, what a machine may lack: what its record says then, the series and values it is without, and the figures
# that cannot be drawn.
ABSENT = [
    ("00-workload", "one core", r".*_cache_predicted|batch_at_ridge_.*", []),
    ("01-roofline", "one core", r".*_all(_gflops|_gbs|_flop_per_byte)?", []),
    ("01-roofline", "no huge pages", r"latency_4k|huge_page_.*", []),
    ("01-roofline", "no non-temporal stores", r".*_nt(_all)?|nontemporal_.*", []),
    ("01-roofline", "no cycle counter", r"clock_ghz|.*_cycles|flops_per_dram_miss", []),
    ("02-matmul", "one core", r".*_all(_.*)?|threads_gain", []),
    ("02-matmul", "no library to race against", r"race(_all)?|peer_.*|.*_over_(peers|openblas).*", ["02-peers"]),
    ("03-gpu", "one core", r"chases_bandwidth_2|mlp_two_threads_gain", []),
    ("03-gpu", "no GPU", r"gpu_.*|simt_gpu_.*|sgemm_ladder|bf16_ladder", ["03-gpu-little", "03-gpu-memory"]),
    ("03-gpu", "no knee", r"little_knee_measured|little_knee_missed", []),
    ("04-tpu", "no narrow dot products", r"peak_bf16_gflops|bf16_peak_.*|int8_peak_.*", []),
    ("05-scaling", "one core", r"(strong|weak|dot|serial)_.*|amdahl.*|gemm_.*efficiency", ["05-threads"]),
    ("05-scaling", "one host", r"network_.*", ["05-slow-wire"]),
    ("05-scaling", "more ranks than cores", r"(network_)?(model_.*|alpha_.*|beta_gbs)", ["05-allreduce", "05-slow-wire"]),
    ("05-scaling", "no MPI",
     r"(network_)?(allreduce_.*|model_.*|alpha_.*|beta_gbs)|over_mpi_.*|bubble_(1f1b|gpipe|formula)|training_.*",
     ["05-allreduce", "05-slow-wire", "05-training", "05-window"]),
    ("06-precision", "no llama.cpp", r"llamacpp_.*|decode_tokens_llamacpp.*|.*_over_llamacpp|logits_.*", []),
    ("06-precision", "no oneDNN", r"onednn_.*|.*_over_onednn.*", []),
    ("06-precision", "no instruction for bf16", r"unit_peak_bf16|bf16_gemm_over_(peak|widened).*", []),
    ("07-compilers", "no PyTorch", r".*_?torch_?.*", []),
]


def fixture(lab):
    """A record with everything that any machine can measure."""
    record = json.loads((ROOT / f"tests/site/fixtures/{lab}.json").read_text())
    record["run"].pop("notes", None)
    if lab == "01-roofline":
        record["series"].append(series("bandwidth_over_time", over_time(16, 0)))
    if lab == "03-gpu":
        record["series"] += gpu_series(random.Random(0))
    if lab == "05-scaling":
        record["series"] += network_series(record["series"])
    return record


def network_series(series):
    """What several hosts would measure instead, under names of their own."""
    return [{**each, "id": f"network_{each['id']}"} for each in series
            if re.fullmatch(r"(allreduce_us|model_us)_(mpi|ring)|model_error_.*", each["id"])]


def without(record, pattern, note):
    for part in ("series", "values"):
        record[part] = [entry for entry in record[part] if not re.fullmatch(pattern, entry["id"])]
    record["run"]["notes"] = [note] if note else []
    return record


@pytest.fixture
def make_lab(tmp_path, capsys):
    """Draws a lab's figures as the Makefile does; (status, the names drawn, standard output, standard error)."""
    def run(lab, record):
        path = tmp_path / f"{lab}.json"
        path.write_text(json.dumps(record))
        scripts = [str(script) for script in sorted((ROOT / "figures").glob(f"{lab[:2]}-*.gp"))]
        status = draw.main([*scripts, "--record", str(path), "--out", str(tmp_path / "figures"), "--tool", TOOL])
        said = capsys.readouterr()
        figures = sorted((tmp_path / "figures").glob("*.svg"), key=lambda figure: figure.stem)
        for figure in figures:
            assert_clear(figure.read_text())
            assert "NaN" not in figure.read_text()
        return status, [figure.stem for figure in figures], said.out, said.err
    return run


def every_figure(lab):
    return sorted(script.stem for script in (ROOT / "figures").glob(f"{lab[:2]}-*.gp"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_record_of_the_book_can_be_drawn(make_lab, path):
    """A record that is older than a figure lacks its series; all others are drawn from it."""
    record = json.loads(path.read_text())
    have = {series["id"] for series in record["series"]}
    needed = {name: set(draw.read_header(ROOT / f"figures/{name}.gp")["needs"]) for name in every_figure(path.stem)}
    _, figures, _, err = make_lab(path.stem, record)
    assert figures == [name for name in needed if needed[name] <= have]
    assert all("is absent" in line for line in err.splitlines())


@pytest.mark.parametrize("lab", LABS)
def test_a_machine_with_everything_has_every_figure(make_lab, lab):
    status, figures, out, err = make_lab(lab, fixture(lab))
    assert (status, err, figures) == (0, "", every_figure(lab))
    assert len(out.splitlines()) == len(figures)


@pytest.mark.parametrize(("lab", "note", "pattern", "left_out"), ABSENT, ids=[f"{a[0]}: {a[1]}" for a in ABSENT])
def test_what_a_machine_lacks_costs_one_line(make_lab, lab, note, pattern, left_out):
    record = fixture(lab)
    before = len(record["series"]) + len(record["values"])
    without(record, pattern, note)
    assert len(record["series"]) + len(record["values"]) < before
    status, figures, out, err = make_lab(lab, record)
    assert (status, err) == (0, "")
    assert figures == [figure for figure in every_figure(lab) if figure not in left_out]
    said = out.splitlines()[len(figures):]
    assert said == ([f"not drawn, for this machine has no measurements for them: {', '.join(left_out)} ({note})"]
                    if left_out else [])


def test_a_series_that_is_missing_without_a_word_is_a_failure(make_lab):
    status, figures, out, err = make_lab("03-gpu", without(fixture("03-gpu"), "gpu_stride", ""))
    assert status == 1
    assert "03-gpu.json: series gpu_stride is absent, and 03-gpu-memory.gp needs it; measure again" in err
    assert "03-gpu-memory" not in figures and "not drawn" not in out


def test_a_broken_figure_is_a_failure_whatever_else_is_missing(make_lab, tmp_path, capsys):
    record = tmp_path / "03-gpu.json"
    record.write_text(json.dumps(without(fixture("03-gpu"), r"gpu_.*", "no GPU")))
    broken = tmp_path / "03-broken.gp"
    broken.write_text("# title: t\n# needs: little_line\n# shows: little_line\nplot (\n")
    (tmp_path / "style.gp").write_text("")
    status = draw.main([str(broken), str(ROOT / "figures/03-gpu-little.gp"), "--record", str(record),
                        "--out", str(tmp_path / "figures"), "--tool", TOOL])
    said = capsys.readouterr()
    assert status == 1
    assert "03-broken.gp: gnuplot says" in said.err and "not drawn" in said.out and "03-gpu-little" in said.out

"""`make model`: what needs no PyTorch. Roofs, predictions, rows, advice and the refusals of the command line."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from parts import LAB, ROOT, advice, memory, names, predict, refusal, roofs, rows, table

TOLD = {
    "machine": "a machine",
    "caches": [1000, 10_000, 100_000],
    "threads": {
        "1": {
            "fp32_gflops": 100.0,
            "read": [[100, 80.0], [10_000, 20.0], [1_000_000, 5.0]],
            "copy": [[100, 80.0], [10_000, 20.0], [1_000_000, 4.0]],
            "exp_gops": 2.0,
            "gelu_gops": 1.0,
        }
    },
}
PRICES = SimpleNamespace(call=1e-9, page=1e-6)


@pytest.fixture
def one_thread():
    return roofs.Roofs(TOLD, 1)


def operation(**more):
    given = {"flops": 0, "dtype": "float32", "function": None, "reads": [], "writes": [], "pages": 0}
    return SimpleNamespace(**(given | more))


def prediction(one_thread, **more):
    return predict.predict([[operation(**more)]], one_thread, PRICES)[0]


def test_bandwidth_is_interpolated_and_kept_beyond_the_ends(one_thread):
    points = one_thread.told["read"]
    assert roofs.at(points, 1) == 80
    assert roofs.at(points, 1000) == pytest.approx(40)  # halfway between 100 and 10 000 on a logarithmic axis
    assert roofs.at(points, 10_000) == pytest.approx(20)
    assert roofs.at(points, 10**9) == 5


def test_a_write_takes_what_a_copy_takes_beyond_its_read(one_thread):
    # A copy of 1000 bytes moves 2000 at 4 GB/s in 500 ns; reading takes 200 ns of them.
    assert one_thread.seconds_to_write(1000, 10**9) == pytest.approx(300e-9)


def test_arithmetic_waits_for_the_peak_of_its_numbers(one_thread):
    waits = prediction(one_thread, flops=1_000_000)
    assert (waits.waits, waits.seconds) == ("arithmetic", pytest.approx(1e-5))
    assert prediction(one_thread, flops=1_000_000, dtype="float64").seconds == pytest.approx(2e-5)


def test_a_type_with_instructions_of_its_own_has_its_own_peak():
    told = json.loads(json.dumps(TOLD))
    told["threads"]["1"]["bf16_gflops"] = 400.0
    assert roofs.Roofs(told, 1).seconds_for(400e9, "bfloat16") == pytest.approx(1)
    assert roofs.Roofs(TOLD, 1).seconds_for(400e9, "bfloat16") == pytest.approx(4)


def test_a_function_has_its_roof(one_thread):
    waits = prediction(one_thread, function=("gelu", 1000), flops=1000)
    assert (waits.waits, waits.seconds) == ("function", pytest.approx(1e-6))


def test_bytes_come_from_as_far_as_other_bytes_lie_between(one_thread):
    first, far = operation(reads=[(1, 500)]), operation(reads=[(2, 50_000)])
    again = predict.predict([[first], [first]], one_thread, PRICES)[0]
    assert again.waits == "L1"
    after = predict.predict([[first, far], [first, far]], one_thread, PRICES)[0]
    assert after.waits == "L3"
    assert after.seconds > again.seconds
    assert prediction(one_thread, reads=[(1, 500)]).waits == "memory"  # it was never touched before


def test_nothing_takes_less_than_a_call(one_thread):
    waits = prediction(one_thread)
    assert (waits.waits, waits.seconds) == ("call", 1e-9)


def test_pages_of_new_memory_come_on_top(one_thread):
    waits = prediction(one_thread, flops=1_000_000, pages=3)
    assert (waits.waits, waits.seconds) == ("arithmetic", pytest.approx(1.3e-5))
    assert prediction(one_thread, flops=1_000_000, pages=20).waits == "new memory"


def row(name="mm", waits="memory", **more):
    given = {"flops": 0, "bytes": 4, "predicted": 1.0, "samples": [1.0], "is_view": False}
    return rows.Row("m", "f.py:1", name, "1", waits=waits, **(given | more))


def test_layers_of_one_kind_share_a_row_and_their_rounds_add_up():
    told = [
        SimpleNamespace(module=f"h.{at}.fc", line="f.py:1", name="mm", shapes="1×2", flops=4, bytes=8, is_view=False)
        for at in range(3)
    ]
    told.append(SimpleNamespace(module="head", line="f.py:2", name="mm", shapes="1×2", flops=4, bytes=8, is_view=False))
    waits = [
        predict.Prediction(1.0, "memory"),
        predict.Prediction(1.0, "L2"),
        predict.Prediction(1.0, "L2"),
        predict.Prediction(9.0, "L2"),
    ]
    together, alone = rows.rows_of(told, waits, [[2.0, 3.0], [2.0, 3.0], [2.5, 3.5], [5.0, 5.0]], 0.5)
    assert (together.module, together.calls, together.flops, together.bytes) == ("h.*.fc", 3, 12, 24)
    assert (together.waits, together.predicted) == ("L2", 3.0)
    assert together.samples == [5.0, 8.0]  # the clock's half a second is taken off each call
    assert (alone.module, alone.miss) == ("head", 0.5)


@pytest.mark.parametrize(
    ("module", "told"),
    [("h.3.fc", "h.*.fc"), ("3", "*"), ("layer_3.conv2", "layer_*.conv2"), ("h.3 ←", "h.* ←"), ("conv1", "conv1")],
)
def test_a_modules_place_is_no_part_of_its_kind(module, told):
    assert rows.kind(module) == told


def test_without_times_the_longest_prediction_is_first():
    told = [SimpleNamespace(module=name, line="", name="mm", shapes="1", flops=0, bytes=0, is_view=False) for name in "ab"]
    found = rows.rows_of(told, [predict.Prediction(1.0, "L1"), predict.Prediction(2.0, "L1")])
    assert [each.module for each in found] == ["b", "a"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (row(is_view=True), advice.COMPILE),
        (row("addmm", "call"), advice.COMPILE),
        (row("addmm", "memory", flops=2, bytes=4), advice.BATCH),
        (row("addmm", "memory", flops=1000, bytes=4), advice.NARROW),
        (row("addmm", "memory", samples=[3.0]), advice.LIBRARY),
        (row("addmm", "arithmetic"), advice.AT_ROOF),
        (row("addmm", "arithmetic", samples=[3.0]), advice.LIBRARY),
        (row("max_pool2d_with_indices", "memory", samples=[40.0]), advice.CHANNELS),
        (row("convolution", "arithmetic"), advice.AT_ROOF),
        (row("mul", "memory"), advice.FUSE),
        (row("mul", "new memory"), advice.KEEP),
        (row("tanh", "function", samples=[8.0]), advice.FORMULA),
        (row("clone", "L2"), advice.STAY),
        (row("_scaled_dot_product_flash_attention_for_cpu", "L2"), advice.FLASH),
    ],
)
def test_advice_follows_from_the_kind_of_work_and_what_it_waits_for(given, told):
    assert advice.advice_for(given) == told


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        ("addmm", "addmm"),
        ("_native_batch_norm_legit_no_training", "batch_norm_legit_no_training"),
        ("max_pool2d_with_indices", "max_pool2d"),
        ("_scaled_dot_product_flash_attention_for_cpu", "attention"),
    ],
)
def test_a_figure_has_the_short_name_of_an_operation(operation, told):
    assert names.short_name(operation) == told


def test_a_gpu_that_is_too_small_is_told_as_memory_is():
    error = RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 15.77 GiB of which …")
    asks = "it asks for 20.00 GiB more of the GPU's memory; make it or its batch smaller"
    assert memory.too_large(error, "a.py") == f"a.py: {asks}"


def test_each_section_that_is_advised_is_in_the_book():
    told = [each for each in vars(advice).values() if isinstance(each, advice.Advice)]
    assert len(told) > 8
    for each in told:
        (chapter,) = (ROOT / "chapters").glob(f"{each.chapter}-*.md")
        assert f"\n## {each.section}\n" in chapter.read_text(), each


@pytest.mark.parametrize(
    ("seconds", "told"), [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (4.2e-5, "42 µs"), (3e-9, "3 ns"), (0, "0 ns"), (1234, "1234 s")]
)
def test_times_have_three_digits_and_a_unit(seconds, told):
    assert table.in_seconds(seconds) == told


def test_the_first_batch_that_waits_for_arithmetic_is_named():
    batches = [{"batch": size, "waits": {"memory": 3, "arithmetic": size}} for size in (1, 4, 8)]
    assert table.turning_point(batches) == "from batch 4 on, the model waits for arithmetic more than for anything else"
    assert table.turning_point(batches[:1]) == "no batch here waits for arithmetic more than for anything else"


@pytest.mark.parametrize(
    ("text", "threads", "told"),
    [
        ("{", None, r"it is not JSON \(.*\); remove it"),
        (json.dumps(TOLD | {"caches": []}), None, "it lacks 'caches'; remove it"),
        (json.dumps(TOLD), 3, "it has no roofs for 3 threads; choose --threads 1"),
        (json.dumps(TOLD | {"threads": {"1": {"fp32_gflops": 1}}}), None, "threads 1 lacks 'read'; remove it"),
    ],
)
def test_a_faulty_file_of_roofs_is_named(tmp_path, text, threads, told):
    file = tmp_path / "roofs.json"
    file.write_text(text)
    with pytest.raises(refusal.Refusal, match=f"{re.escape(str(file))}: {told}"):
        roofs.read_roofs(file, threads)


def test_a_missing_file_of_roofs_is_named(tmp_path):
    with pytest.raises(refusal.Refusal, match="there is no such file; make model measures the roofs"):
        roofs.read_roofs(tmp_path / "none.json", None)


@pytest.fixture
def no_torch(tmp_path):
    """An environment in which torch cannot be imported."""
    (tmp_path / "without").mkdir()
    (tmp_path / "without/torch.py").write_text("raise ImportError\n")
    (tmp_path / "python").symlink_to(sys.executable)
    return os.environ | {"PYTHONPATH": f"{tmp_path}/without:{LAB}", "PYTHON": str(tmp_path / "python")}


def test_without_pytorch_one_line_says_how_to_install_it(no_torch):
    result = subprocess.run([sys.executable, "-m", "model", "x.py"], capture_output=True, text=True, env=no_torch)
    assert result.returncode == 1
    assert result.stderr == "model: python3 cannot import torch; install it with: python3 -m pip install torch\n"


def test_the_script_says_it_before_it_measures_the_roofs(no_torch, tmp_path):
    (tmp_path / "python").unlink()
    (tmp_path / "python").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    result = subprocess.run([ROOT / "tools/model", "x.py"], capture_output=True, text=True, env=no_torch)
    python = tmp_path / "python"
    assert result.returncode == 1
    assert result.stderr == f"model: {python} cannot import torch; install it with: {python} -m pip install torch\n"


def test_the_script_asks_for_a_file():
    result = subprocess.run([ROOT / "tools/model", ""], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (2, "model: name a file: make model FILE=my_model.py\n")

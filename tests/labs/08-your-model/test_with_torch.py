"""`make model`, with PyTorch: counts, what it makes of a reader's file, and what it refuses. Skipped where `python3` cannot
import torch, unless HARDWARE_FIRST_PEERS is set."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest
from parts import LAB, ROOT

HERE = Path(__file__).parent
ROOFS = {
    "machine": "a machine",
    "caches": [32768, 1048576, 33554432],
    "threads": {
        "1": {"fp32_gflops": 50, "read": [[1e4, 100], [1e8, 10]], "copy": [[1e4, 100], [1e8, 8]], "exp_gops": 1, "gelu_gops": 1}
    },
}


@functools.cache
def has_torch():
    return subprocess.run(["python3", "-c", "import torch"], capture_output=True).returncode == 0


@pytest.fixture(autouse=True, scope="module")
def needs_torch():
    if not os.environ.get("HARDWARE_FIRST_PEERS") and not has_torch():
        pytest.skip("python3 cannot import torch")


def python(*words, **more):
    environment = os.environ | {"PYTHONPATH": str(LAB), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(["python3", "-P", *map(str, words)], capture_output=True, text=True, env=environment, **more)


@pytest.fixture
def tool(tmp_path):
    """Runs the tool on a file with this text; --predict-only unless it is to be timed."""
    (tmp_path / "roofs.json").write_text(json.dumps(ROOFS))

    def run(text, *options, timed=False):
        file = text
        if not isinstance(text, Path):
            file = tmp_path / "my_model.py"
            file.write_text(f"import torch\nfrom torch import nn\n{text}\n")
        speed = ["--seconds", "0.1"] if timed else ["--predict-only"]
        return python("-m", "model", file, "--roofs", tmp_path / "roofs.json", *speed, *options)

    return run


@pytest.fixture
def told(tool):
    """What it says as JSON."""

    def run(text, *options, **more):
        result = tool(text, "--json", *options, **more)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


@pytest.fixture(scope="module")
def counted():
    result = python(HERE / "counted.py")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# By hand: FLOPs, what goes through a function, bytes read, bytes written. A float has 4 bytes.
COUNTS = {
    "mm": (2 * 8 * 16 * 4, None, 4 * (8 * 16 + 16 * 4), 4 * 8 * 4),
    "addmm": (2 * 8 * 16 * 4, None, 4 * (4 + 8 * 16 + 16 * 4), 4 * 8 * 4),
    "mv": (2 * 8 * 16, None, 4 * (8 * 16 + 16), 4 * 8),
    "bmm": (3 * 2 * 8 * 16 * 4, None, 4 * 3 * (8 * 16 + 16 * 4), 4 * 3 * 8 * 4),
    "convolution": (2 * 2 * 5 * 6 * 6 * 27, None, 4 * (2 * 3 * 64 + 5 * 27), 4 * 2 * 5 * 36),
    "layer norm": (8 * 128, None, 4 * 128, 4 * (128 + 8 + 8)),
    "max pool": (4 * 2 * 3 * 16, None, 4 * 2 * 3 * 64, (4 + 8) * 2 * 3 * 16),  # with the places of the largest
    "softmax": (128, ["exp", 128], 4 * 128, 4 * 128),
    "gelu": (128, ["gelu", 128], 4 * 128, 4 * 128),
    "sum": (128, None, 4 * 128, 4),
    "square": (128, None, 4 * 128, 4 * 128),
    "power": (128, ["exp", 128], 4 * 128, 4 * 128),
    "same twice": (128, None, 4 * 128, 4 * 128),
    "row added": (128, None, 4 * (128 + 16), 4 * 128),
    "expanded": (128, None, 4 * (16 + 128), 4 * 128),
    "windows": (13 * 4, None, 4 * 16, 4 * 13 * 4),
    "in place": (128, None, 4 * 128, 4 * 128),
    "overwritten": (0, None, 4 * 128, 4 * 128),
    "out": (128, None, 4 * 128, 4 * 128),
    "half": (128, None, 2 * 128, 2 * 128),
    "embedding": (0, None, 4 * 2 * 16 + 8 * 3, 4 * 3 * 16),  # 2 rows, 3 places
    "rows added": (1600, None, 8 * 3 + 4 * 48 + 4 * 48, 4 * 48),
    "empty": (0, None, 0, 0),
    "cat": (0, None, 4 * 256, 4 * 256),
}


@pytest.mark.parametrize("name", COUNTS)
def test_an_operation_is_counted_as_by_hand(counted, name):
    found = counted[name]
    assert (found["flops"], found["function"], found["read"], found["written"]) == COUNTS[name]
    assert not found["view"]


def test_attention_counts_both_products_and_its_exponentials(counted):
    found = counted["attention"]
    assert found["flops"] == 2 * (2 * 2 * 6 * 6 * 4)
    assert found["function"] == ["exp", 2 * 6 * 6]
    assert found["read"] == 4 * 2 * 6 * 4  # one tensor is queries, keys and values


def test_a_layer_of_attention_in_one_operation_is_counted_whole(counted):
    found = counted["whole attention"]
    assert found["operation"] == "_native_multi_head_attention"
    assert found["flops"] == 4 * (2 * 5 * 8 * 8) + 2 * (2 * 5 * 5 * 8)
    assert found["function"] == ["exp", 2 * 5 * 5]


@pytest.mark.parametrize("name", ["transpose", "reshape", "slice"])
def test_a_view_is_free(counted, name):
    found = counted[name]
    assert found["view"]
    assert (found["flops"], found["function"], found["read"], found["written"]) == (0, None, 0, 0)


def test_the_kind_of_numbers_is_that_of_the_result(counted):
    assert (counted["half"]["dtype"], counted["mm"]["dtype"]) == ("bfloat16", "float32")


NETWORK = "model = nn.Sequential(\n  nn.Linear(8, 4),\n  nn.GELU(),\n)\ninputs = torch.randn(2, 8)"


def test_a_row_names_the_module_and_the_line_that_made_it(told):
    rows = {row["operation"]: row for row in told(NETWORK)["operations"]}
    assert (rows["addmm"]["module"], rows["addmm"]["line"]) == ("0", "my_model.py:4")
    assert (rows["gelu"]["module"], rows["gelu"]["line"]) == ("1", "my_model.py:5")
    assert rows["addmm"]["shapes"] == "4 · 2×8 · 8×4"


def test_a_row_names_the_line_that_calls(told):
    text = "class M(nn.Module):\n  def forward(self, x):\n    y = x + 1\n    return y.exp()\nmodel, inputs = M(), torch.ones(3)"
    rows = told(text)["operations"]
    assert {row["operation"]: row["line"] for row in rows} == {"add": "my_model.py:5", "exp": "my_model.py:6"}


def test_alike_layers_share_a_row(told):
    rows = told("model = nn.Sequential(*[nn.Linear(8, 8) for _ in range(5)])\ninputs = torch.ones(2, 8)")["operations"]
    (product,) = [row for row in rows if row["operation"] == "addmm"]
    assert (product["module"], product["calls"], product["flops"]) == ("*", 5, 5 * 2 * 2 * 8 * 8)


def test_a_prediction_has_no_times(told):
    found = told(NETWORK)
    assert "whole_s" not in found
    assert all("seconds" not in row for row in found["operations"])


def test_the_rounds_of_a_measurement_are_told(told):
    found = told(NETWORK, timed=True)
    rounds = len(found["whole_s"])
    assert rounds >= 7
    assert len(found["watched_s"]) == rounds
    assert all(len(row["seconds"]) == rounds for row in found["operations"])
    assert found["threads"] == 1
    assert 0 < found["call_ns"] < 1e6


def test_the_operations_account_for_a_model_of_large_products(told):
    found = told("model, inputs = nn.Linear(1024, 1024), torch.randn(512, 1024)", timed=True)
    together = sum(median(row["seconds"]) for row in found["operations"])
    assert 0.5 < together / median(found["whole_s"]) < 1.5
    assert median(found["watched_s"]) < 1.5 * median(found["whole_s"])  # what the clock costs


def test_weights_are_read_once_however_many_rows_they_serve(told):
    few, many = (
        next(row for row in told(f"model, inputs = nn.Linear(64, 32), torch.ones({rows}, 64)")["operations"] if row["flops"])[
            "bytes"
        ]
        for rows in (1, 10)
    )
    assert many - few == 4 * 9 * (64 + 32)


def test_a_training_step_has_the_gradients_products_where_they_belong(told):
    rows = told("model, inputs = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 2)), torch.ones(3, 8)", "--backward")["operations"]
    backward = [row for row in rows if row["operation"] == "mm" and "←" in row["module"]]
    assert {row["module"] for row in backward} == {"0 ←", "1 ←"}
    # The gradients of both layers' weights, and of what the second was given.
    assert sum(row["flops"] for row in backward) == 2 * 3 * 8 * 4 + 2 * 3 * 4 * 2 + 2 * 3 * 2 * 4


def test_other_numbers_have_other_bytes(told):
    sizes = []
    for kind in ("fp32", "bf16", "fp64"):
        rows = told("model, inputs = nn.ReLU(), torch.ones(100)", "--dtype", kind)["operations"]
        sizes.append(rows[0]["bytes"])
    assert sizes == [800, 400, 1600]


def test_a_batch_is_the_inputs_repeated(told):
    found = told("model, inputs = nn.Linear(512, 512), torch.ones(1, 512)", "--batch", "1,256")
    one, many = found["batches"]
    assert max(one["waits_s"], key=one["waits_s"].get) != "arithmetic"
    assert max(many["waits_s"], key=many["waits_s"].get) == "arithmetic"


def test_inputs_that_a_run_changes_are_put_back(tool):
    text = (
        "class M(nn.Module):\n  def forward(self, x):\n    assert x.sum() == 4, 'changed'\n    return x.add_(1)\n"
        "model, inputs = M(), torch.ones(4)"
    )
    result = tool(text, "--json", timed=True)
    assert result.returncode == 0, result.stderr


def test_inputs_may_have_names_and_other_things_beside_tensors(told):
    text = "class M(nn.Module):\n  def forward(self, x, *, by):\n    return x * by\n"
    text += "model, inputs = M(), dict(x=torch.ones(5), by=2)"
    assert told(text)["operations"][0]["flops"] == 5


def test_a_model_whose_shapes_depend_on_its_numbers_is_counted(told):
    text = "class M(nn.Module):\n  def forward(self, x):\n    return x[x > 2] * 3\nmodel, inputs = M(), torch.arange(10.0)"
    (product,) = [row for row in told(text)["operations"] if row["operation"] == "mul"]
    assert product["flops"] == 7


def test_a_model_that_grows_in_each_run_is_measured_in_none(tool):
    text = (
        "class M(nn.Module):\n  runs = 0\n  def forward(self, x):\n    self.runs += 1\n"
        "    for _ in range(self.runs):\n      x = x + 1\n    return x\nmodel, inputs = M(), torch.ones(3)"
    )
    result = tool(text, timed=True)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "model: my_model.py: each run calls other operations; make its choices the same in each run\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inputs = torch.ones(1)", "it does not define model; define model, a torch.nn.Module"),
        ("model = nn.ReLU()", "it does not define inputs; define inputs, what model is called with"),
        ("model, inputs = torch.relu, torch.ones(1)", "not a torch.nn.Module; wrap it in one whose forward calls it"),
        ("model, inputs = nn.ReLU, torch.ones(1)", "model is a type, not a torch.nn.Module; call it, to make one"),
        ("model, inputs = nn.ReLU(), 3", "inputs contains no tensor; give a tensor"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_one_line(tool, text, said):
    result = tool(text)
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert "my_model.py: " in line
    assert said in line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class M(nn.Module):\n  def forward(self, x):\n    return x.view(7)\nmodel, inputs = M(), torch.ones(3)", 5),
        ("model = nn.Linear('a', 3)\ninputs = torch.ones(3)", 3),
    ],
)
def test_an_error_of_the_readers_keeps_its_traceback(tool, text, line):
    result = tool(text)
    assert result.returncode == 1
    assert f'my_model.py", line {line}, in ' in result.stderr
    assert "labs/08-your-model" not in result.stderr  # but without the tool's own frames


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_a_model_that_is_too_large_is_refused_with_the_number(tool):
    result = tool("model = nn.Linear(2_000_000, 2_000_000, bias=False)\ninputs = torch.ones(1, 2_000_000)")
    assert result.returncode == 1
    assert result.stderr.startswith("model: my_model.py: it asks for 16000.0 GB more; it uses ")
    assert len(result.stderr.splitlines()) == 1


def on_a_gpu(tmp_path, *options):
    (tmp_path / "my_model.py").write_text(f"import torch\nfrom torch import nn\n{NETWORK}\n")
    result = python(HERE / "on_a_gpu.py", tmp_path / "my_model.py", "--device", "cuda", "--seconds", "0.1", *options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_on_a_gpu_events_time_each_operation_and_its_roofs(tmp_path):
    found = json.loads(on_a_gpu(tmp_path, "--json", "--batch", "1,8", "--keep", tmp_path / "kept"))
    assert all(min(row["seconds"]) >= 0 and row["predicted_s"] > 0 for row in found["operations"])
    assert 0 < median(found["whole_s"]) < 1
    assert 0 < found["call_ns"] < 1e6
    assert found["page_ns"] == 0  # the memory that is kept for the GPU is no page of the system's
    assert [each["batch"] for each in found["batches"]] == [1, 8]
    assert not (tmp_path / "kept").exists()  # the figure has the roofline of a processor


def test_a_gpu_is_named_without_threads(tmp_path):
    if python("-c", "import rich").returncode:
        pytest.skip("python3 cannot import rich")
    assert "my_model.py on a GPU; its weights take" in on_a_gpu(tmp_path)


def test_without_a_gpu_one_line_says_so(tool):
    if not python("-c", "import torch; assert torch.cuda.is_available()").returncode:
        pytest.skip("there is a GPU")
    result = tool(NETWORK, "--device", "cuda")
    assert result.returncode == 1
    assert result.stderr.startswith("model: --device cuda: PyTorch finds no GPU; install ")
    assert len(result.stderr.splitlines()) == 1


def test_a_missing_file_is_named(tool, tmp_path):
    result = tool(tmp_path / "none.py")
    assert (
        result.stderr == f"model: {tmp_path}/none.py: there is no such file; name a Python file that defines model and inputs\n"
    )


@pytest.mark.parametrize("sizes", ["0", "1,x", ""])
def test_batches_that_are_no_sizes_are_refused(tool, sizes):
    result = tool(NETWORK, "--batch", sizes)
    assert result.returncode == 2
    assert "is not a list of sizes such as 1,8,64" in result.stderr


@pytest.mark.parametrize("file", sorted((LAB / "networks").glob("*.py")), ids=lambda file: file.stem)
def test_our_networks_run(told, file):
    rows = told(file)["operations"]
    assert sum(row["predicted_s"] for row in rows) > 0
    assert all(row["line"].startswith(file.name) for row in rows if row["flops"])


def test_each_step_of_the_told_network_computes_what_the_first_does():
    script = (
        "import importlib, sys, torch\n"
        f"sys.path.insert(0, {str(LAB / 'told')!r})\n"
        "torch.set_grad_enabled(False)\n"
        "import step0\n"
        "first = step0.model(step0.inputs)\n"
        "for at in range(1, 6):\n"
        "    step = importlib.import_module(f'step{at}')\n"
        "    print((step.model(step.inputs) - first).abs().max().item() / first.abs().max().item())\n"
    )
    differences = [float(line) for line in python("-c", script, check=True).stdout.splitlines()]
    assert len(differences) == 5
    assert max(differences[:4]) < 1e-5
    assert max(differences) < 1e-2  # the last replaces an approximation


def test_the_table_has_the_rows_and_what_to_try(tool):
    if python("-c", "import rich").returncode:
        pytest.skip("python3 cannot import rich")
    result = tool(NETWORK, timed=True)
    assert result.returncode == 0, result.stderr
    for words in ("my_model.py:4", "addmm", "waits for", "try", "a call costs", "of the whole"):
        assert words in result.stdout


def test_make_passes_the_file_and_its_options(tmp_path):
    (tmp_path / "roofs.json").write_text(json.dumps(ROOFS))
    (tmp_path / "my_model.py").write_text(f"import torch\nfrom torch import nn\n{NETWORK}\n")
    options = f"--roofs {tmp_path}/roofs.json --predict-only --json"
    result = subprocess.run([ROOT / "tools/model", tmp_path / "my_model.py", *options.split()], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["operations"]

"""labs/03-gpu/count-ports: its model of the registers, and the counts that the lab takes from it."""

import importlib.machinery
import importlib.util
import json
import re
from pathlib import Path

import pytest
from programs import result_of

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "labs" / "03-gpu" / "count-ports"


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("count_ports", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


ports = loaded(TOOL)
TOOLS = {name: ports.program(name) for name in ("nvcc", "nvdisasm")}


@pytest.fixture(scope="module")
def found():
    """What nvcc makes of the kernels now."""
    if missing := [name for name, path in TOOLS.items() if not path]:
        pytest.skip(f"there is no {' and no '.join(missing)}")
    return ports.count_all(**TOOLS)


# The four examples of Huerta et al., listing 4, as multiply-adds: how many registers the third reads.
@pytest.mark.parametrize(("first", "second", "third"), [
    ("R2.reuse, R3, R4", "R2, R7, R8", (2, 1)),        # read without the mark, R2 is no longer available
    ("R2.reuse, R3, R4", "R2.reuse, R7, R8", (1, 1)),  # with the mark, it is
    ("R2.reuse, R3, R4", "R7, R2, R8", (1, 1)),        # R7 is in the other bank
    ("R2.reuse, R3, R4", "R4, R7, R8", (2, 1)),        # R4 is in the same bank and takes its place
])
def test_a_buffer_keeps_what_is_marked(first, second, third):
    assert ports.reads([f"FFMA R1, {first}", f"FFMA R5, {second}", "FFMA R10, R2, R12, R13"])[2] == third


def test_another_instruction_clears_the_buffers():
    assert ports.reads(["FFMA R1, R2.reuse, R3, R4", "LDS.128 R20, [R9]", "FFMA R5, R2, R3, RZ"]) == [(2, 1), None, (1, 1)]


@pytest.mark.parametrize(("counts", "within_three", "at_once"), [
    ((1, 1), 1, 1), ((1, 0), 1, 1), ((2, 0), 2, 2), ((0, 2), 2, 2), ((2, 1), 2, 2), ((3, 0), 3, 3), (None, 1, 1)])
def test_the_busier_bank_sets_the_pace(counts, within_three, at_once):
    assert ports.ticks([counts] * 1000, 3) == pytest.approx(1000 * within_three, abs=2)
    assert ports.ticks([counts] * 1000, 1) == pytest.approx(1000 * at_once, abs=2)


def test_within_three_ticks_a_bank_catches_up():
    busy_then_idle = [(2, 0), (1, 0), (0, 1)] * 500
    assert (ports.ticks(busy_then_idle, 3), ports.ticks(busy_then_idle, 1)) == (1500, 2000)


def test_the_innermost_loop_with_most_multiplications_counts():
    lines = [".L_x_0", "MOV R1, R2", ".L_x_1", "FFMA R1, R2, R3, R1", "FFMA R4, R2, R3, R4", "BRA `(.L_x_1)", ".L_x_2",
             "FFMA R1, R2, R3, R1", "BRA `(.L_x_2)", "BRA `(.L_x_0)", ".L_x_3", "BRA `(.L_x_3)"]
    assert ports.hot_loop(lines) == lines[3:6]


def test_the_lab_has_the_counts_of_the_present_kernels(found):
    stored = json.loads(ports.DATA.read_text())
    if found["nvcc"] != stored["nvcc"]:
        pytest.skip(f"{ports.DATA.name} is from nvcc {stored['nvcc']}, and this is {found['nvcc']}")
    assert ports.text(found) == ports.DATA.read_text(), "renew it: .venv/bin/python labs/03-gpu/count-ports --write"


def test_no_kernel_spills(found):
    assert {name: counts["local_accesses"] for name, counts in found["kernels"].items() if counts["local_accesses"]} == {}


def test_independent_multiplications_take_a_tick_each(found):
    assert found["independent"]["ticks_at_once"] < 1.05


def test_the_last_rung_hardly_waits_for_registers(found):
    *_, before, last = found["kernels"].values()
    assert last["ticks_at_once"] <= 1.15
    assert last["conflicts"] < 0.1 < before["conflicts"]


def test_an_absent_tool_is_one_line(tmp_path):
    run = result_of("/usr/bin/env", f"PATH={tmp_path}", "/usr/bin/python3", "-S", TOOL)
    if run.returncode == 0:
        pytest.skip("the CUDA toolkit in /usr/local/cuda has both tools")
    assert re.fullmatch(r"count-ports: there is no (nvcc|nvdisasm): install .*\n", run.stderr), run.stderr

"""Finding the hot loop of a kernel in its assembly, for a model of a core."""

import importlib.machinery
import importlib.util
import sys

import pytest


@pytest.fixture(scope="module")
def model(root):
    loader = importlib.machinery.SourceFileLoader("model_cores", str(root / "tools/model-cores"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("model_cores", loader))
    sys.modules["model_cores"] = module  # dataclass looks here
    loader.exec_module(module)
    return module


KERNEL = """
\tmovq\t%rdi, %rax
.L1:
\tvmovups\t(%rax), %zmm0
.L2:
\tvfmadd231ps\t(%rsi), %zmm0, %zmm1
\tvfmadd231ps\t(%rsi), %zmm0, %zmm2
\tjne\t.L2
\tjmp\t.L1
.L3:
\tvmovups\t%zmm1, (%rdx)
\tjne\t.L3
\tjle\t.L4
.L4:
"""


def test_the_hottest_loop_is_the_one_that_multiplies(model):
    code, nested, multiplications = model.hottest_loop({"kernel<1>": KERNEL.splitlines()}, "kernel<1>")
    assert [line.split()[0] for line in code] == ["vfmadd231ps", "vfmadd231ps"]
    assert nested and multiplications == 2


def test_a_loop_does_not_count_what_a_loop_within_does(model):
    outer = model.loops(KERNEL.splitlines())[1]
    assert outer == (["\tvmovups\t(%rax), %zmm0"], False)

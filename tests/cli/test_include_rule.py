"""Which folders of labs may include which: cmake/include_rule.cmake."""


import pytest
from programs import result_of


@pytest.fixture
def include(root, tmp_path):
    """The rule's output for a tree in which one file includes another."""

    def include(source, included):
        path = tmp_path / source
        path.parent.mkdir(parents=True)
        path.write_text(f'#include <vector>\n#include "{included}"\n')
        command = ["cmake", f"-DLABS={tmp_path}", "-P", root / "cmake/include_rule.cmake"]
        return result_of(*command)

    return include


@pytest.mark.parametrize(("source", "included"), [
    ("02-second/bench/runs.cpp", "02-second/kernels/loop.hpp"),
    ("02-second/lab.cpp", "02-second/bench/runs.hpp"),
    ("02-second/kernels/deep/loop.cu", "kit/random.hpp"),
    ("02-second/lab.cpp", "harness/report/lab.hpp"),
    ("02-second/yours/trial.cpp", "yours/trial.hpp"),
    ("yours/trial.cpp", "kit/random.hpp"),
    ("kit/random.cpp", "kit/random.hpp"),
    ("kit/gemm/gemm.cpp", "harness/measure/vector.hpp"),
    ("harness/report/lab.cpp", "harness/measure/sampling.hpp"),
    ("harness/report/lab.cpp", "record/check.hpp"),
    ("harness/measure/threads.cpp", "harness/machine/cores.hpp"),
    ("record/check.cpp", "harness/measure/samples.hpp"),
])
def test_a_lab_includes_itself_the_kit_and_the_instrument(include, source, included):
    result = include(source, included)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(("source", "included"), [
    ("02-second/bench/runs.cpp", "01-first/kernels/loop.hpp"),
    ("02-second/check/reference.hpp", "01-first/check/reference.hpp"),
    ("02-second/bench/runs.cpp", "01-first/bench/runs.hpp"),
    ("01-first/kernels/loop.cpp", "02-second/kernels/loop.hpp"),
    ("kit/random.cpp", "01-first/kernels/loop.hpp"),
    ("kit/random.cpp", "yours/trial.hpp"),
    ("yours/trial.cpp", "01-first/yours/loop.hpp"),
    ("harness/report/lab.cpp", "kit/random.hpp"),
    ("harness/measure/sampling.cpp", "harness/report/terminal.hpp"),
    ("harness/measure/sampling.cpp", "record/law.hpp"),
    ("record/check.cpp", "harness/report/lab.hpp"),
    ("record/check.cpp", "kit/random.hpp"),
    ("harness/machine/machine.cpp", "harness/report/lab.hpp"),
])
def test_another_include_is_refused_in_a_line_that_names_both(include, source, included):
    result = include(source, included)
    assert result.returncode == 1
    assert f"labs/{source} includes {included}" in result.stderr

"""tools/measure: which labs run, how often, and with which status. The labs are scripts that end with a given status."""

from pathlib import Path

import pytest
from programs import result_of, script

MEASURE = Path(__file__).resolve().parents[2] / "tools/measure"


@pytest.fixture
def measure(tmp_path):
    """Runs tools/measure on labs that end with these statuses, one after the other; returns its result and the runs made."""

    def run(**endings):
        runs = tmp_path / "runs"
        labs = []
        for name, statuses in endings.items():
            lab = tmp_path / name
            script(lab, f'echo "{name} $*" >>{runs}\nset -- {" ".join(map(str, statuses))}\n'
                        f'shift $(($(grep -c "^{name} " {runs}) - 1))\nexit "$1"')  # fmt: skip
            labs.append(lab)
        result = result_of(MEASURE, *labs)
        return result, runs.read_text().splitlines()

    return run


def test_each_lab_runs_once_if_its_record_is_stale(measure):
    result, runs = measure(one=[0], two=[0])
    assert (result.returncode, result.stderr) == (0, "")
    assert runs == ["one --if-stale", "two --if-stale"]


def test_a_refused_record_is_measured_once_more(measure):
    result, runs = measure(one=[1, 0], two=[0])
    assert (result.returncode, result.stderr) == (0, "measure: running one once more\n")
    assert runs == ["one --if-stale", "one --if-stale", "two --if-stale"]


def test_one_that_fails_twice_does_not_keep_the_next_from_running(measure):
    result, runs = measure(one=[1, 1], two=[0])
    assert result.returncode == 1
    assert runs == ["one --if-stale", "one --if-stale", "two --if-stale"]


def test_an_interrupt_ends_them_all(measure):
    result, runs = measure(one=[130], two=[0])
    assert result.returncode == 130
    assert runs == ["one --if-stale"]

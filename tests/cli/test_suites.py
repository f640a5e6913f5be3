"""tools/test: every suite runs, and none can fail without being counted."""

import shutil
import sys

import pytest

CTEST_WRITES = """while [ $# -gt 0 ]; do [ "$1" != --output-junit ] || echo '<testsuite>%s</testsuite>' >"$2"; shift; done; exit %d"""


@pytest.fixture
def suites(door, root):
    for name in ("tools/test", "tools/tally"):
        shutil.copy(root / name, door.folder / name)
    (door.folder / ".venv/bin").mkdir(parents=True)
    (door.folder / ".venv/bin/python").symlink_to(sys.executable)
    door.use_real("bash", "tee")
    return door


def last(run):
    return run.returncode, run.stdout.splitlines()[-1]


def ctest(door, cases, status):
    door.stub("ctest", CTEST_WRITES % (cases, status))


def test_counted_failures_and_successes(suites):
    ctest(suites, '<testcase name="a"/><testcase name="b"><failure/></testcase>', 8)
    assert last(suites.run("bash", "tools/test", "cpp")) == (1, "1 passed, 1 failed")
    ctest(suites, '<testcase name="a"/><testcase name="b"/>', 0)
    assert last(suites.run("bash", "tools/test", "cpp")) == (0, "2 passed, 0 failed")


def test_a_runner_that_fails_without_a_failed_case_is_counted(suites):
    ctest(suites, '<testcase name="a"/>', 1)
    assert last(suites.run("bash", "tools/test", "cpp")) == (1, "0 passed, 1 failed")


def test_a_build_that_fails_is_counted_and_the_next_suite_still_runs(suites):
    suites.stub("cmake", "exit 1")
    ctest(suites, '<testcase name="a"/>', 0)
    assert last(suites.run("bash", "tools/test", "clang", "cpp")) == (1, "1 passed, 1 failed")


def test_suites_beside_each_other_are_all_counted_and_told_of_in_their_order(suites):
    ctest(suites, '<testcase name="a"/>', 0)
    suites.stub("cmake", "exit 1")
    (suites.folder / "tools/tidy").write_text("#!/bin/sh\necho looked\n")
    (suites.folder / "tools/tidy").chmod(0o755)
    run = suites.run("bash", "tools/test", "cpp+clang+tidy", "cpp")
    assert last(run) == (1, "3 passed, 1 failed")
    told = [line.removeprefix("── ") for line in run.stdout.splitlines() if line.startswith("── ") and "took" not in line]
    assert told == ["cpp", "clang", "tidy", "cpp"] and "looked\n" in run.stdout


def test_a_report_of_the_last_time_does_not_count(suites):
    ctest(suites, '<testcase name="a"/>', 0)
    suites.run("bash", "tools/test", "cpp")
    suites.stub("ctest", "exit 139")
    assert last(suites.run("bash", "tools/test", "cpp")) == (1, "0 passed, 1 failed")


def test_what_is_taken_away_is_counted_one_by_one(suites):
    script = suites.folder / "tests/labs/take-away"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\necho 'ok      one core (2 s)'\necho 'skipped no AVX: needs qemu'\n")
    script.chmod(0o755)
    assert last(suites.run("bash", "tools/test", "take-away")) == (0, "1 passed, 0 failed")
    script.write_text("#!/bin/sh\necho 'ok      one core (2 s)'\necho 'FAILED  no huge pages: its record does not say \"x\"'\nexit 1\n")
    run = suites.run("bash", "tools/test", "take-away")
    assert last(run) == (1, "1 passed, 1 failed") and "FAILED no huge pages\n" in run.stdout


def cuda(suites, compiler):
    (suites.folder / "build").mkdir()
    (suites.folder / "build/CMakeCache.txt").write_text(f"CMAKE_CUDA_COMPILER:FILEPATH={compiler}\n")
    return suites.run("bash", "tools/test", "cuda")


def test_that_the_gpus_kernels_were_compiled_is_said(suites):
    suites.stub("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
    run = cuda(suites, suites.bin / "nvcc")
    assert last(run) == (0, "1 passed, 0 failed")
    assert f"compiled by {suites.bin}/nvcc, release 13.0, and not run\n" in run.stdout


def test_that_the_gpus_kernels_were_left_out_is_said(suites):
    run = cuda(suites, "NOTFOUND")
    assert "left out: the GPU's kernels, for want of nvcc" in run.stdout
    assert "cuda            0 passed    0 failed    1 skipped\n" in run.stdout

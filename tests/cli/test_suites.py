"""tools/test: every suite runs, and none can fail uncounted."""

import shutil
import sys

import pytest
from programs import script

CTEST_WRITES = """while [ $# -gt 0 ]; do [ "$1" != --output-junit ] || echo '<testsuite>%s</testsuite>' >"$2"; shift; done; exit %d"""


@pytest.fixture
def suites(door, root):
    for name in ("tools/test", "tools/tally"):
        shutil.copy(root / name, door.folder / name)
    (door.folder / "tests").mkdir(exist_ok=True)
    (door.folder / "tests/floors").touch()
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


def test_a_program_that_fails_runs_once_more_and_is_then_flaky(suites):
    suites.stub("ctest", """case "$*" in *--rerun-failed*) verdict= status=0 ;; *) verdict='<failure/>' status=8 ;; esac
        while [ $# -gt 0 ]; do
          [ "$1" != --output-junit ] || echo "<testsuite><testcase name='a'>$verdict</testcase></testsuite>" >"$2"; shift
        done; exit $status""")
    run = suites.run("bash", "tools/test", "cpp")
    assert last(run) == (0, "1 passed, 0 failed") and "  FLAKY a: failed, then passed\n" in run.stdout
    assert len(suites.calls("ctest")) == 2


def test_a_crash_of_the_runner_is_not_excused_by_a_second_run(suites):
    suites.stub("ctest", """case "$*" in *--rerun-failed*) exit 0 ;; esac
        while [ $# -gt 0 ]; do [ "$1" != --output-junit ] || echo '<testsuite><testcase name="a"/></testsuite>' >"$2"; shift; done; exit 1""")
    assert last(suites.run("bash", "tools/test", "cpp")) == (1, "0 passed, 1 failed")
    assert len(suites.calls("ctest")) == 1


def run_in_python(suites, text):
    """Runs the suite of the command line, with `text` as its only tests."""
    (suites.folder / "tests/cli").mkdir(parents=True)
    (suites.folder / "tests/cli/test_it.py").write_text(text)
    (suites.folder / "tests/cli/pytest.ini").write_text("[pytest]\nmarkers =\n  slow\n  timing\n")
    python = suites.folder / ".venv/bin/python"
    python.unlink()
    script(python, f'exec {sys.executable} "$@"')  # through a link, Python would not find the packages
    return last(suites.run("bash", "tools/test", "cli"))


SHAKY = """
import pathlib
FLAG = pathlib.Path(__file__).with_name("ran")

def test_good():
    with open(FLAG.with_name("good"), "a") as runs:
        runs.write("x")

def test_shaky():
    ran = FLAG.exists()
    FLAG.touch()
    assert ran
"""


def test_a_test_in_python_that_fails_runs_once_more_and_the_others_do_not(suites):
    assert run_in_python(suites, SHAKY) == (0, "2 passed, 0 failed")
    assert (suites.folder / "tests/cli/good").read_text() == "x"


def test_a_test_in_python_that_fails_twice_has_failed(suites):
    assert run_in_python(suites, SHAKY.replace("assert ran", "assert False")) == (1, "1 passed, 1 failed")


def test_a_suite_with_fewer_cases_than_its_floor_has_failed(suites):
    suites.folder.joinpath("tests/floors").write_text("cpp 3\n")
    ctest(suites, '<testcase name="a"/><testcase name="b"/>', 0)
    assert last(suites.run("bash", "tools/test", "cpp")) == (1, "2 passed, 1 failed")


def test_a_build_that_fails_is_counted_and_the_next_suite_still_runs(suites):
    suites.stub("cmake", "exit 1")
    ctest(suites, '<testcase name="a"/>', 0)
    assert last(suites.run("bash", "tools/test", "clang", "cpp")) == (1, "1 passed, 1 failed")


def test_suites_beside_each_other_are_all_counted_and_told_of_in_their_order(suites):
    ctest(suites, '<testcase name="a"/>', 0)
    suites.stub("cmake", "exit 1")
    script(suites.folder / "tools/tidy", "echo looked")
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
    labs_without = suites.folder / "tests/labs/labs-without"
    script(labs_without, "echo 'ok      one core (2 s)'\necho 'skipped no AVX: needs qemu'")
    assert last(suites.run("bash", "tools/test", "labs-without")) == (0, "1 passed, 0 failed")
    script(labs_without, "echo 'ok      one core (2 s)'\necho 'FAILED  no huge pages: its record does not say \"x\"'\nexit 1")
    run = suites.run("bash", "tools/test", "labs-without")
    assert last(run) == (1, "1 passed, 1 failed") and "FAILED no huge pages\n" in run.stdout


@pytest.fixture
def labs(suites):
    """Runs the labs' suite after files changed. Returns its last line, and the calls of make and the record tool."""
    suites.use_real("grep", "sed")
    script(suites.folder / "tools/changed", f'cat "{suites.folder}/changed"')
    built = suites.folder / "build/bin"
    built.mkdir(parents=True)
    (built / "lab-01-roofline.inputs.json").write_text('{"source:labs/01-roofline/lab.cpp": "1", "source:labs/harness/a.cpp": "2"}')

    def run(*changed, lab="", record=""):
        (suites.folder / "changed").write_text("".join(f"{name}\n" for name in changed))
        suites.stub("make", lab)
        suites.stub("record", record)
        (built / "record").unlink(missing_ok=True)
        (built / "record").symlink_to(suites.bin / "record")
        return last(suites.run("bash", "tools/test", "labs")), suites.calls("make", "record")

    return run


def test_a_lab_runs_when_a_file_that_it_was_built_from_differs_from_main(labs):
    for name in ("labs/01-roofline/lab.cpp", "labs/harness/a.cpp"):
        assert labs("labs/README.md", name) == ((0, "1 passed, 0 failed"), ["make lab-01"])
    assert labs("labs/01-roofline/lab.cpp.orig", "labs/02-matmul/lab.cpp", "a.cpp") == ((1, "0 passed, 0 failed"), [])
    assert labs() == ((1, "0 passed, 0 failed"), [])


def test_a_lab_whose_record_breaks_only_laws_about_speed_passes(labs):
    asked = ["make lab-01", "record check --advise-speed build/records/01-roofline.refused.json"]
    assert labs("labs/harness/a.cpp", lab="exit 2") == ((0, "1 passed, 0 failed"), asked)
    assert labs("labs/harness/a.cpp", lab="exit 2", record="exit 1") == ((1, "0 passed, 1 failed"), asked)


def cuda(suites, compiler):
    (suites.folder / "build").mkdir()
    (suites.folder / "build/CMakeCache.txt").write_text(f"CMAKE_CUDA_COMPILER:FILEPATH={compiler}\n")
    return suites.run("bash", "tools/test", "cuda")


def test_that_the_gpus_kernels_were_compiled_is_said(suites):
    suites.stub("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
    run = cuda(suites, suites.bin / "nvcc")
    assert last(run) == (0, "1 passed, 0 failed")
    assert f"compiled by {suites.bin}/nvcc, release 13.0, but not run\n" in run.stdout


def test_that_the_gpus_kernels_were_left_out_is_said(suites):
    run = cuda(suites, "NOTFOUND")
    assert "left out: the GPU's kernels, which need nvcc" in run.stdout
    assert "cuda            0 passed    0 failed    1 skipped\n" in run.stdout

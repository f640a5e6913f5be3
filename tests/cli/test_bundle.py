"""The bundle: what its start script chooses, continues and prints, with scripts as labs; and, once a week, a real bundle."""

import json
import os
import shutil
import signal
import subprocess

import pytest
from programs import result_of, script

# A lab that tells how it was called and does the next thing in the file tasks/NN: it is done, takes so many seconds of the test's
# clock, fails, finds something missing, or is killed with its caller. It is fresh if it has a record.
LAB = """
name=${0##*/lab-}
case $1 in --is-fresh) read -r _ fresh <records/$name.json && [ "$fresh" != stale ]; exit ;; esac
echo "$0 $*"
task=done
if [ -e tasks/${name%%-*} ]; then
  { read -r task && while read -r line; do rest="${rest-}$line
"; done; } <tasks/${name%%-*}
  printf %s "${rest-$task
}" >tasks/${name%%-*}
fi
complete=true
case $task in
  fail) exit 1 ;;
  kill) kill -KILL $PPID; exit 1 ;;
  interrupt) exit 130 ;;
  incomplete) complete=false ;;
  [0-9]*)
    read -r now _ <uptime
    within=${2#--within=}
    if [ -n "$within" ] && [ "$task" -gt "$within" ]; then
      echo "$((${now%.*} + within)).50 9" >uptime
      exit 124
    fi
    echo "$((${now%.*} + task)).50 9" >uptime
    ;;
esac
printf '{\n "run": {\n  "complete": %s,\n' $complete >records/$name.json
"""


@pytest.fixture
def bundle(tmp_path, root):
    """A bundle of three labs and three levels: one that no processor supports, one that every processor supports, one below. Runs
    its ./measure, whose clock is the file `uptime`."""
    for folder in ("records", "tasks"):
        (tmp_path / folder).mkdir()
    for level in ("best", "good", "least"):
        for lab in ("00-workload", "01-roofline", "02-matmul"):
            script(tmp_path / level / f"lab-{lab}", LAB)
    (tmp_path / "levels").write_text("best of_no_processor nor_this\ngood\nleast\n")
    (tmp_path / "labs").write_text("00-workload 40\n01-roofline 30\n02-matmul 10\n")
    (tmp_path / "version").write_text("hardware-first-1.2.3-x86_64\n")
    (tmp_path / "uptime").write_text("1000.75 9\n")
    text = (root / "tools/bundled-measure").read_text()
    assert text.count("</proc/uptime") == 1
    script(tmp_path / "measure", text.removeprefix("#!/bin/sh\n").replace("/proc/uptime", "uptime"))
    nothing = tmp_path / "no-programs"
    nothing.mkdir()
    (nothing / "sh").symlink_to("/bin/sh")

    def run(*arguments, **environment):
        return result_of("/bin/sh", tmp_path / "measure", *arguments, cwd="/", env={"PATH": str(nothing), **environment})

    def do(**tasks):
        for lab, lines in tasks.items():
            (tmp_path / "tasks" / lab.removeprefix("lab_")).write_text("".join(f"{line}\n" for line in lines))

    run.folder, run.do = tmp_path, do
    return run


def table(run):
    """What the table at the end says of each lab."""
    lines = run.stdout.partition("measure: of the labs,\n")[2].splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line.startswith("  "))


def calls(run):
    return [line.split("/lab-")[1] for line in run.stdout.splitlines() if "/lab-" in line]


def test_the_first_level_that_the_processor_has_is_measured_by_every_lab(bundle):
    run = bundle()
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == [
        "measure: 00-workload, built for good, at most 2 min left", "good/lab-00-workload --if-stale",
        "measure: 01-roofline, built for good, at most 1 min left", "good/lab-01-roofline --if-stale",
        "measure: 02-matmul, built for good, at most 1 min left", "good/lab-02-matmul --if-stale",
        "measure: of the labs,", "  00-workload    complete", "  01-roofline    complete", "  02-matmul      complete",
        f"measure: the records are in {bundle.folder}/records; "
        f"to publish them, run this in a checkout of the project: make publish MACHINE=name RECORDS='{bundle.folder}/records/*.json'"]  # fmt: skip


def test_labs_and_level_can_be_named(bundle):
    run = bundle("01", LEVEL="least", BUDGET="quick")
    assert run.stdout.splitlines()[:2] == ["measure: 01-roofline, built for least", "least/lab-01-roofline --if-stale"]


def test_a_lab_that_fails_runs_once_more_and_is_named_and_the_next_one_runs(bundle):
    bundle.do(lab_00=["fail"], lab_01=["fail", "done"])
    run = bundle()
    assert calls(run) == [f"{lab} --if-stale" for lab in ("00-workload", "00-workload", "01-roofline", "01-roofline", "02-matmul")]
    assert table(run) == {"00-workload": "failed twice", "01-roofline": "complete", "02-matmul": "complete"}
    assert (run.returncode, run.stderr) == (1, "measure: not all labs are complete; the table above says why\n")
    assert calls(bundle())[0] == "00-workload --if-stale"


def test_an_incomplete_record_is_named(bundle):
    bundle.do(lab_01=["incomplete"])
    for run in (bundle(), bundle(MINUTES="1")):
        assert table(run)["01-roofline"] == "incomplete: the notes in records/01-roofline.json say what is missing"
        assert run.returncode == 1


def test_an_interrupt_ends_them_all(bundle):
    bundle.do(lab_00=["interrupt", "interrupt", "interrupt", "done"])
    for _ in range(3):
        run = bundle(MINUTES="1")
        assert run.returncode == 130
        assert calls(run) == ["00-workload --if-stale --within=54"]
    assert bundle(MINUTES="9").returncode == 0


def test_a_call_ends_in_time_and_the_next_one_continues(bundle):
    bundle.do(lab_00=["40"], lab_01=["30"], lab_02=["10"])
    run = bundle(MINUTES="1")
    assert calls(run) == ["00-workload --if-stale --within=54", "02-matmul --if-stale --within=14"]
    assert table(run) == {"00-workload": "complete", "01-roofline": "not yet measured", "02-matmul": "complete"}
    assert (run.returncode, run.stderr) == (3, "")
    assert run.stdout.endswith("measure: run the same command again to continue\n")
    run = bundle(MINUTES="1")
    assert calls(run) == ["01-roofline --if-stale --within=54"]
    assert set(table(run).values()) == {"complete"} and run.returncode == 0
    (bundle.folder / "records/00-workload.json").write_text("{ stale\n")
    assert calls(bundle(MINUTES="1")) == ["00-workload --if-stale --within=54"]


def test_a_lab_that_takes_longer_than_on_other_machines_gets_a_call_of_its_own(bundle):
    bundle.do(lab_00=["40"], lab_01=["30"], lab_02=["50"])
    run = bundle("00", "02", MINUTES="1")
    assert calls(run) == ["00-workload --if-stale --within=54", "02-matmul --if-stale --within=14"]
    assert (run.returncode, table(run)["02-matmul"]) == (3, "not yet measured")
    run = bundle(MINUTES="1")  # the one before it leaves too little time
    assert calls(run) == ["01-roofline --if-stale --within=54"] and run.returncode == 3
    run = bundle(MINUTES="1")
    assert calls(run) == ["02-matmul --if-stale --within=54"] and run.returncode == 0


@pytest.mark.parametrize("seconds, expected", [(100, 100), (100, 10)])
def test_a_lab_that_fits_into_no_call_is_named_with_the_time_that_it_may_take(bundle, seconds, expected):
    bundle.do(lab_01=[str(seconds)])
    (bundle.folder / "labs").write_text(f"00-workload 40\n01-roofline {expected}\n02-matmul 10\n")
    run = bundle(MINUTES="1")
    tried = seconds != expected
    for _ in range(3):
        if run.returncode != 3:
            break
        run = bundle(MINUTES="1")
    assert table(run) == {"00-workload": "complete", "02-matmul": "complete",
                          "01-roofline": "takes longer: run MINUTES=2 ./measure 01"}  # fmt: skip
    assert (run.returncode, run.stderr) == (1, "measure: not all labs are complete; the table above says why\n")
    again = bundle(MINUTES="1")
    assert (calls(again), again.returncode) == ([], 1)
    retried = bundle(MINUTES="1", AGAIN="yes")
    assert calls(retried) == (["01-roofline --if-stale --within=54"] if tried else [])
    assert bundle("01", MINUTES="2").returncode == 0


def test_a_lab_that_fails_twice_is_not_tried_by_every_call(bundle):
    bundle.do(lab_00=["fail"])
    run = bundle(MINUTES="9")
    assert table(run)["00-workload"] == "failed twice; AGAIN=yes tries it again"
    assert (run.returncode, len(calls(run))) == (1, 4)
    run = bundle(MINUTES="9")
    assert (run.returncode, calls(run)) == (1, [])
    bundle.do(lab_00=["done"])
    assert bundle(MINUTES="9", AGAIN="yes").returncode == 0


def test_a_killed_call_is_continued_and_one_that_is_killed_twice_is_named(bundle):
    bundle.do(lab_01=["kill", "kill", "done"])
    assert bundle(MINUTES="9").returncode == -signal.SIGKILL
    run = bundle(MINUTES="9")
    assert run.returncode == -signal.SIGKILL
    assert calls(run) == ["01-roofline --if-stale --within=534"]
    run = bundle(MINUTES="9")
    assert calls(run) == ["02-matmul --if-stale --within=534"]
    assert table(run)["01-roofline"] == "was killed twice: choose fewer MINUTES; AGAIN=yes tries it again"
    assert run.returncode == 1
    assert bundle(MINUTES="9", AGAIN="yes").returncode == 0


def test_what_is_remembered_may_be_damaged(bundle):
    for damaged in ("", "x", "1 2", "1 2 x", "9 9 9 9"):
        (bundle.folder / "records/00-workload.json").unlink(missing_ok=True)
        (bundle.folder / "records/00-workload.full.tries").write_text(damaged)
        assert bundle(MINUTES="9").returncode == 0


def test_quick_runs_have_their_own_time(bundle):
    bundle.do(lab_00=["100"])
    assert bundle("00", MINUTES="1", BUDGET="quick").returncode == 1
    (bundle.folder / "tasks/00").write_text("40\n")
    assert bundle("00", MINUTES="1").returncode == 0


def test_records_that_cannot_be_written_are_one_line(bundle):
    shutil.rmtree(bundle.folder / "records")
    run = bundle()
    assert (run.returncode, run.stderr) == (
        1, f"measure: {bundle.folder}/records cannot be written; unpack the bundle in a folder that can be\n")  # fmt: skip


def test_the_bundle_s_mpirun_comes_first_where_there_is_one(bundle):
    script(bundle.folder / "good/lab-00-workload", 'echo "$PATH"; exit 1')
    assert str(bundle.folder / "mpi") not in bundle("00").stdout
    (bundle.folder / "mpi").mkdir()
    assert f"\n{bundle.folder}/mpi:" in bundle("00").stdout
    assert "contains Open MPI" in bundle("--help").stdout


@pytest.fixture
def real(bundle, root):
    """The bundle with a single lab, a program."""
    tiny = root / "build/tests/harness"
    for level in ("good", "least"):
        shutil.copy(tiny / "tiny-lab", bundle.folder / level / "lab-99-tiny")
        shutil.copy(tiny / "lab-99-tiny.inputs.json", bundle.folder / level)
    (bundle.folder / "labs").write_text("99-tiny 1\n")
    bundle.record = bundle.folder / "records/99-tiny.json"
    bundle.environment = {"BUDGET": "quick", "TMPDIR": str(bundle.folder), "TINY_LAB_BENCH": str(bundle.folder)}
    return bundle


def test_a_real_lab_is_measured_once(real):
    run = real(MINUTES="9", **real.environment)
    assert (run.returncode, table(run)) == (0, {"99-tiny": "complete"})
    record = real.record.read_text()
    run = real(MINUTES="9", **real.environment)
    assert run.stdout.startswith("99-tiny is up to date: measured ")
    assert (run.returncode, real.record.read_text()) == (0, record)


def test_a_real_lab_that_is_cut_off_or_killed_leaves_nothing_and_is_measured_by_the_next_call(real):
    (real.folder / "uptime").write_text("1000.75 9\n")
    script(real.folder / "good/lab-00-workload", 'echo "1051.00 9" >uptime; printf "{\\n" >records/00-workload.json')
    (real.folder / "labs").write_text("00-workload 1\n99-tiny 1\n")
    run = real(MINUTES="1", TINY_LAB_DOES="wait", **real.environment)
    assert run.stderr.startswith("lab-99-tiny: not finished ") and run.stderr.count("\n") == 1
    assert (run.returncode, table(run)["99-tiny"]) == (3, "not yet measured")
    assert not real.record.exists()
    with subprocess.Popen(["/bin/sh", real.folder / "measure", "99"], stdout=subprocess.PIPE, text=True, start_new_session=True,
                          env={**os.environ, **real.environment, "MINUTES": "1", "TINY_LAB_DOES": "wait"}) as process:  # fmt: skip
        assert any("sum, about" in line for line in process.stdout)
        os.killpg(process.pid, signal.SIGKILL)
    assert not real.record.exists()
    assert real("99", MINUTES="1", **real.environment).returncode == 0
    json.loads(real.record.read_text())


def test_what_the_processor_lacks_is_named(bundle):
    (bundle.folder / "levels").write_text("best of_no_processor nor_this\nleast of_no_processor\n")
    run = bundle()
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == ("measure: hardware-first-1.2.3-x86_64 needs a processor with of_no_processor, which this machine lacks; "
                          "build the labs from source here instead\n")  # fmt: skip


@pytest.mark.parametrize("arguments, environment, says", [
    (["9"], {}, "there is no lab '9'; name chapters by number, such as 01"),
    ([], {"MINUTES": "0"}, "MINUTES='0': expected a whole number of at least 1"),
    ([], {"MINUTES": "9m"}, "MINUTES='9m': expected a whole number of at least 1"),
    (["--faster"], {}, "unknown option '--faster'; ./measure --help lists the options"),
    ([], {"LEVEL": "none"}, "LEVEL='none': there is no such build; ./measure --help lists the builds"),
])  # fmt: skip
def test_what_does_not_exist_is_refused_in_one_line(bundle, arguments, environment, says):
    run = bundle(*arguments, **environment)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"measure: {says}\n")


def test_help_and_version(bundle):
    assert bundle("--version").stdout == "hardware-first-1.2.3-x86_64\n"
    run = bundle("--help")
    assert (run.returncode, run.stderr) == (0, "")
    assert "The builds, best first: best good least\n" in run.stdout


def test_what_cannot_be_packed_is_refused_before_anything_is_built(root):
    for name, value, says in (("ARCH", "riscv64", "ARCH='riscv64': expected x86_64 or aarch64"),
                              ("LABS", "99", "LABS='99': expected numbers such as 01"),
                              ("LEVELS", "x", "LEVELS='x': expected some of ")):  # fmt: skip
        run = result_of(root / "tools/bundle", env={**os.environ, name: value})
        assert run.returncode == 1
        assert run.stderr.startswith(f"bundle: {says}") and run.stderr.count("\n") == 1


@pytest.mark.slow
def test_where_there_is_nothing_but_a_shell_a_lab_leaves_its_record(root, tmp_path):
    least = {"x86_64": "x86-64-v2", "aarch64": "armv8-a"}[os.uname().machine]
    subprocess.run([root / "tools/bundle"], env={**os.environ, "LABS": "01", "LEVELS": least}, check=True)
    archive = max((root / "build").glob("hardware-first-*.tar.gz"), key=lambda file: file.stat().st_mtime)
    bare = tmp_path / "bare"
    for folder in ("bin", "proc/self", "tmp"):
        (bare / folder).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), bare / "bin/sh")
    subprocess.run(["tar", "xzf", archive, "-C", bare], check=True)
    name = archive.name.removesuffix(".tar.gz")
    # Not every user may mount a /proc; this one contains what the start script and the loader read.
    shutil.copy("/proc/cpuinfo", bare / "proc/cpuinfo")
    (bare / "proc/self/exe").symlink_to(f"/{name}/{least}/lab-01-roofline")
    become_root = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
    subprocess.run([*become_root, "/usr/sbin/chroot", bare, f"/{name}/measure"], env={"BUDGET": "quick"}, check=True)
    record = bare / name / "records/01-roofline.json"
    subprocess.run([root / f"build/bundle/{least}/bin/record", "check", record], check=True)
    assert f"-march={least}" in json.loads(record.read_text())["toolchain"]["flags"]


@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine == "aarch64", reason="is built natively there, above")
def test_a_lab_that_was_built_across_leaves_its_record_under_emulation(root, tmp_path):
    subprocess.run([root / "tools/bundle"], env={**os.environ, "ARCH": "aarch64", "LABS": "04", "LEVELS": "armv8-a"}, check=True)
    archive = next((root / "build").glob("hardware-first-*-aarch64.tar.gz"))
    subprocess.run(["tar", "xzf", archive, "-C", tmp_path, "--strip-components=1"], check=True)
    run = result_of("qemu-aarch64", "armv8-a/lab-04-tpu", "--version", cwd=tmp_path, check=True)
    assert run.stdout.startswith("lab-04-tpu ")
    # Takes five minutes.
    subprocess.run(["qemu-aarch64", "armv8-a/lab-04-tpu", "--budget", "quick", "--out", tmp_path], cwd=tmp_path, check=True)
    record = tmp_path / "04-tpu.json"
    subprocess.run([root / "build/bin/record", "check", record], check=True)
    assert json.loads(record.read_text())["machine"]["architecture"] == "aarch64"

"""The bundle: what its start script chooses and prints, with scripts as labs; and, once a week, a small real bundle."""

import json
import os
import shutil
import subprocess

import pytest
from programs import result_of, script

LAB = 'echo "$0 $*"\n[ ! -e stop ] || exit 1'


@pytest.fixture
def bundle(tmp_path, root):
    """A bundle of two labs and three levels: one that no processor supports, one that every processor supports, one below. Runs
    its ./measure."""
    (tmp_path / "lib").mkdir()
    for level in ("best", "good", "least"):
        for lab in ("00-workload", "01-roofline"):
            script(tmp_path / level / f"lab-{lab}", LAB)
    (tmp_path / "levels").write_text("best of_no_processor nor_this\ngood\nleast\n")
    (tmp_path / "labs").write_text("00-workload 70\n01-roofline 30\n")
    (tmp_path / "version").write_text("hardware-first-1.2.3-x86_64\n")
    shutil.copy(root / "tools/bundled-measure", tmp_path / "measure")
    shutil.copy(root / "tools/measure", tmp_path / "lib/measure")

    def run(*arguments, **environment):
        nothing = tmp_path / "no-programs"
        nothing.mkdir(exist_ok=True)
        (nothing / "sh").unlink(missing_ok=True)
        (nothing / "sh").symlink_to("/bin/sh")
        return result_of("/bin/sh", tmp_path / "measure", *arguments, cwd="/", env={"PATH": str(nothing), **environment})

    run.folder = tmp_path
    return run


def test_the_first_level_that_the_processor_has_is_measured_by_every_lab(bundle):
    run = bundle()
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == [
        "measure: 00-workload, built for good, at most 2 min left", "good/lab-00-workload --if-stale",
        "measure: 01-roofline, built for good, at most 1 min left", "good/lab-01-roofline --if-stale",
        f"measure: the records are in {bundle.folder}/records; "
        f"to publish them, run this in a checkout of the project: make publish MACHINE=name RECORDS='{bundle.folder}/records/*.json'"]  # fmt: skip


def test_labs_and_level_can_be_named(bundle):
    run = bundle("01", LEVEL="least", BUDGET="quick")
    assert run.stdout.splitlines()[:2] == ["measure: 01-roofline, built for least", "least/lab-01-roofline --if-stale"]


def test_a_lab_that_fails_is_named_and_the_next_one_runs(bundle):
    (bundle.folder / "stop").touch()
    run = bundle()
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == "measure: these labs have no record: 00-workload 01-roofline; the lines above say why"


def test_what_the_processor_lacks_is_named(bundle):
    (bundle.folder / "levels").write_text("best of_no_processor nor_this\nleast of_no_processor\n")
    run = bundle()
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == ("measure: hardware-first-1.2.3-x86_64 needs a processor with of_no_processor, which this machine lacks; "
                          "build the labs from source here instead\n")  # fmt: skip


@pytest.mark.parametrize("arguments, environment, says", [
    (["9"], {}, "there is no lab '9'; name chapters by number, such as 01"),
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
def test_a_lab_that_was_built_across_finds_its_loader_in_the_bundle(root, tmp_path):
    subprocess.run([root / "tools/bundle"], env={**os.environ, "ARCH": "aarch64", "LABS": "04", "LEVELS": "armv8-a"}, check=True)
    archive = next((root / "build").glob("hardware-first-*-aarch64.tar.gz"))
    subprocess.run(["tar", "xzf", archive, "-C", tmp_path, "--strip-components=1"], check=True)
    run = result_of("qemu-aarch64", "armv8-a/lab-04-tpu", "--version", cwd=tmp_path, check=True)
    assert run.stdout.startswith("lab-04-tpu ")

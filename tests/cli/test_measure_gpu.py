"""tools/measure-gpu with stand-ins for the GPU's programs: which steps it runs, what it prints and packs. Once a week, with the
real compiler where Boost is missing."""

import os
import re
import shutil
import subprocess
import tarfile

import pytest
from programs import git, result_of, script

GPU = """
case "$*" in
  *--query-gpu=*) ;;
  *) echo "a GPU"; exit ;;
esac
fields=${*#*--query-gpu=} fields=${fields%% *}
row=
for field in $(echo "$fields" | tr , ' '); do
  case " $unknown " in *" $field "*) echo "Field \\"$field\\" is not a valid field to query."; exit 2 ;; esac
  case $field in
    timestamp) value=$(date '+%Y/%m/%d %H:%M:%S.%3N') ;;
    compute_cap) value=9.0 ;;
    clocks.sm) value=1755 ;; power.draw.instant) value=640.25 ;; power.draw) value=300 ;;
    temperature.gpu) value=61 ;; clocks_*) value=0x0000000000000024 ;;
  esac
  row="$row${row:+, }$value"
done
echo "$row"
case "$*" in *--loop-ms*) while sleep 0.1; do echo "$(date '+%Y/%m/%d %H:%M:%S.%3N'), ${row#*, }"; done ;; esac
"""
TESTS = """case "$1" in
  --count) echo '[doctest] unskipped test cases passing the current filters: 3' ;;
  *) echo "[doctest] test cases: 3 | 3 passed" ;;
esac"""
NCU = """for word; do case $log in next) log=$word ;; '') [ "$word" != --log-file ] || log=next ;; esac; done
echo counts >"$log"
"""


@pytest.fixture
def gpu(root, tmp_path):
    """A folder with tools/measure-gpu, and stand-ins for the programs that it runs, which log their calls. Runs it."""
    bin = tmp_path / "bin"
    folder = tmp_path / "checkout"
    (folder / "labs/03-gpu").mkdir(parents=True)
    (folder / "tools").mkdir()
    shutil.copy(root / "tools/measure-gpu", folder / "tools")

    def stand_in(name, body):
        script(bin / name, f'echo "{name} $*" >>{tmp_path}/calls\n{body}')

    def program(name, body):
        """A program that the build makes."""
        script(tmp_path / "built" / name, f'echo "{os.path.basename(name)} $*" >>{tmp_path}/calls\n{body}')

    def run(*arguments, **environment):
        (tmp_path / "calls").write_text("")
        result = result_of(folder / "tools/measure-gpu", *arguments, cwd=folder,
                           env={"PATH": f"{bin}:{os.environ['PATH']}", "HOME": str(tmp_path), **environment})  # fmt: skip
        run.calls = (tmp_path / "calls").read_text().splitlines()
        return result

    run.folder, run.stand_in, run.program = folder, stand_in, program
    stand_in("nvidia-smi", GPU)
    for name in ("nvcc", "g++", "lscpu"):
        stand_in(name, f"echo {name}")
    stand_in("cmake", f'case "$1" in --build) cp -r {tmp_path}/built/. "$2" ;; esac')
    stand_in("python3", 'case "$1" in -c) ;; *) echo "torch.matmul  700.0 TFLOP/s" ;; esac')
    stand_in("ncu", NCU + 'while [ "${1#*/}" = "$1" ] || [ "$1" = "$log" ]; do shift; done; "$@"')
    stand_in("compute-sanitizer", 'while [ "${1#*/}" = "$1" ]; do shift; done; "$@"; echo "ERROR SUMMARY: 0 errors"')
    program("tests/labs/03-gpu/cuda/test-03-gpu-device", TESTS)
    program("tests/labs/03-gpu/cuda/race-03-gpu", 'sleep 0.3; echo "cuBLAS   46.0 TFLOP/s  100.00 % of cuBLAS"')
    program("tests/labs/03-gpu/cuda/banks-03-gpu", 'echo "load_1_float  ld   1"')
    program("bin/lab-03-gpu", 'while [ "$1" != --out ]; do shift; done; echo "{}" >"$2/03-gpu.json"; echo "  record: $2/03-gpu.json"')
    return run


def rows(run):
    """The table that is printed last: {step: (MHz, W, °C, result)}."""
    lines = run.stdout[run.stdout.index("\nstep "):].splitlines()[2:]
    cells = [re.fullmatch(r"(\S+) +\S+ +(\S+) +(\S+) +(\S+) +(.*)", line).groups() for line in lines]
    return {name: rest for name, *rest in cells}


def results(run):
    return {name: result.partition("; power")[0] for name, (*_, result) in rows(run).items()}


def test_the_first_call_runs_every_step_and_leaves_one_archive(gpu):
    run = gpu("all", "1")
    assert (run.returncode, run.stderr) == (0, "")
    found = rows(run)
    assert [*found] == ["environment", "build", "tests-fp32", "tests-bf16", "tests-fp8", "tests-tensor", "tests-decode", "tests-rest",
                        "race-fp32-4096", "race-fp32-2048", "race-fp32-3072", "race-fp32-4224", "race-fp32-8192",
                        "profile-probe", "profile-fp32-4096", "profile-banks", "racecheck-decode", "racecheck-fp32",
                        "synccheck-decode", "synccheck-fp32", "memcheck-decode", "memcheck-fp32", "memcheck-bf16"]  # fmt: skip
    assert {*results(run).values()} == {"ok"}
    assert found["race-fp32-4096"] == ["1755", "640", "61", "ok; power 100% heat 100%"]
    assert "cuBLAS   46.0 TFLOP/s" in run.stdout
    races = [call for call in gpu.calls if call.startswith("race-03-gpu fp32") and not call.endswith("1e-9 1")]
    assert races == [f"race-03-gpu fp32 {n} 0.2 3" for n in (4096, 2048, 3072, 4224, 8192)]
    assert [path.name for path in (gpu.folder / "results").iterdir()] == ["measure-gpu-1.tar.gz"]
    with tarfile.open(gpu.folder / "results/measure-gpu-1.tar.gz") as archive:
        names = {name.removeprefix("measure-gpu-1/") for name in archive.getnames()}
        table = archive.extractfile("measure-gpu-1/table.txt").read().decode()
    assert run.stdout.endswith(table)
    assert {"gpu.csv", "table.txt", "race-fp32-8192.txt", "fp32-4096.csv", "banks.csv", "build.txt"} <= names


def test_the_tests_of_a_token_run_alone_and_under_each_sanitizer(gpu, root):
    gpu("all", "1")
    decode = "-tc=weights times*,one token*"
    assert [call for call in gpu.calls if call.startswith("test-03-gpu-device -tc=weights")] == [f"test-03-gpu-device {decode}"] * 4
    for tool in ("racecheck", "synccheck", "memcheck"):
        assert [call for call in gpu.calls if f"--tool {tool} " in call and call.endswith(decode)]
    assert f"test-03-gpu-device -tce=fp32*,bf16*,fp8*,tensor*,{decode.removeprefix('-tc=')}" in gpu.calls
    tests = "".join((root / f"tests/labs/03-gpu/cuda/test_{what}_device.cu").read_text() for what in ("decode", "token"))
    assert 'TEST_CASE("weights times ' in tests and 'TEST_CASE("one token' in tests


def test_no_profile_changes_the_clock_or_hides_the_opponent(gpu):
    gpu("all", "1")
    profiles = [call for call in gpu.calls if call.startswith("ncu ")]
    assert len(profiles) == 3
    assert all("--clock-control none" in call and " -k " not in call and "--kernel" not in call for call in profiles)


def test_the_second_call_leaves_the_record_in_the_archive(gpu):
    git(gpu.folder, "init", "--quiet")
    git(gpu.folder, "add", ".")
    git(gpu.folder, "commit", "--quiet", "--message", "a")
    run = gpu("all", "2")
    assert run.returncode == 0 and "warning" not in run.stdout
    assert [*results(run)][2:] == ["lab-full", "race-bf16-uniform", "burst-bf16-uniform", "race-bf16-normal", "burst-bf16-normal",
                                   "race-bf16-zeros", "burst-bf16-zeros", "race-bf16-4096", "race-bf16-16384",
                                   "peers-bf16-uniform", "peers-bf16-normal", "peers-bf16-zeros", "peers-fp32"]  # fmt: skip
    races = [call.removeprefix("race-03-gpu ") for call in gpu.calls if call.startswith("race-03-gpu ")]
    assert races == [f"bf16 8192 0.2 3 data={data}{rest}" for data in ("uniform", "normal", "zeros") for rest in ("", " rest=0.3")] + [
        "bf16 4096 0.2 3", "bf16 16384 0.2 3"]  # fmt: skip
    with tarfile.open(gpu.folder / "results/measure-gpu-2.tar.gz") as archive:
        assert "measure-gpu-2/03-gpu.json" in archive.getnames()
    (gpu.folder / "tools/measure-gpu").write_text((gpu.folder / "tools/measure-gpu").read_text() + "\n")
    assert 'files differ from their commit, so the record says "dirty"' in gpu("all", "2").stdout


def test_without_a_commit_a_warning_says_so(gpu):
    assert "warning: git knows no commit here" in gpu("all", "2").stdout


def test_programs_that_exist_are_brought_up_to_date_and_those_of_another_processor_built_again(gpu):
    gpu("all", "2")
    stale = gpu.folder / "build-gpu/stale"
    stale.touch()
    gpu("all", "2")
    assert [call for call in gpu.calls if call.startswith("cmake --build build-gpu --target lab-03-gpu")]
    assert stale.exists()
    (gpu.folder / "build-gpu/processor").write_text("model name : another\n")
    assert gpu("all", "2").returncode == 0
    assert not stale.exists()


def test_where_the_build_fails_its_last_lines_are_shown_and_nothing_is_measured(gpu):
    gpu.stand_in("cmake", 'case "$1" in --build) echo "sgemm.cuh(3): error: no such thing"; exit 1 ;; esac')
    run = gpu("all", "1")
    assert run.returncode == 1
    assert results(run) == {"environment": "ok", "build": "failed, status 1: sgemm.cuh(3): error: no such thing"}
    assert not [call for call in gpu.calls if call.startswith("race")]


def test_a_step_that_no_longer_fits_is_named_and_shorter_ones_run(gpu):
    gpu.stand_in("nvcc", "sleep 4")
    result = results(gpu("all", "2", LIMIT="212"))
    assert re.fullmatch(r"left out: it takes about 205 s, and 20\d s were left", result["lab-full"])
    assert result["race-bf16-uniform"] == "ok"


def test_without_time_nothing_is_begun(gpu):
    run = gpu("all", "1", LIMIT="12")
    assert run.returncode == 1
    assert [re.sub(r"\d s were", "few s were", result) for result in results(run).values()] == [
        "left out: it takes about 10 s, and few s were left", "left out: it takes about 150 s, and few s were left"]  # fmt: skip


@pytest.mark.slow
def test_a_step_that_hangs_is_stopped_and_the_rest_runs(gpu):
    gpu.stand_in("nvcc", "sleep 1000")
    run = gpu("all", "2", LIMIT="230")
    assert results(run)["environment"] == "stopped after 20 s"
    assert results(run)["build"] == "ok"


def test_the_first_error_of_ncu_is_in_the_table(gpu):
    gpu.stand_in("ncu", NCU + "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >\"$log\"; exit 1")
    run = gpu("all", "1")
    assert run.returncode == 1
    assert results(run)["profile-probe"].startswith("failed, status 1: ==ERROR== ERR_NVGPUCTRPERM - The user does not have")
    assert results(run)["profiles"] == "left out: see profile-probe"
    assert results(run)["memcheck-bf16"] == "ok"


def test_an_error_of_ncu_counts_even_if_it_ends_well(gpu):
    gpu.stand_in("ncu", NCU + "echo '==ERROR== Failed to profile' >\"$log\"")
    assert results(gpu("all", "1"))["profile-probe"].endswith(": ==ERROR== Failed to profile")


def test_a_race_that_the_sanitizer_finds_is_a_failure(gpu):
    gpu.stand_in("compute-sanitizer", "case $* in *racecheck*) echo 'RACECHECK SUMMARY: 4 hazards'; exit 9 ;; esac")
    run = gpu("all", "1")
    assert run.returncode == 1 and "RACECHECK SUMMARY: 4 hazards" in run.stdout
    assert results(run)["racecheck-fp32"] == "failed, status 9: RACECHECK SUMMARY: 4 hazards"
    assert results(run)["synccheck-fp32"] == "ok"


def test_tests_that_fail_or_do_not_exist_are_failures(gpu):
    gpu.program("tests/labs/03-gpu/cuda/test-03-gpu-device", """case "$*" in
      --count*tensor*) echo '[doctest] unskipped test cases passing the current filters: 0' ;; *--count*) echo 'filters: 1' ;;
      *-tc=fp32*) echo 'test_gemm_device.cu:64: ERROR: CHECK( wrong == 0 )'; exit 1 ;; esac""")  # fmt: skip
    result = results(gpu("all", "1"))
    assert result["tests-fp32"] == "failed, status 1: test_gemm_device.cu:64: ERROR: CHECK( wrong == 0 )"
    assert result["tests-tensor"] == "failed, status 1: FAILED: no test matches -tc=tensor*"
    assert result["tests-bf16"] == "ok"


def test_if_the_lab_fails_its_steps_on_the_gpu_run_alone(gpu):
    gpu.program("bin/lab-03-gpu", """case "$*" in
      --help) echo '  --only STEP:{latency and bandwidth,GPU latency,ladders, predicted,GPU: matmul in fp32,GPU bandwidth of L2,GPU: weights times vectors,GPU: a token}'; exit ;;
      *--out*) echo 'lab-03-gpu: no'; exit 1 ;; esac""")  # fmt: skip
    result = results(gpu("all", "2"))
    assert result["lab-full"] == "failed, status 1: lab-03-gpu: no"
    assert [name for name in result if name.startswith("lab-GPU")] == [
        "lab-GPU-latency", "lab-GPU--matmul-in-fp32", "lab-GPU-bandwidth-of-L2", "lab-GPU--weights-times-vectors", "lab-GPU--a-token"]  # fmt: skip
    for step in ("matmul in fp32", "weights times vectors", "a token"):
        assert f"lab-03-gpu --budget full --only GPU: {step}" in gpu.calls


def test_without_triton_its_race_is_left_out(gpu):
    gpu.stand_in("python3", "exit 1")
    run = gpu("all", "2")
    assert run.returncode == 1
    assert results(run)["race-peers"] == "left out: python3 has no torch and triton that find the GPU"
    assert results(run)["race-bf16-16384"] == "ok"


def test_older_names_of_what_nvidia_smi_reports_are_used(gpu):
    run = gpu("all", "2", unknown="power.draw.instant clocks_event_reasons.active")
    assert rows(run)["race-bf16-uniform"] == ["1755", "300", "61", "ok; power 100% heat 100%"]
    assert "unknown" not in run.stdout


def test_what_nvidia_smi_does_not_report_is_said(gpu):
    run = gpu("all", "2", unknown="temperature.gpu clocks_event_reasons.active clocks_throttle_reasons.active")
    assert rows(run)["race-bf16-uniform"] == ["1755", "640", "-", "ok"]
    for quantity in ("temperature", "limits"):
        assert f"warning: the GPU's {quantity} is unknown: nvidia-smi has no value for it\n" in run.stdout


@pytest.mark.parametrize("arguments", [(), ("smoke",), ("all",), ("all", "3"), ("all", "1", "2")])
def test_other_calls_are_refused(gpu, arguments):
    run = gpu(*arguments)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", "usage: tools/measure-gpu deps | all 1 | all 2\n")


def deb(folder, name, megabytes):
    """A Debian package with one header."""
    header = folder / "usr/include" / f"{name}.hpp"
    header.parent.mkdir(parents=True)
    header.write_bytes(bytes(megabytes << 20))
    targets = folder / f"usr/lib/cmake/{name}/Targets.cmake"
    targets.parent.mkdir(parents=True)
    targets.write_text('set(_IMPORT_PREFIX "/usr")\n')  # as doctest's has
    (folder / "DEBIAN").mkdir()
    (folder / "DEBIAN/control").write_text(f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: b\n")
    subprocess.run(["dpkg-deb", "--build", "-Zgzip", "-z1", folder, folder.with_suffix(".deb")], check=True, capture_output=True)
    return folder.with_suffix(".deb")


@pytest.mark.parametrize(("megabytes", "fits"), [(1, True), (20, False)])
def test_the_headers_to_carry_are_fetched_and_weighed(gpu, tmp_path, megabytes, fits):
    package = deb(tmp_path / "some", "some", megabytes)
    gpu.stand_in("apt-get", f'shift; for name; do cp {package} "$name.deb"; mkdir -p ../usr/of; head -c {megabytes}M /dev/zero >../usr/of/"$name"; done')  # fmt: skip
    (gpu.folder / "deps/old").mkdir(parents=True)
    run = gpu("deps")
    assert gpu.calls == ["apt-get download nlohmann-json3-dev libcli11-dev doctest-dev libvalijson-dev"]
    if fits:
        (targets,) = (gpu.folder / "deps").rglob("Targets.cmake")
        (targets.parent / "script.cmake").write_text('include(Targets.cmake)\nmessage("${_IMPORT_PREFIX}")\n')
        said = subprocess.run(["cmake", "-P", "script.cmake"], cwd=targets.parent, capture_output=True, encoding="utf-8")
        assert said.stderr == f"{gpu.folder}/deps/usr\n"
    assert (gpu.folder / "deps/usr/include/some.hpp").exists() and not (gpu.folder / "deps/old").exists()
    assert run.returncode == (not fits)
    assert run.stdout.endswith("then run tools/measure-gpu all 1 there\n") if fits else re.fullmatch(
        r"measure-gpu: deps: deps/ has 10\d MiB: expected less than 64, the most that can be carried\n", run.stderr)  # fmt: skip


def test_a_lab_that_found_no_gpu_is_no_success(gpu):
    gpu.program("bin/lab-03-gpu", 'echo "  note: no GPU was measured: no CUDA device answers"')
    assert results(gpu("all", "2"))["lab-full"].startswith("failed, status 0:   note: no GPU was measured: no CUDA device answers")


def test_without_the_packages_one_line_says_what_to_do(gpu):
    gpu.stand_in("apt-get", "exit 100")
    run = gpu("deps")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.endswith("doctest-dev libvalijson-dev; run apt-get update first\n")


BOOST = "/usr/include/boost /usr/lib/*/cmake/Boost-*"


@pytest.fixture
def without_boost(root, tmp_path):
    """Runs a command in the project where Boost's files are hidden, with a GPU of compute capability 9.0."""
    script(tmp_path / "bin/nvidia-smi", GPU)
    hide = f'for folder in {BOOST}; do mount -t tmpfs none "$folder" || exit; done; exec "$@"'
    become_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    return lambda *command: result_of("unshare", *become_root, "--mount", "sh", "-c", hide, "sh", *command, cwd=root,
                                      env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nvcc", path=f"{os.environ['PATH']}:/usr/local/cuda/bin"), reason="needs the CUDA toolkit")
def test_with_cuda_the_lab_is_built_without_boost(without_boost, tmp_path):
    run = without_boost("cmake", "-S", ".", "-B", tmp_path / "build", "-G", "Ninja", "-DHARDWARE_FIRST_CUDA=ON")
    assert run.returncode == 0 and "Without the emulated GPU: there is no Boost.Context" in run.stdout, run.stderr
    run = without_boost("cmake", "--build", tmp_path / "build", "--target", "lab-03-gpu")
    assert run.returncode == 0, run.stdout
    assert "GPU" in result_of(tmp_path / "build/bin/lab-03-gpu", "--help").stdout


@pytest.mark.slow
@pytest.mark.parametrize("cuda", ["OFF", "AUTO"])
def test_otherwise_boost_is_required(without_boost, tmp_path, cuda):
    run = without_boost("cmake", "-S", ".", "-B", tmp_path, "-G", "Ninja", f"-DHARDWARE_FIRST_CUDA={cuda}")
    assert run.returncode != 0 and "Boost" in run.stderr


@pytest.mark.parametrize(("present", "compiled_for", "too_old"), [
    (["7.5"], "75", ""),
    (["7.0", "6.1"], "75;80;90a", "7.0 and 6.1"),
    (["7.0", "8.0"], "80", ""),
    (["9.0", "9.0"], "90a", ""),
    (["12.0"], "120", ""),
    ([], "75;80;90a", ""),
])  # fmt: skip
def test_gpus_that_lack_what_the_kernels_use_are_told_from_those_that_have_it(root, tmp_path, present, compiled_for, too_old):
    script(tmp_path / "bin/nvidia-smi", "\n".join(f"echo {capability}" for capability in present))
    asks = tmp_path / "asks.cmake"
    asks.write_text(f"cmake_minimum_required(VERSION 3.25)\ninclude({root}/cmake/find-cuda.cmake)\n"
                    'gpu_architectures(found)\ngpus_too_old(old)\nmessage("${found}|${old}")\n')  # fmt: skip
    run = result_of("cmake", "-DHARDWARE_FIRST_CUDA=OFF", "-P", asks,
                    env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})  # fmt: skip
    assert run.stderr == f"{compiled_for}|{too_old}\n"

"""tools/yours: a right kernel is raced, and each kind of wrong one is refused with a line that says what is wrong.

The kernels of a chapter are in yours/NN-slug.py: KERNEL, which is right and slow, with room for code before and after it; BETTER;
in WRONG, by what is wrong: the code before, the code after, and what the last line must say; and in REACHED, if nothing is timed,
the steps whose goals BETTER reaches. THREADS are ways to run the same loops, and MAY_USE is what else a kernel may use.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from programs import result_of, script

ROOT = Path(__file__).resolve().parents[2]


def module_in(file):
    loader = SourceFileLoader(file.stem, str(file))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(file.stem, loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
tool = module_in(ROOT / "tools/yours")
KERNELS = {file.stem: module_in(file) for file in sorted(Path(__file__).with_name("yours").glob("[0-9]*.py"))}


class Tried:
    """A chapter's kernels, and a folder for attempts."""

    def __init__(self, lab, folder):
        self.lab, self.folder, self.kernels = lab, folder, KERNELS[lab]
        self.source = folder / f"{lab}.cpp"
        self.attempts_folder = folder / "attempts" / lab
        self.command = [sys.executable, ROOT / "tools/yours", lab[:2], "--folder", folder]
        self.environment = {**os.environ, "BUDGET": "quick", "PYTHONUNBUFFERED": "1"}

    def __call__(self, source=None):
        """Tries a source; returns how it went, and the last line that was printed."""
        if source:
            self.source.write_text(source)
        run = result_of(*self.command, env=self.environment)
        return run, (run.stderr or run.stdout).strip().splitlines()[-1]

    def attempts(self):
        return [json.loads(file.read_text()) for file in sorted(self.attempts_folder.glob("*.json"))]


@pytest.fixture(params=KERNELS)
def tried(request, tmp_path):
    return Tried(request.param, tmp_path)


@pytest.fixture(scope="module", params=KERNELS)
def tried_twice(request, tmp_path_factory):
    """After two attempts, slow and better. Only to look at."""
    tried = Tried(request.param, tmp_path_factory.mktemp("yours"))
    for i, source in enumerate([tried.kernels.KERNEL % ("", ""), tried.kernels.BETTER], 1):
        run, last = tried(source)
        assert last.startswith(f"attempt {i}, "), run.stderr
    return tried


@pytest.fixture
def product(tmp_path):
    """For what is the same for all chapters."""
    return Tried("02-matmul", tmp_path)


def test_the_first_run_writes_the_slow_version_and_races_it(tried):
    run, last = tried()
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("wrote ")
    assert last.startswith("attempt 1, ")
    [attempt] = tried.attempts()
    rows = [row["id"] for heat in attempt["race"]["heats"][:1] for row in heat["rows"]]
    assert rows[:2] == tried.kernels.ROWS


def test_the_first_product_moves_the_bytes_of_the_naive_rung(product):
    product()
    [attempt] = product.attempts()
    for count in attempt["count"]:  # it is the naive rung, word for word
        assert count["yours"] == pytest.approx(count["others"][0]["value"], rel=0.01)


def test_a_better_kernel_costs_less_and_is_another_attempt(tried_twice):
    before, after = [{each["what"]: each["yours"] for each in attempt["count"]} for attempt in tried_twice.attempts()]
    what, times = tried_twice.kernels.LESS
    assert after[what] < before[what] / times
    assert (tried_twice.attempts_folder / "1.cpp").read_text() == tried_twice.kernels.KERNEL % ("", "")


def with_nvidia_smi(tried, does):
    """Puts a program before the driver's own, if there is one."""
    script(tried.folder / "bin/nvidia-smi", does)
    tried.environment["PATH"] = f"{tried.folder / 'bin'}:{os.environ['PATH']}"


def test_counts_alone_decide_without_a_gpu(tmp_path):
    tried = Tried("03-gpu", tmp_path)
    with_nvidia_smi(tried, "exit 9")
    run, _ = tried(tried.kernels.BETTER)
    assert "fast    not timed: this machine lacks an NVIDIA GPU\n" in run.stdout
    [attempt] = tried.attempts()
    path = json.loads((ROOT / "labs/03-gpu/yours/path.json").read_text())
    assert attempt["reached"] == [step["id"] for step in path["steps"]]
    assert attempt["race"]["heats"] == []


def test_a_gpu_that_cannot_be_used_is_no_success(tmp_path):
    if shutil.which("nvidia-smi"):
        pytest.skip("this machine's GPU can be used")
    tried = Tried("03-gpu", tmp_path)
    with_nvidia_smi(tried, "echo 'GPU 0: a card without a driver'")
    run, last = tried(tried.kernels.BETTER)
    if "-DHF_CUDA_BUILD" in (ROOT / "build/compile_commands.json").read_text():
        assert run.returncode == 1
        assert last.startswith("fast    no: throws an exception: cudaMalloc")
        assert not tried.attempts()
    else:
        assert "fast    not timed: this machine lacks nvcc from CUDA 12 or 13\n" in run.stdout


def test_counted_goals_are_reached(tried_twice):
    if not hasattr(tried_twice.kernels, "REACHED"):
        pytest.skip("its goals are about times")
    assert [attempt["reached"] for attempt in tried_twice.attempts()] == [[], tried_twice.kernels.REACHED]


def test_the_same_source_again_is_the_same_attempt(product):
    for _ in range(2):
        assert product(product.kernels.BETTER)[1].startswith("attempt 1, ")


@pytest.mark.parametrize(("lab", "what"), [(lab, what) for lab, kernels in KERNELS.items() for what in kernels.WRONG])
def test_a_wrong_kernel_is_refused(tmp_path, lab, what):
    tried = Tried(lab, tmp_path)
    before, after, message = tried.kernels.WRONG[what]
    if what == "no end":
        tried.command += ["--patience", "4"]
    run, _ = tried(tried.kernels.KERNEL % (before, after))
    assert run.returncode == 1
    assert message.replace(f"yours/{lab}.cpp", os.path.relpath(tried.source, ROOT)) in run.stderr
    assert len(run.stderr.splitlines()) <= 3
    assert not tried.attempts()


def counted(product, source):
    run, last = product(source)
    assert last.startswith("attempt "), run.stderr
    return {each["what"]: each["yours"] for each in product.attempts()[-1]["count"]}


@pytest.mark.parametrize("threads", [each for each in KERNELS["02-matmul"].THREADS if each != "this thread"])
def test_the_bytes_of_all_threads_count(product, threads):
    alone, others = (counted(product, product.kernels.ROWS_OF % product.kernels.THREADS[each]) for each in ("this thread", threads))
    what = "bytes per multiply-add between registers and L1"
    assert others[what] == pytest.approx(alone[what], rel=0.001)


def test_the_flops_of_all_threads_count(tmp_path):
    tried = Tried("01-roofline", tmp_path)
    run, last = tried(tried.kernels.THREADED)
    assert last.startswith("attempt 1, "), run.stderr


@pytest.mark.parametrize("what", KERNELS["02-matmul"].MAY_USE)
def test_a_kernel_may_use(product, what):
    run, last = product(product.kernels.KERNEL % (product.kernels.MAY_USE[what], ""))
    assert last.startswith("attempt 1, "), run.stderr


def test_bytes_that_are_copied_count(product):
    copies = "std::vector<float> copy(k * n + 1); for (std::size_t i = 0; i < m; ++i) std::memcpy(copy.data(), b, 4 * k * n);"
    before, after = (counted(product, product.kernels.KERNEL % (code, "")) for code in ("", copies))
    what = "bytes per multiply-add between registers and L1"
    assert after[what] == pytest.approx(before[what] + 8, rel=0.01)


def test_another_function_is_refused(product):
    run, last = product('extern "C" void another() {}\n')
    assert run.returncode == 1
    assert 'has no function extern "C" product' in last


@pytest.mark.parametrize("parameters", ["int m, int n, int k, const float* a, const float* b, float* c", "std::size_t m"])
def test_other_parameters_are_refused(product, parameters):
    run, last = product(f'#include <cstddef>\nextern "C" void product({parameters}) {{}}\n')
    assert run.returncode == 1
    assert last == '  extern "C" void product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c)'


def test_warnings_are_shown(product):
    run, last = product("[[maybe_unused]] static int half(double x) { int unused; return x / 2; }\n" + product.kernels.BETTER)
    assert last.startswith("attempt 1, ")
    assert f"{os.path.relpath(product.source, ROOT)}:1:" in run.stdout
    assert "warning: unused variable" in run.stdout


def test_a_hint_is_for_the_next_step(tried):
    tried.command.append("--hint")
    path = json.loads((ROOT / f"labs/{tried.lab}/yours/path.json").read_text())
    run, _ = tried()
    assert f"hint    {path['steps'][0]['hint']}\n" in run.stdout


def test_an_attempt_with_a_key_twice_is_named(tmp_path):
    attempt = tmp_path / "attempts/02-matmul/1.json"
    attempt.parent.mkdir(parents=True)
    attempt.write_text('{"reached": ["right"], "reached": []}')
    run = result_of(sys.executable, ROOT / "tools/yours", "--folder", tmp_path)
    assert (run.returncode, run.stderr) == (1, f'{attempt}: expected each key once, not "reached" again; keep one of them\n')


def test_a_pipe_that_closes_is_no_error(product):
    run = subprocess.run(f"{' '.join(map(str, product.command))} | head -1", shell=True, executable="/bin/bash",
                         capture_output=True, text=True, env=product.environment)
    assert run.stdout.startswith("wrote ")
    assert run.stderr == ""


def test_a_chapter_without_a_kernel_is_refused():
    run = result_of(sys.executable, ROOT / "tools/yours", "99")
    assert run.returncode == 1
    assert run.stderr.startswith("chapter 99 has no kernel to write; these have: 01, 02")


def test_watching_tries_again_when_the_file_is_saved(product):
    product.source.write_text(product.kernels.KERNEL % ("int x = ;", ""))
    with subprocess.Popen([*product.command, "--watch"], stdout=subprocess.PIPE, text=True, env=product.environment) as run:
        try:
            lines = iter(run.stdout.readline, "")
            assert any(line.startswith("waiting for ") for line in lines)
            product.source.write_text(product.kernels.KERNEL % ("", ""))
            assert any(line.startswith("attempt 1, ") for line in lines)
        finally:
            run.terminate()


def test_an_attempt_is_not_a_record(tried_twice, tmp_path):
    record = ROOT / "build/bin/record"
    run = result_of(record, "publish", tried_twice.attempts_folder / "1.json", "--to", tmp_path / "published")
    assert run.returncode != 0
    assert not (tmp_path / "published").exists()


def test_the_figure_has_a_star_for_each_attempt(tried_twice, tmp_path):
    tried = tried_twice
    if not tried.kernels.STARS:
        pytest.skip("this chapter has no figure of its attempts")
    figure = json.loads((ROOT / "labs" / tried.lab / "yours/path.json").read_text())["figure"]
    record = ROOT / f"figures/records/amd-epyc-zen-5-2-cores-vm/{tried.lab}.json"

    def draw(*more):
        result_of(sys.executable, ROOT / "site/press/pictures/gnuplot.py", ROOT / f"figures/{figure}.gp", "--record", record, "--out",
                     tmp_path / "drawn", *more, check=True)
        return (tmp_path / f"drawn/{figure}.svg").read_text()

    def stars(drawn):
        return sum(len(points.split()) == 10 for points in re.findall(r'<polygon[^>]* points="([^"]*)"', drawn))

    without, with_stars = draw(), draw("--yours", tried.attempts_folder)
    assert "yours" not in without
    assert ">yours<" in with_stars
    assert stars(with_stars) == stars(without) + 2 * tried.kernels.STARS


def raced(name="N = 1000", disturbed="", noise=0.01, **shares):
    """A race at one size, by the shares of the roof's speed."""
    rows = [{"id": each, "label": each, "median": 100 * share, "low": 1, "high": 1, "of_roof": share}
            for each, share in {"yours": 0.7, "naive": 0.03, **shares}.items()]
    heat = {"name": name, "x": 1, "rows": rows, **({"noise": noise} if noise is not None else {})}
    return {"unit": "GFLOP/s", "disturbed": disturbed, "heats": [heat]}


TILED = [{"what": "bytes per multiply-add between registers and L1", "yours": 0.8, "others": [{"label": "packing", "value": 0.7}]}]
UNDISTURBED = [step["id"] for step in json.loads((ROOT / "labs/02-matmul/yours/path.json").read_text())["steps"]]


@pytest.fixture
def judged(tmp_path, capsys):
    """Judges a race: returns the ids of the steps that were reached, and the lines that were printed."""
    def judge(race, counted=TILED, lab="02-matmul"):
        path = tool.path_of(lab[:2], tmp_path)
        tool.print_steps(path, counted, race)
        return tool.reached(path, counted, race), capsys.readouterr().out.splitlines()
    return judge


def test_a_quiet_race_reaches_every_goal(judged):
    done, lines = judged(raced())
    assert done == UNDISTURBED
    assert [line[2] for line in lines] == ["✓", "✓", "✓"]


def test_a_disturbed_race_reaches_none(judged):
    done, lines = judged(raced(disturbed="other programs took 43% of the processor's time"))
    assert done == []
    assert [line[2] for line in lines[:-1]] == ["·", "·", "·"]
    assert lines[0].endswith("; yours: 23.3× (the race was disturbed, so it does not decide this).")
    assert lines[1].endswith("; yours: 0.8 (it counts once the step above is reached).")
    assert lines[-1] == "  disturbed: other programs took 43% of the processor's time; run it again"


def test_a_race_faster_than_its_roof_is_disturbed(judged):
    done, lines = judged(raced(yours=1.1))
    assert done == []
    assert lines[-1] == "  disturbed: another program slowed one thread's peak, which is below your speed; run it again"


def test_a_disturbed_race_leaves_no_step_in_the_attempt(tmp_path):
    path = tool.path_of("02", tmp_path)
    path.source.write_text("// a kernel\n")
    for race, steps in [(raced(disturbed="other programs"), []), (raced(), UNDISTURBED)]:
        tool.keep(path, TILED, race, ["c++"])
        assert path.records()[-1]["reached"] == steps


def test_what_is_computed_is_decided_in_a_disturbed_race(judged):
    done, _ = judged(raced("wire, 1 MiB", "other programs", None, yours=1, ring=1, doubling=9), [], "05-scaling")
    assert done == ["share"]


def test_a_quick_race_says_what_it_does_not_decide(judged):
    done, lines = judged(raced("N = 100"))
    assert done == []
    assert lines[0].endswith("; yours: 23.3× at N = 100 (a quick race does not decide it: BUDGET=full make yours-02).")
    assert lines[2].endswith("; yours: 70% at N = 100 (a quick race does not decide it: BUDGET=full make yours-02).")


def test_a_step_that_waits_for_another_says_so(judged):
    done, lines = judged(raced(naive=0.3))
    assert done == []
    assert lines[0].endswith("; yours: 2.33×.")
    assert lines[1].endswith("; yours: 0.8 (it counts once the step above is reached).")
    done, lines = judged(raced(naive=0.3), [{**TILED[0], "yours": 8}])
    assert lines[1].endswith("; yours: 8.")


def test_compiling_the_trial_is_announced(tmp_path, monkeypatch, capsys):
    """CMake writes Ninja's file again before each build, as in the project's own folder."""
    (tmp_path / "build.ninja").write_text("rule compile\n  command = touch $out\n  description = Building $out\n"
                                          "build yours-02-matmul: compile source\nbuild record: compile source\n"
                                          "rule write\n  command = true\n  restat = 1\nbuild again: phony\n"
                                          "build build.ninja: write again\n")
    (tmp_path / "source").touch()
    monkeypatch.setattr(tool, "BUILD", tmp_path)
    ordinary = tool.run
    monkeypatch.setattr(tool, "run", lambda command, **more: ordinary(
        ["ninja", "-C", tmp_path, *command[1:]] if command[0] == ROOT / "tools/build" else command, **more))
    said = []
    for _ in range(2):
        tool.build(tool.path_of("02", tmp_path))
        said.append(capsys.readouterr().out)
    assert said[0].startswith("compiling the trial (once)")
    assert said[1] == ""

"""tools/yours: a right kernel is raced, and each kind of wrong one is refused with a line that says what is wrong."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from yours_cases import CASES, PRODUCT

ROOT = Path(__file__).resolve().parents[2]
QUICK = {**os.environ, "BUDGET": "quick"}


def attempt(case, folder, source=None, *options):
    """Tries a source, or what is in the folder: the run, and the last line that it printed."""
    if source:
        (folder / f"{case.lab}.cpp").write_text(source)
    run = subprocess.run([sys.executable, ROOT / "tools/yours", case.number, "--folder", folder, "--patience", "2", *options],
                         capture_output=True, text=True, env=QUICK)
    return run, (run.stderr or run.stdout).strip().splitlines()[-1]


def attempts(case, folder):
    files = sorted((folder / "attempts" / case.lab).glob("*.json"))
    return [json.loads(file.read_text()) for file in files]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.number)
def tried(request, tmp_path_factory):
    """Each chapter with its first version and then a better one: the case, the folder, and both runs."""
    case, folder = request.param, tmp_path_factory.mktemp(request.param.lab)
    return case, folder, [attempt(case, folder), attempt(case, folder, case.better)]


def test_the_first_run_writes_the_slow_version_and_races_it(tried):
    case, folder, [(run, last), _] = tried
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("wrote ")
    assert last.startswith("attempt 1, ")
    for heat in attempts(case, folder)[0]["race"]["heats"]:
        assert [row["id"] for row in heat["rows"]][:2] == ["yours", case.slowest]


def test_a_better_version_moves_fewer_bytes_and_is_another_attempt(tried):
    case, folder, [_, (run, last)] = tried
    assert run.returncode == 0 and last.startswith("attempt 2, "), run.stderr
    slow, better = [{each["what"]: each["yours"] for each in attempt["count"]} for attempt in attempts(case, folder)]
    what, times = case.fewer
    assert better[what] < slow[what] / times
    assert (folder / "attempts" / case.lab / "1.cpp").read_text() == (ROOT / "labs" / case.lab / "yours/start.cpp").read_text()


def test_the_figure_has_a_star_for_each_attempt(tried, tmp_path):
    case, folder, _ = tried
    record = next((ROOT / "figures/records").glob(f"amd*/{case.lab}.json"))
    draw = lambda *more: subprocess.run(
        [sys.executable, ROOT / "site/hardware_first/draw.py", ROOT / f"figures/{case.figure}.gp", "--record", record,
         "--out", tmp_path, *more], check=True, capture_output=True, text=True) and (tmp_path / f"{case.figure}.svg").read_text()
    without, with_stars = draw(), draw("--yours", folder / "attempts" / case.lab)
    assert "yours" not in without
    assert re.search(r">yours[<,]", with_stars)
    stars = lambda drawn: sum(len(points.split()) == 10 for points in re.findall(r'<polygon [^>]*points="([^"]*)"', drawn))
    assert stars(with_stars) == stars(without) + case.stars


def test_every_step_has_a_goal_that_a_race_decides(tried):
    case, folder, _ = tried
    told = json.loads((ROOT / "labs" / case.lab / "yours/path.json").read_text())
    heat = attempts(case, folder)[0]["race"]["heats"][-1]
    values = {"roof_share"} | {"over_" + row["id"] for row in heat["rows"]}
    assert {step["value"] for step in told["steps"]} <= values
    for step in told["steps"]:
        file, function = step["solution"].rsplit(", ", 1)
        assert re.search(rf"\b{function}\b", (ROOT / file).read_text())


def test_the_naive_product_moves_what_its_rung_does(tried):
    case, folder, _ = tried
    if case is PRODUCT:
        for count in attempts(case, folder)[0]["count"]:  # it is the naive rung, word for word
            assert count["yours"] == pytest.approx(count["others"][0]["value"], rel=0.01)


def test_the_same_source_again_is_the_same_attempt(tmp_path):
    assert [attempt(PRODUCT, tmp_path, PRODUCT.better)[1][:10] for _ in range(2)] == ["attempt 1,"] * 2


@pytest.mark.parametrize("case, what", [pytest.param(case, what, id=f"{case.number} {what}") for case in CASES for what in case.wrong])
def test_a_wrong_kernel_is_refused(case, what, tmp_path):
    before, after, message = case.wrong[what]
    run, last = attempt(case, tmp_path, case.with_code(before, after))
    assert run.returncode == 1
    assert message.replace("yours/", os.path.relpath(tmp_path, ROOT) + "/") in last
    assert not attempts(case, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.number)
def test_the_first_error_of_the_compiler_is_shown(case, tmp_path):
    source = case.with_code("int first = ;", "int second = ;")
    line = source[:source.index("int first")].count("\n") + 1
    run, _ = attempt(case, tmp_path, source)
    assert run.returncode == 1
    assert run.stderr.startswith("builds  no: ") and f".cpp:{line}:" in run.stderr and "second" not in run.stderr
    assert len(run.stderr.splitlines()) <= 3


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.number)
def test_another_function_is_refused(case, tmp_path):
    run, last = attempt(case, tmp_path, "extern \"C\" void another() {}\n")
    assert run.returncode == 1
    assert f'has no function extern "C" {case.function}' in last


def test_a_chapter_without_a_kernel_is_refused():
    run = subprocess.run([sys.executable, ROOT / "tools/yours", "99"], capture_output=True, text=True)
    assert run.returncode == 1
    have = ", ".join(sorted(folder.parent.name[:2] for folder in ROOT.glob("labs/[0-9][0-9]-*/yours")))
    assert run.stderr.strip() == f"chapter 99 has no kernel to write; these have: {have}"


def test_watching_tries_again_when_the_file_is_saved(tmp_path):
    source = tmp_path / "02-matmul.cpp"
    source.write_text(PRODUCT.with_code("int x = ;"))
    with subprocess.Popen([sys.executable, ROOT / "tools/yours", "02", "--folder", tmp_path, "--watch"], stdout=subprocess.PIPE, text=True,
                          env={**QUICK, "PYTHONUNBUFFERED": "1"}) as run:
        try:
            lines = iter(run.stdout.readline, "")
            assert any(line.startswith("waiting for ") for line in lines)
            source.write_text(PRODUCT.with_code())
            assert any(line.startswith("attempt 1, ") for line in lines)
        finally:
            run.terminate()


def test_an_attempt_is_not_a_record(tried, tmp_path):
    case, folder, _ = tried
    run = subprocess.run([ROOT / "build/bin/record", "publish", folder / "attempts" / case.lab / "1.json", "--to", tmp_path / "published"],
                         capture_output=True, text=True)
    assert run.returncode != 0
    assert not (tmp_path / "published").exists()

"""tools/yours: a right kernel is raced, and each kind of wrong one is refused with a line that says what is wrong."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = """#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>
extern "C" void product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  %s
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
  %s
}
"""
INTERCHANGED = """#include <cstddef>
extern "C" void product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
}
"""
# What is wrong with the product: code before and after its loops, and what the last line must say.
WRONG = {
    "an edge": ("", "if (n == 33) c[2] += 1;", r"right   no: c[0][2] is "),
    "past its end": ("if (m > 33) *(volatile float*)(c + m * n) = 1;", "",
                     "right   no: touches c[2304], past its end: c has 2304 elements, for 48 × 48 times 48 × 48"),
    "before its begin": ("if (m == 31) *(volatile float*)(c - 1) = 1;", "", "right   no: writes before the begin of a matrix"),
    "an input": ("if (m == 31) const_cast<float*>(a)[3] = 1;", "", "right   no: writes to a[3], which is an input"),
    "unwritten": ("if (m == 0 || n == 0) return; m -= 1;", "m += 1;", "right   no: c[0][0] is not a number: perhaps it was never written"),
    "a crash": ("if (m == 32) *(volatile int*)8 = 1;", "",
                "right   no: touches an address that belongs to none of its arrays, for 32 × 32 times 32 × 32"),
    "an abort": ("if (m == 32) std::terminate();", "", "right   no: ends with SIGABRT, for 32 × 32 times 32 × 32"),
    "its own buffer": ("float sums[16]; volatile std::size_t last = m; if (m == 17) sums[last] = 1; if (m > 99) c[0] = sums[0];", "",
                       "right   no: yours/02-matmul.cpp:6: "),
    "no end": ("for (volatile std::size_t x = 0; n == 17; ++x) {}", "", "right   no: does not end: "),
    "a remembered result": ("static std::vector<float> kept; static const float* of; "
                            "if (of == a && kept.size() == m * n && m * n > 0) { std::memcpy(c, kept.data(), m * n * 4); return; }",
                            "kept.assign(c, c + m * n); of = a;", "right   no: c[0][0] is "),
    "a late write": ("std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); if (m * n > 0) c[0] = 1; }).detach();",
                     "", "right   no: writes to c[0] after it has returned"),
    "a thread that stays": ("static bool started = false; if (!started) { started = true; "
                            "std::thread([] { for (volatile unsigned x = 0;; ++x) {} }).detach(); }", "",
                            "right   no: threads still compute after it has returned"),
    "no function": ("}\nvoid other() { std::size_t m = 0, n = 0, k = 0; const float *a = nullptr, *b = nullptr; float* c = nullptr;", "",
                    None),
}


@pytest.fixture
def tried(tmp_path):
    """Tries a source and returns what was printed, the last line of it, and the status."""
    def of(source=None, *options):
        if source:
            (tmp_path / "02-matmul.cpp").write_text(source)
        run = subprocess.run([sys.executable, ROOT / "tools/yours", "02", "--folder", tmp_path, *options], capture_output=True, text=True,
                             env={**os.environ, "BUDGET": "quick"})
        return run, (run.stderr or run.stdout).strip().splitlines()[-1]
    return of


def attempts(folder):
    files = sorted((folder / "attempts/02-matmul").glob("*.json"))
    return [json.loads(file.read_text()) for file in files]


def test_the_first_run_writes_the_slow_version_and_races_it(tried, tmp_path):
    run, last = tried()
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("wrote ")
    assert last.startswith("attempt 1, ")
    [attempt] = attempts(tmp_path)
    assert [row["id"] for row in attempt["race"]["heats"][0]["rows"]][:2] == ["yours", "naive"]
    for count in attempt["count"]:  # it is the naive rung, word for word
        assert count["yours"] == pytest.approx(count["others"][0]["value"], rel=0.01)


def test_a_better_order_moves_fewer_bytes_and_is_another_attempt(tried, tmp_path):
    tried(PRODUCT % ("", ""))
    run, last = tried(INTERCHANGED)
    assert run.returncode == 0 and last.startswith("attempt 2, ")
    naive, interchanged = [{each["what"]: each["yours"] for each in attempt["count"]} for attempt in attempts(tmp_path)]
    what = "bytes per multiply-add between L1 and L2"
    assert interchanged[what] < naive[what] / 8
    assert (tmp_path / "attempts/02-matmul/1.cpp").read_text() == PRODUCT % ("", "")
    assert tried(INTERCHANGED)[1].startswith("attempt 2, "), "the same source again is the same attempt"


@pytest.mark.parametrize("what", [each for each in WRONG if WRONG[each][2]])
def test_a_wrong_product_is_refused(tried, tmp_path, what):
    before, after, message = WRONG[what]
    run, last = tried(PRODUCT % (before, after))
    assert run.returncode == 1
    assert message.replace("yours/02-matmul.cpp", os.path.relpath(tmp_path / "02-matmul.cpp", ROOT)) in last
    assert not attempts(tmp_path)


def test_the_first_error_of_the_compiler_is_shown(tried):
    run, _ = tried(PRODUCT % ("int x = ;", "int y = ;"))
    assert run.returncode == 1
    assert run.stderr.startswith("builds  no: ") and ":6:" in run.stderr and ":15:" not in run.stderr
    assert len(run.stderr.splitlines()) <= 3


def test_another_function_is_refused(tried):
    run, last = tried("extern \"C\" void produkt() {}\n")
    assert run.returncode == 1
    assert 'has no function extern "C" product' in last


def test_a_chapter_without_a_kernel_is_refused():
    run = subprocess.run([sys.executable, ROOT / "tools/yours", "99"], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.startswith("chapter 99 has no kernel to write; these have: 02")


def test_watching_tries_again_when_the_file_is_saved(tmp_path):
    source = tmp_path / "02-matmul.cpp"
    source.write_text(PRODUCT % ("int x = ;", ""))
    with subprocess.Popen([sys.executable, ROOT / "tools/yours", "02", "--folder", tmp_path, "--watch"], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "BUDGET": "quick", "PYTHONUNBUFFERED": "1"}) as run:
        try:
            lines = iter(run.stdout.readline, "")
            assert any(line.startswith("waiting for ") for line in lines)
            source.write_text(PRODUCT % ("", ""))
            assert any(line.startswith("attempt 1, ") for line in lines)
        finally:
            run.terminate()


def test_an_attempt_is_not_a_record(tried, tmp_path):
    tried(PRODUCT % ("", ""))
    record = ROOT / "build/bin/record"
    run = subprocess.run([record, "publish", tmp_path / "attempts/02-matmul/1.json", "--to", tmp_path / "published"],
                         capture_output=True, text=True)
    assert run.returncode != 0
    assert not (tmp_path / "published").exists()


def test_the_figure_has_a_star_for_each_attempt(tried, tmp_path):
    tried(PRODUCT % ("", ""))
    tried(INTERCHANGED)
    script = ROOT / "figures/02-ladder.gp"
    record = next((ROOT / "figures/records").glob("*/02-matmul.json"))
    draw = lambda *more: subprocess.run(
        [sys.executable, ROOT / "site/hardware_first/draw.py", script, "--record", record, "--out", tmp_path / "drawn", *more],
        check=True, capture_output=True, text=True) and (tmp_path / "drawn/02-ladder.svg").read_text()
    without, with_stars = draw(), draw("--yours", tmp_path / "attempts/02-matmul")
    assert "yours" not in without
    assert ">yours<" in with_stars
    stars = lambda drawn: sum(len(points.split()) == 10 for points in re.findall(r'<polygon points="([^"]*)"', drawn))
    assert stars(with_stars) == stars(without) + 4, "two attempts at two sizes"

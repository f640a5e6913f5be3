"""Chains of operators for tests/cli/test_yours.py."""

KERNEL = """#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>
extern "C" void chain(std::size_t count, const float* x, float* first, float* second, float* y) {
  %s
  for (std::size_t i = 0; i < count; ++i) first[i] = x[i] > 0 ? x[i] : 0;
  for (std::size_t i = 0; i < count; ++i) second[i] = first[i] * 0.5f;
  for (std::size_t i = 0; i < count; ++i) y[i] = second[i] + 1;
  %s
}
"""
BETTER = """#include <cstddef>
extern "C" void chain(std::size_t count, const float* x, float*, float*, float* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] = (x[i] > 0 ? x[i] : 0) * 0.5f + 1;
}
"""
LESS = ("bytes per number between L2 and beyond, without stores past the caches", 2.5)
ROWS = ["yours", "three_passes"]
STARS = 1
FOREVER = "for (volatile unsigned z = 0;; ++z) {}"
WRONG = {
    "an edge": ("", "if (count == 33) y[32] = 3;", "right   no: y[32] is 3, expected "),
    "a number beyond the blocks": ("", "if (count > 4096 && count % 16 == 1) y[count - 1] += 1;", "(4097 numbers)"),
    "whole registers only": ("if (count > 64) count = count / 16 * 16;", "", "right   no: y[64] is not a number: perhaps it was never written"),
    "past its end": ("if (count == 65) *(volatile float*)(second + 72) = 1;", "",
                     "right   no: touches second[72], past its end: second has 65 elements, for 65 numbers"),
    "before its start": ("if (count == 31) *(volatile float*)(first - 1) = 1;", "", "right   no: writes before the start of first"),
    "an input": ("if (count == 31) const_cast<float*>(x)[3] = 1;", "", "right   no: writes to x[3], which is an input"),
    "a crash": ("if (count == 32) *(volatile int*)8 = 1;", "",
                "right   no: touches an address that belongs to none of its arrays, for 32 numbers"),
    "no end": (f"if (count == 17) {FOREVER}", "", "right   no: does not end: "),
    "a remembered result": ("static std::vector<float> kept; static const float* of; if (of == x && kept.size() == count && count > 0) "
                            "{ std::memcpy(y, kept.data(), count * 4); return; }",
                            "kept.assign(y, y + count); of = x;", "right   no: y["),
    "remembered in the race": ("static bool done = false; if (count > 1100000) { if (done) return; done = true; }", "",
                               "fast    no: y[0] is not a number"),
    "a late write": ("std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); if (count > 0) y[0] = 1; }).detach();",
                     "", "right   no: writes to y[0] after it has returned"),
    "a word of C++": ("int z = ;", "int w = ;", "builds  no: yours/07-compilers.cpp:6:"),
}

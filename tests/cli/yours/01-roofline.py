"""Loops for tests/cli/test_yours.py."""

KERNEL = """#include <cstddef>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>
constexpr double flops = 2, bytes = 12;
template <class Number> void loop(std::size_t n, const Number* x, Number* y) {
  %s
  for (std::size_t i = 0; i < n; ++i) y[i] += Number(0.3);
  for (std::size_t i = 0; i < n; ++i) y[i] *= x[i];
  %s
}
"""
BETTER = """#include <cstddef>
constexpr double flops = 2, bytes = 12;
template <class Number> void loop(std::size_t n, const Number* x, Number* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = (y[i] + Number(0.3)) * x[i];
}
"""
# The better kernel in two threads.
THREADED = """#include <cstddef>
#include <thread>
constexpr double flops = 2, bytes = 12;
template <class Number> void part(std::size_t from, std::size_t to, const Number* x, Number* y) {
  for (std::size_t i = from; i < to; ++i) y[i] = (y[i] + Number(0.3)) * x[i];
}
template <class Number> void loop(std::size_t n, const Number* x, Number* y) {
  std::thread half(part<Number>, 0, n / 2, x, y);
  part(n / 2, n, x, y);
  half.join();
}
"""
LESS = ("bytes per element between registers and L1", 1.6)
ROWS = ["yours", "roof"]
STARS = 1


def fast(code):
    """Code for the loop that is checked and timed, not for those that count."""
    return f"if constexpr (std::is_same_v<Number, float>) {{ {code} }}"


FOREVER = "for (volatile unsigned z = 0;; ++z) {}"
WRONG = {
    "an edge": ("", fast("if (n == 33) y[2] += 1;"), "right   no: y[2] is "),
    "an element beyond the blocks": ("", fast("if (n > 4096 && n % 16 == 1) y[n - 1] += 1;"), "(n = 4097)"),
    "past its end": (fast("if (n > 32) *(volatile float*)(y + n) = 1;"), "",
                     "right   no: touches y[33], past its end: y has 33 elements, for n = 33"),
    "before its start": (fast("if (n == 31) *(volatile float*)(y - 1) = 1;"), "", "right   no: writes before the start of y"),
    "an input": (fast("if (n == 31) const_cast<float*>(x)[3] = 1;"), "", "right   no: writes to x[3], which is an input"),
    "a crash": (fast("if (n == 32) *(volatile int*)8 = 1;"), "",
                "right   no: touches an address that belongs to none of its arrays, for n = 32"),
    "no end": (fast(f"if (n == 17) {FOREVER}"), "", "right   no: does not end: "),
    "a remembered result": ("static std::vector<Number> kept; " + fast("if (kept.size() == n && n > 0) { "
                            "std::memcpy(y, kept.data(), n * sizeof(float)); return; }"),
                            "kept.assign(y, y + n);", "right   no: y[0] is "),
    "a late write": ("", fast("std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); "
                              "if (n > 0) y[0] = 1; }).detach();"), "right   no: writes to y[0] after it has returned"),
    "a thread that stays": (fast(f"static bool started = false; if (!started) {{ started = true; "
                                 f"std::thread([] {{ {FOREVER} }}).detach(); }}"), "",
                            "right   no: threads are still computing after it has returned"),
    "more FLOPs than declared": ("", "for (std::size_t i = 0; i < n; ++i) y[i] -= 1;",
                                 "counts  no: declares 2 FLOPs for each element, but 3 were counted"),
    "other bytes than declared": ("for (std::size_t i = 0; i < n; ++i) y[i] = x[i];", "",
                                  "counts  no: declares 12 bytes for each element, but 8 were counted"),
    "a word of C++": ("int z = ;", "int w = ;", "builds  no: yours/01-roofline.cpp:8:"),
}

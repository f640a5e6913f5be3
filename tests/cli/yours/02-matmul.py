"""Products for tests/cli/test_yours.py."""

KERNEL = """#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
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
BETTER = """#include <cstddef>
extern "C" void product(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
}
"""
# What the better kernel has less of, and how many times less at least.
LESS = ("bytes per multiply-add between L1 and L2", 8)
ROWS = ["yours", "naive"]
STARS = 2  # of an attempt in a quick race: a star for each size
CRASH = "*(volatile int*)8 = 1;"
FOREVER = "for (volatile unsigned x = 0;; ++x) {}"

# The same loops, by who runs them: all move the same bytes.
ROWS_OF = """#include <cstddef>
#include <thread>
using std::size_t;
static void rows(size_t from, size_t to, size_t n, size_t k, const float* a, const float* b, float* c) {
  for (size_t i = from; i < to; ++i) {
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
extern "C" void product(size_t m, size_t n, size_t k, const float* a, const float* b, float* c) {
  %s
}
"""
THREADS = {
    "this thread": "rows(0, m, n, k, a, b, c);",
    "another thread": "std::thread(rows, 0, m, n, k, a, b, c).join();",
    "two threads": "std::thread half(rows, 0, m / 2, n, k, a, b, c), rest(rows, m / 2, m, n, k, a, b, c); half.join(); rest.join();",
    "threads, one after the other": "for (size_t i = 0; i < m; ++i) std::thread(rows, i, i + 1, n, k, a, b, c).join();",
    "OpenMP": "\n#pragma omp parallel for\nfor (size_t i = 0; i < m; ++i) rows(i, i + 1, n, k, a, b, c);",
    "OpenMP as it comes": "\n#pragma omp parallel for schedule(dynamic) num_threads(3)\n"
                          "for (size_t i = 0; i < m; ++i) rows(i, i + 1, n, k, a, b, c);",
}
# What a kernel may use, as code before its loops.
MAY_USE = {
    "a static vector": "static std::vector<float> packed; packed.assign(b, b + k * n); b = packed.data();",
    "a shared pointer": "auto one = std::make_shared<int>(1); auto two = one; if (two.use_count() != 2) return;",
    "an atomic number": "std::atomic<std::size_t> rows = 0; rows += m; if (rows.exchange(0) != m) return;",
    "an atomic flag": "std::atomic_flag locked = ATOMIC_FLAG_INIT; if (locked.test_and_set()) return; "
                      "std::atomic_thread_fence(std::memory_order_seq_cst);",
    "an atomic pair": "struct alignas(16) Pair { std::size_t rows, columns; }; std::atomic<Pair> pair(Pair{m, n}); "
                      "if (pair.load().columns != n) return;",
}

# What is wrong with the product: code before and after its loops, and what the last line must say.
WRONG = {
    "an edge": ("", "if (n == 33) c[2] += 1;", r"right   no: c[0][2] is "),
    "13 rows and a second block of the depth": ("", "if (m > 12 && m % 12 == 1 && k > 128) c[0] += 1;",
                                                 "(13 × 129 times 129 × "),
    "a second block of both": ("", "if (m > 96 && k > 256) c[m * n - 1] += 1;", "(127 × 257 times 257 × "),
    "many rows": ("", "if (m > 256) c[m * n - 1] += 1;", "(257 × "),
    "many columns": ("", "if (n > 1024) c[m * n - 1] += 1;", " × 1025)"),
    "past its end": ("if (m > 33) *(volatile float*)(c + m * n) = 1;", "",
                     "right   no: touches c[2304], past its end: c has 2304 elements, for 48 × 48 times 48 × 48"),
    "before its start": ("if (m == 31) *(volatile float*)(c - 1) = 1;", "", "right   no: writes before the start of c"),
    "an input": ("if (m == 31) const_cast<float*>(a)[3] = 1;", "", "right   no: writes to a[3], which is an input"),
    "unwritten": ("if (m == 0 || n == 0) return; m -= 1;", "m += 1;",
                  "right   no: c[0][0] is not a number: perhaps it was never written"),
    "a crash": (f"if (m == 32) {CRASH}", "",
                "right   no: touches an address that belongs to none of its arrays, for 32 × 32 times 32 × 32"),
    "an abort": ("if (m == 32) std::terminate();", "", "right   no: ends with SIGABRT, for 32 × 32 times 32 × 32"),
    "its own buffer": ("float sums[16]; volatile std::size_t last = m; if (m == 17) sums[last] = 1; if (m > 99) c[0] = sums[0];", "",
                       "right   no: yours/02-matmul.cpp:8: "),
    "no end": (f"if (n == 17) {FOREVER}", "", "right   no: does not end: "),
    "a remembered result": ("static std::vector<float> kept; static const float* of; "
                            "if (of == a && kept.size() == m * n && m * n > 0) { std::memcpy(c, kept.data(), m * n * 4); return; }",
                            "kept.assign(c, c + m * n); of = a;", "right   no: c[0][0] is "),
    "a late write": ("std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); "
                     "if (m * n > 0) c[0] = 1; }).detach();",
                     "", "right   no: writes to c[0] after it has returned"),
    "a thread that stays": (f"static bool started = false; if (!started) {{ started = true; std::thread([] {{ {FOREVER} }}).detach(); }}",
                            "", "right   no: threads are still computing after it has returned"),
    "a word of C++": ("int x = ;", "int y = ;", "builds  no: yours/02-matmul.cpp:8:"),
}

#include "00-workload/bench/triple_loop_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "00-workload/kernels/triple_loop.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "common/verify.hpp"
#include "harness/blas.hpp"
#include "harness/clock.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::workload {
namespace {

constexpr std::size_t n = matrix_size;

/// Random matrices, and the reference for the first rows of their product.
struct Matrices {
  std::vector<float> a = std::vector<float>(n * n), b = a, c = a;

  Matrices() {
    fill_random(a, 1, 1);
    fill_random(b, 2, 1);
  }

  /// Largest error of the first rows of `product`, as a share of what the rounding of a sum of 1024 products allows.
  double worst_error(const std::vector<float>& product, std::size_t rows) const {
    return worst_product_error(rows, n, n, a.data(), b.data(), product.data(), rows * n);
  }
};

/// A product of the first so many rows.
struct RowProduct {
  std::string name;
  std::function<void(std::size_t rows)> multiply;
  std::size_t rows = n;  ///< that a sample multiplies

  void check(const Matrices& m, std::size_t count) const {
    multiply(count);
    verify(m.worst_error(m.c, 2), name);
  }

  /// As many rows as fit into those seconds, by a first try: at least two, at most all.
  void choose_rows(double seconds, std::size_t first_try) {
    const std::int64_t start = now_ns();
    multiply(first_try);
    const double per_row = static_cast<double>(now_ns() - start) * 1e-9 / static_cast<double>(first_try);
    rows = static_cast<std::size_t>(std::clamp(seconds / per_row, 2.0, static_cast<double>(n)));
  }

  Estimate whole(const Estimate& seconds) const {
    const double share = static_cast<double>(rows) / static_cast<double>(n);
    return transform(seconds, [share](double s) { return s / share; });
  }
};

std::optional<Estimate> time_python(const Lab& lab, const Matrices& m) {
  const std::size_t rows = lab.quick() ? 3 : 11;
  const auto python = python_version().empty() ? std::nullopt : triple_loop_in_python(m.a, m.b, rows, n);
  if (!python) return std::nullopt;
  verify(m.worst_error({python->c.begin(), python->c.end()}, 1), "the triple loop in Python");
  return transform(estimate(python->seconds), [](double s) { return s * static_cast<double>(n); });
}

}  // namespace

TripleLoopTimes time_triple_loop(const Lab& lab, Blas& blas) {
  blas.set_threads(1);
  Matrices m;
  RowProduct naive = {"the triple loop",
                      [&m](std::size_t rows) { triple_loop(m.a.data(), m.b.data(), m.c.data(), rows, n); }};
  RowProduct library = {"the library's product", [&m, &blas](std::size_t rows) {
                          blas.gemm(Transpose::no, Transpose::no, rows, n, n, 1, m.a.data(), n, m.b.data(), n, 0,
                                    m.c.data(), n);
                        }};
  for (const RowProduct* each : {&naive, &library}) each->check(m, 2);
  naive.choose_rows(lab.step_seconds() / 25, 4);
  library.choose_rows(lab.step_seconds() / 5, 64);
  if (library.rows == n) library.check(m, n);

  Plan plan = lab.plan(2);
  plan.warm_seconds = 0;
  const Sampling times = sample_interleaved(
      {timed("naive", [&] { naive.multiply(naive.rows); }), timed("library", [&] { library.multiply(library.rows); })},
      plan);
  const Estimate naive_seconds = naive.whole(times.of("naive"));
  const Estimate library_seconds = library.whole(times.of("library"));
  return {naive_seconds, library_seconds, ratio(naive_seconds.samples, library_seconds.samples), time_python(lab, m)};
}

}  // namespace hf::workload

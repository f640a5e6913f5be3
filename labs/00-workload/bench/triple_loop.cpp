// The two roofs, and an example where the operation count does not predict the time: the same product on one core, by
// the triple loop in C++ and in Python, and by a library.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "00-workload/bench/steps.hpp"
#include "00-workload/kernels/triple_loop.hpp"
#include "harness/measure/blas.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/roof_runs.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/verify.hpp"

namespace hf::workload {
namespace {

constexpr std::size_t n = 1000;  // not 1024, where columns collide in the caches: chapter 02

/// Random matrices, and the reference for the first rows of their product.
struct Matrices {
  std::vector<float> a = std::vector<float>(n * n), b = a, c = a;

  Matrices() {
    fill_random(a, 1, 1);
    fill_random(b, 2, 1);
  }

  /// Returns the largest error in the first rows of `product`, as a share of what rounding allows for n summands.
  double worst_error(const std::vector<float>& product, std::size_t rows) const {
    return worst_product_error(rows, n, n, a.data(), b.data(), product.data(), rows * n);
  }
};

/// A product of the first `rows` rows.
struct RowProduct {
  std::string name;
  std::function<void(std::size_t rows)> multiply;
  std::size_t rows = n;  ///< rows per sample

  void check(const Matrices& m, std::size_t count) const {
    multiply(count);
    verify(m.worst_error(m.c, 2), name);
  }

  /// Sets `rows` to as many as fit into `seconds`, judged by a first try: at least two, at most all.
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

/// Returns the size of the array to read: that of the weights, or more if a shared cache could hold much of them, but
/// at most 25% of the available memory.
std::size_t bytes_to_read() {
  const std::uint64_t weights = sizeof(float) * gpt2_small.parameters();
  return std::min<std::uint64_t>(std::max<std::uint64_t>(weights, default_dram_bytes()), available_memory_bytes() / 4);
}

}  // namespace

Shared::Shared(Lab& lab) {
  if (!blas.is_library()) lab.note("OpenBLAS is missing, so plain loops on one core stand in for the library");
}

/// Measures both roofs, from which the first predictions are made. The speed of a machine changes within minutes, so
/// each later step measures both roofs again in its own rounds, and is compared with those.
void measure_roofs(Lab& lab, Shared& shared) {
  RoofRuns& runs = shared.roof_runs.emplace(bytes_to_read());
  const Sampling sampling = sample_interleaved(runs.variants(), lab.memory_plan());
  lab.add(Value("peak_fp32_all_gflops", runs.peak_gflops(sampling), "GFLOP/s", "fp32 peak, all cores"));
  lab.add(Value("bandwidth_dram_all_gbs", runs.read_gbs(sampling), "GB/s", "DRAM bandwidth, all cores"));
  shared.roofs = runs.roofs(sampling);
}

/// Every row of a triple loop takes the same time, so only a few are timed. Python runs after the others.
void compare_triple_loops(Lab& lab, Shared& shared) {
  Blas& blas = shared.blas;
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
  lab.add(Value("naive_seconds_1000", naive_seconds, "s"));
  lab.add(Value("library_seconds_1000", library_seconds, "s"));
  lab.add(Value("naive_over_library_1000", ratio(naive_seconds.samples, library_seconds.samples), "1"));
  const std::optional<Estimate> python_seconds = time_python(lab, m);
  if (!python_seconds) return lab.note("no working python3: the triple loop in Python was not measured");
  lab.add(Value("python_seconds_1000", *python_seconds, "s"));
  // Python and the library were timed in different rounds, so this is the ratio of two medians.
  lab.derived("python_over_library_1000", python_seconds->median / library_seconds.median);
}

}  // namespace hf::workload

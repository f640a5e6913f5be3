#include "04-tpu/bench/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "04-tpu/kernels/int8_gemm.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "common/random.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"

namespace hf::tpu {
namespace {

/// Returns the seconds of single calls, sorted, without the first 10%, during which caches and clock warm up.
/// \param between  called after every 64th call, outside the timed part
std::vector<double> time_calls(const std::function<void()>& call, int calls, const std::function<void()>& between) {
  std::vector<double> seconds;
  for (int i = -calls / 9; i < calls; ++i) {
    const std::int64_t start = now_ns();
    call();
    clobber();
    const double taken = static_cast<double>(now_ns() - start) * 1e-9;
    if (i >= 0) seconds.push_back(taken);
    if (i % 64 == 0) between();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

/// Returns the value below which this share of the sorted numbers are, interpolated linearly between two neighbours.
/// \param share  0 to 1
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1), below = std::floor(at);
  const auto i = static_cast<std::size_t>(below);
  return i + 1 < sorted.size() ? sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]) : sorted.back();
}

/// Times batches of calls of the 8-bit product. Returns seconds, sorted within each batch.
std::vector<std::vector<double>> repeat_on_processor(const Lab& lab, const Int8Kernel& kernel, std::size_t n) {
  const auto a = random_bytes<std::uint8_t>(n * n, 1);
  const auto b = random_bytes<std::int8_t>(n * n, 2);
  std::vector<std::int32_t> c(n * n);
  std::vector<std::vector<double>> batches(lab.quick() ? 11 : 31);
  for (auto& batch : batches) {
    batch = time_calls([&] { kernel.multiply(n, n, n, a.data(), b.data(), c.data()); }, lab.quick() ? 200 : 500,
                       [&] { lab.tick(); });
  }
  return batches;
}

/// Returns the cycles that the array takes for the same shape with different numbers, sorted.
std::vector<double> repeat_on_array(const Lab& lab, std::size_t n) {
  std::vector<double> cycles;
  for (std::uint32_t seed = 1; seed <= (lab.quick() ? 10u : 100u); ++seed) {
    const ArrayRun run =
        run_random(Dataflow::weight_stationary, {64, 64}, {n, n, n}, {.double_buffered = true}, 10 * seed);
    cycles.push_back(static_cast<double>(run.cycles.total()));
    lab.tick();
  }
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

template <class Number>
Estimate over_batches(const std::vector<std::vector<double>>& batches, Number number) {
  std::vector<double> samples;
  for (const auto& batch : batches) samples.push_back(number(batch));
  return estimate(std::move(samples));
}

double over_median(const std::vector<double>& sorted, double share) {
  return percentile(sorted, share) / percentile(sorted, 0.5);
}

}  // namespace

void measure_repeats(Lab& lab) {
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  const std::size_t n = kernel.has_dot_product ? 256 : 128;
  const auto processor = repeat_on_processor(lab, kernel, n);
  const auto array = repeat_on_array(lab, n);
  const Axis share = {"share of the calls", "%"}, relative = {"time over the median", "1"};
  Series measured = {"repeat_processor", "this processor", Kind::measured, share, relative};
  Series simulated = {"repeat_array", "the array", Kind::simulated, share, relative};
  for (const double percent : {0., 1., 5., 10., 20., 30., 40., 50., 60., 70., 80., 90., 95., 97., 98., 99.}) {
    measured.points.emplace_back(
        percent, over_batches(processor, [&](const auto& sorted) { return over_median(sorted, percent / 100); }));
    simulated.points.emplace_back(percent, over_median(array, percent / 100));
  }
  // On the processor: the time that 1% of the calls exceed, over the median.
  lab.add(Value("repeat_p99_over_median", measured.points.back().y, "1"));
  lab.simulated("repeat_array_ticks", array.front());
  lab.add(measured);
  lab.add(simulated);
}

}  // namespace hf::tpu

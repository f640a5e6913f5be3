#include "04-tpu/bench/steps.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/measure/as_double.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/narrow/int8_gemm.hpp"
#include "kit/random.hpp"

namespace hf::tpu {
namespace {

/// Whatever stops the core for at least this long is an interruption; most calls of the product vary less.
constexpr double shortest_seconds = 1e-5;

double seconds_since(std::int64_t start_ns) { return static_cast<double>(now_ns() - start_ns) * 1e-9; }

/// What interruptions took, and how long we watched for them: seconds.
struct Interruptions {
  std::vector<double> lost;
  double watched = 0;

  void add(double seconds) {
    if (seconds >= shortest_seconds) lost.push_back(seconds);
  }
  double apart() const { return watched / as_double(lost.size()); }
};

/// Returns the seconds of single calls, without the first 10%, during which caches and clock warm up.
/// \param between  called after every 64th call, outside the timed part
std::vector<double> time_calls(const std::function<void()>& call, int calls, const std::function<void()>& between) {
  std::vector<double> seconds;
  for (int i = -calls / 9; i < calls; ++i) {
    const std::int64_t start = now_ns();
    call();
    clobber();
    const double taken = seconds_since(start);
    if (i >= 0) seconds.push_back(taken);
    if (i % 64 == 0) between();
  }
  return seconds;
}

/// Does nothing but read the clock, for some seconds; each pause between two readings is added.
void watch_the_clock(double seconds, Interruptions& found) {
  const std::int64_t start = now_ns();
  double last = 0;
  while (last < seconds) {
    const double now = seconds_since(start);
    found.add(now - last);
    last = now;
  }
  found.watched += last;
}

/// Adds how long interruptions took and how often they came: those of the product's calls, and those of a loop without
/// a product, which show that it isn't their cause.
void add_interruptions(Lab& lab, const Interruptions& of_calls, const Interruptions& of_clock) {
  if (of_calls.lost.empty() || of_clock.lost.empty()) return lab.note("nothing interrupted this core");
  lab.add(Value("slow_call_lost_us", times(estimate(of_calls.lost), 1e6), "us"));
  lab.derived("slow_calls_every_ms", of_calls.apart() * 1e3, "ms");
  lab.add(Value("interruption_us", times(estimate(of_clock.lost), 1e6), "us"));
  lab.derived("interruptions_every_ms", of_clock.apart() * 1e3, "ms");
}

}  // namespace

void measure_repeats(Lab& lab) {
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  const std::size_t n = kernel.has_dot_product ? 256 : 128;
  const auto a = random_bytes<std::uint8_t>(n * n, 1);
  const auto b = random_bytes<std::int8_t>(n * n, 2);
  std::vector<std::int32_t> c(n * n);
  const auto product = [&] { kernel.multiply(n, n, n, a.data(), b.data(), c.data()); };
  std::vector<double> over_median;  // in each batch, the time that 1% of the calls exceed
  Interruptions of_calls, of_clock;
  for (int batch = 0; batch < (lab.quick() ? 11 : 31); ++batch) {
    const std::vector<double> calls = time_calls(product, lab.quick() ? 200 : 500, [&] { lab.tick(); });
    const double median = quantile(calls, 0.5), in_all = std::accumulate(calls.begin(), calls.end(), 0.0);
    over_median.push_back(quantile(calls, 0.99) / median);
    for (const double seconds : calls) of_calls.add(seconds - median);
    of_calls.watched += in_all;
    watch_the_clock(in_all, of_clock);
  }
  lab.add(Value("repeat_p99_over_median", estimate(std::move(over_median)), "1"));
  add_interruptions(lab, of_calls, of_clock);
}

}  // namespace hf::tpu

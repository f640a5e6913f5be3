#include "04-tpu/bench/steps.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "harness/measure/clock.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/narrow/int8_gemm.hpp"
#include "kit/random.hpp"

namespace hf::tpu {
namespace {

/// Returns the seconds of single calls, without the first 10%, during which caches and clock warm up.
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
  return seconds;
}

/// Times batches of calls of the 8-bit product. Returns seconds, by batch.
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

}  // namespace

void measure_repeats(Lab& lab) {
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  std::vector<double> over_median;  // in each batch, the time that 1% of the calls exceed
  for (const auto& seconds : repeat_on_processor(lab, kernel, kernel.has_dot_product ? 256 : 128)) {
    over_median.push_back(quantile(seconds, 0.99) / quantile(seconds, 0.5));
  }
  lab.add(Value("repeat_p99_over_median", estimate(std::move(over_median)), "1"));
}

}  // namespace hf::tpu

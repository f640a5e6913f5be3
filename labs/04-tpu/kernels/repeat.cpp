#include "04-tpu/kernels/repeat.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/clock.hpp"
#include "harness/keep.hpp"

namespace hf::tpu {

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

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1), below = std::floor(at);
  const auto i = static_cast<std::size_t>(below);
  return i + 1 < sorted.size() ? sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]) : sorted.back();
}

}  // namespace hf::tpu

// Tries a reader's sum.
#include "yours/trial.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "@ID@/NAMESPACE.hpp"
#include "harness/machine/machine.hpp"
#include "kit/random.hpp"
#include "yours/counting.hpp"
#include "yours/guarded.hpp"
#include "yours/race.hpp"

namespace hf::NAMESPACE {
namespace {

using Sum = float(std::size_t count, const float* x);

/// \throws yours::Wrong if the sum is further from the exact one than n rounded additions may leave it (Higham, 2002)
void check_sum(std::span<const float> x, float sum) {
  const double expected = std::accumulate(x.begin(), x.end(), 0.0);
  const double magnitudes = std::accumulate(x.begin(), x.end(), 0.0, [](double s, float v) { return s + std::abs(v); });
  if (std::abs(sum - expected) <= static_cast<double>(x.size()) * 0x1p-24 * magnitudes) return;
  yours::refuse("the sum", sum, expected, std::to_string(x.size()) + " numbers");
}

void check(void* kernel) {
  std::uint64_t seed = 1;
  for (const std::size_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 1000, 4096}) {
    yours::trying(std::to_string(count) + " numbers");
    const yours::GuardedArray x("x", count);
    for (int time = 0; time < 2; ++time) {  // a kernel that remembers its first result is wrong the second time
      x.forbid_writes(nullptr);
      fill_random(x.numbers(), seed++);
      x.forbid_writes(", which is an input");
      check_sum(x.numbers(), reinterpret_cast<Sum*>(kernel)(count, x.data()));
    }
  }
}

std::vector<yours::Count> count(void* kernel) {
  constexpr std::size_t count = 4096;
  const std::vector<float> x = random_floats(count, 1);
  const auto traffic = yours::count([&] { reinterpret_cast<Sum*>(kernel)(count, x.data()); }, probe_machine()).traffic;
  return {{"bytes per number between registers and L1",
           static_cast<double>(traffic.registers_l1) / count,
           {{"each number once", sizeof(float)}}}};
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  constexpr std::size_t count = 4096;
  std::vector<float> x = random_floats(count, 1);
  std::uint64_t seed = 1000;
  float sum = 0;
  const auto fresh = [&](std::string id, auto add) {
    return yours::fresh(
        std::move(id), [&] { fill_random(x, seed++); }, [&, add] { sum = add(); }, [&] { check_sum(x, sum); });
  };
  std::vector<yours::Runner> runners;
  runners.push_back({fresh("yours", [&] { return reinterpret_cast<Sum*>(kernel)(count, x.data()); }), "yours", count});
  runners.push_back({fresh("one", [&] { return sum_in_chains<1>(x); }), "one chain", count});
  runners.push_back({fresh("eight", [&] { return sum_in_chains<8>(x); }), "eight chains", count});
  yours::trying("the race");
  return {yours::race("in the L1", 16, runners, "eight", quick ? 3 : 11)};
}

}  // namespace
}  // namespace hf::NAMESPACE

int main(int argc, char** argv) {
  return hf::yours::run_trial({.id = "@ID@",
                               .function = "sum",
                               .check = hf::NAMESPACE::check,
                               .count = hf::NAMESPACE::count,
                               .race = hf::NAMESPACE::race,
                               .unit = "GFLOP/s"},
                              argc, argv);
}

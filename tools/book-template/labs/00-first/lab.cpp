// How much does a sum gain from being cut into chains that do not wait for each other?
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/measure/keep.hpp"
#include "harness/report/lab.hpp"

namespace {

constexpr std::size_t count = 4096;  // 16 KiB: fits into every L1

// [begin: sum]
/// The sum of x, whose size is a multiple of `chains`.
/// Each chain adds up every chains-th number.
template <std::size_t chains>
float sum_in_chains(std::span<const float> x) {
  float partial[chains] = {};
  for (std::size_t i = 0; i < x.size(); i += chains) {
    for (std::size_t c = 0; c < chains; ++c) partial[c] += x[i + c];
  }
  float total = 0;
  for (const float part : partial) total += part;
  return total;
}
// [end: sum]

/// Checks the sum before it is timed: n rounded additions are off by at most about n ε times the sum of the magnitudes.
template <std::size_t chains>
hf::Variant variant(const std::vector<float>& x) {
  const double expected = std::accumulate(x.begin(), x.end(), 0.0);
  if (!(std::abs(sum_in_chains<chains>(x) - expected) <= count * 0x1p-24 * expected)) {
    throw std::runtime_error("the sum in " + std::to_string(chains) + " chains is wrong");
  }
  return hf::timed(std::to_string(chains), [&x] { hf::keep(sum_in_chains<chains>(x)); });
}

void measure(hf::Lab& lab) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i % 7) + 0.5f;
  const hf::Sampling sampling =
      hf::sample_interleaved({variant<1>(x), variant<2>(x), variant<4>(x), variant<8>(x)}, lab.plan());

  hf::Series speed = {.id = "chains", .label = "sum", .x = {"chains", "1"}, .y = {"speed", "GFLOP/s"}};
  for (std::size_t i = 0; i < sampling.ids.size(); ++i)
    speed.points.emplace_back(std::stod(sampling.ids[i]), hf::rate(count, sampling.seconds[i]));
  lab.add(speed);
  lab.add(hf::Value("four_over_one", sampling.ratio("1", "4"), "1"));
}

}  // namespace

int main(int argc, char** argv) {
  return hf::run_lab({.id = "00-first", .title = "The first chapter", .steps = {{"chains", measure, 0.5, 2}}}, argc,
                     argv);
}

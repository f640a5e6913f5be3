// How much does a sum gain from being cut into chains that do not wait for each other?
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "@ID@/NAMESPACE.hpp"
#include "harness/report/lab.hpp"
#include "kit/random.hpp"

namespace hf::NAMESPACE {
namespace {

constexpr std::size_t count = 4096;  // 16 KiB: fits into every L1

/// A sum of n rounded additions is off by at most about n ε times the sum of the magnitudes (Higham, 2002).
void check_against_double(const std::vector<float>& x, float sum) {
  const double expected = std::accumulate(x.begin(), x.end(), 0.0);
  const double magnitudes = std::accumulate(x.begin(), x.end(), 0.0, [](double s, float v) { return s + std::abs(v); });
  if (!(std::abs(sum - expected) <= count * 0x1p-24 * magnitudes)) throw std::runtime_error("a sum is wrong");
}

template <std::size_t chains>
Variant variant(const std::vector<float>& x) {
  check_against_double(x, sum_in_chains<chains>(x));
  return timed(std::to_string(chains), [&x] { keep(sum_in_chains<chains>(x)); });
}

// An id is lower_case_with_underscores and ends in its unit: _gflops, _tflops, _gops, _tops, _gbs, _ghz, _ns, _us, _ms,
// _cycles, _bytes, _share, _flop_per_byte. The other units are listed in labs/record/schema.json; "1" is for numbers
// without a unit.
void measure_chains(Lab& lab) {
  std::vector<float> x(count);
  fill_random(x, 1);
  const auto sampling = sample_interleaved({variant<1>(x), variant<2>(x), variant<4>(x), variant<8>(x)}, lab.plan());

  Series speed = {.id = "chains", .label = "sum", .x = {"chains", "1"}, .y = {"speed", "GFLOP/s"}};
  for (std::size_t i = 0; i < sampling.ids.size(); ++i) {
    const auto gflops = transform(sampling.seconds[i], [](double seconds) { return count / seconds / 1e9; });
    speed.points.emplace_back(std::stod(sampling.ids[i]), gflops);
    if (sampling.ids[i] == "1") lab.add(Value("one_chain_gflops", gflops, "GFLOP/s"));
    if (sampling.ids[i] == "8") lab.add(Value("eight_chains_gflops", gflops, "GFLOP/s"));
  }
  lab.add(speed);

  lab.add(Value("eight_over_one", sampling.ratio("1", "8"), "1"));
}

}  // namespace
}  // namespace hf::NAMESPACE

int main(int argc, char** argv) {
  const hf::LabInfo info = {
      .id = "@ID@",
      .title = "@TITLE@",
      .steps = {{"chains", hf::NAMESPACE::measure_chains, 0.5, 2}},
  };
  return hf::run_lab(info, argc, argv);
}

// Times a sweep in other orders, and a dot product whose additions may be reordered.
#include <cstddef>
#include <vector>

#include "07-compilers/bench/steps.hpp"
#include "07-compilers/check/wrong_after.hpp"
#include "07-compilers/kernels/legality/dot.hpp"
#include "07-compilers/kernels/legality/sweep.hpp"
#include "kit/random.hpp"

namespace hf::compilers {
namespace {

/// Times one call of each order of the sweep.
Sampling time_sweeps(const Plan& plan) {
  const Pinned pinned;
  std::vector<float> in_order = matrix_to_sweep(), exchanged = in_order, skewed = in_order;
  return sample_interleaved({timed("sweep", [&] { sweep(in_order.data(), swept_rows, swept_columns); }),
                             timed("exchanged", [&] { sweep_exchanged(exchanged.data(), swept_rows, swept_columns); }),
                             timed("skewed", [&] { sweep_skewed(skewed.data(), swept_rows, swept_columns); })},
                            plan);
}

/// Times one call of each dot product, of vectors in the nearest cache.
Sampling time_dots(const Plan& plan) {
  const Pinned pinned;
  constexpr std::size_t count = 1024;
  const std::vector<float> x = random_floats(count, 1), y = random_floats(count, 2);
  return sample_interleaved({timed("dot", [&] { keep(dot(x.data(), y.data(), count)); }),
                             timed("reordered", [&] { keep(reordered_dot(x.data(), y.data(), count)); })},
                            plan);
}

}  // namespace

void measure_legality(Lab& lab) {
  lab.modelled("sweep_numbers", as_double(swept_numbers));
  lab.derived("sweep_exchanged_wrong", as_double(wrong_after(sweep_exchanged)));
  const Sampling sweeps = time_sweeps(lab.plan(3));
  lab.add(Value("sweep_exchanged_speedup", sweeps.ratio("sweep", "exchanged"), "1"));
  lab.add(Value("sweep_skewed_speedup", sweeps.ratio("sweep", "skewed"), "1"));
  const Sampling dots = time_dots(lab.plan(3));
  lab.add(Value("reordered_dot_speedup", dots.ratio("dot", "reordered"), "1"));
}

}  // namespace hf::compilers

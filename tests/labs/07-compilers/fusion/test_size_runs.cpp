// Fusion's gain over sizes, and what copies predict of it.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/bench/size_runs.hpp"
#include "harness/sampling.hpp"
#include "harness/scratch_folder.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

TEST_CASE("sizes, their variants, and the gain that copies predict") {
  const ScratchFolder cache;
  SizeRuns runs(std::size_t{1} << 16, 4, {.cache = cache.path()});
  CHECK(std::vector<std::size_t>(runs.sizes().begin(), runs.sizes().end()) ==
        std::vector<std::size_t>{4096, 16384, 65536});
  Sampling sampling;
  for (const Variant& variant : runs.variants()) {
    CHECK(variant.seconds(1) > 0);
    const bool by_operators = variant.id.starts_with("by operators");
    // A copy over 64 KiB or more is half as fast as one over less.
    const double bytes = std::stod(variant.id.substr(variant.id.rfind(' ')));
    const double copy_seconds = bytes * (bytes >= 65536 ? 2 : 1);
    sampling.ids.push_back(variant.id);
    sampling.seconds.push_back(estimate({by_operators ? 5.0 : variant.id.starts_with("copy") ? copy_seconds : 2.0}));
  }
  CHECK(runs.gain(sampling, 16384).median == 2.5);
  CHECK(runs.predicted_gain(sampling, 4096) == doctest::Approx(3).epsilon(0.1));
  CHECK(runs.predicted_gain(sampling, 16384) == doctest::Approx(5).epsilon(0.1));  // 32 KiB against 64
  CHECK(runs.predicted_gain(sampling, 65536) == doctest::Approx(3).epsilon(0.1));
}

}  // namespace
}  // namespace hf::compilers

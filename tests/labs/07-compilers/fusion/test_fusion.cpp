// The chapter's graphs at small sizes: every strategy gives the right result, and moves no more than the one before; and
// when compiling has paid off.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "07-compilers/bench/fusion.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t few = 8;

TEST_CASE("every strategy of every graph is right, and compiled it moves the fewest bytes") {
  const ScratchFolder cache;
  for (const GraphCase& each : all_graph_cases(few)) {
    CAPTURE(each.id);
    GraphRuns runs(each, cache.path());  // throws if a result is wrong
    CHECK(runs.compiled().is_compiled());
    CHECK(runs.work(Strategy::compiled).bytes <= runs.work(Strategy::operators).bytes);
    if (each.strategies.front() == Strategy::decomposed)
      CHECK(runs.work(Strategy::operators).bytes < runs.work(Strategy::decomposed).bytes);
    CHECK(runs.compared_result().size() == runs.result_shape().numbers());
    CHECK(runs.result_shape().rows == few);
    for (const Threads cores : {Threads::all, Threads::one}) {
      const std::vector<Variant> variants = runs.variants(cores);
      CHECK(variants.size() == each.strategies.size());
      for (const Variant& variant : variants) CHECK(variant.seconds(1) > 0);
    }
  }
}

TEST_CASE("least seconds: operators one by one take turns at the roofs, a compiled graph is under both at once") {
  const ScratchFolder cache;
  const GraphCase chain = all_graph_cases(few).front();
  const GraphRuns runs(chain, cache.path());
  const Roofline roof = {.peak_gflops = 1e6, .bandwidth_gbs = 1};
  const TwoRoofs slow_memory = {roof, roof};
  const double passes = runs.least_seconds(Strategy::operators, slow_memory);
  CHECK(passes == doctest::Approx(runs.work(Strategy::operators).traffic() * 1e-9));
  CHECK(passes == doctest::Approx(3 * runs.least_seconds(Strategy::compiled_ordinary, slow_memory)));
  CHECK(passes == doctest::Approx(4.5 * runs.least_seconds(Strategy::compiled, slow_memory)));
  const TwoRoofs slow_past_caches = {roof, {.peak_gflops = 1e6, .bandwidth_gbs = 0.5}};
  CHECK(passes == doctest::Approx(2.25 * runs.least_seconds(Strategy::compiled, slow_past_caches)));
  const Roofline slow_arithmetic = {.peak_gflops = 1e-3, .bandwidth_gbs = 1};
  const TwoRoofs slow_in_both = {slow_arithmetic, slow_arithmetic};
  CHECK(runs.least_seconds(Strategy::operators, slow_in_both) > 2 * passes);
  CHECK(runs.least_seconds(Strategy::operators, slow_in_both.without_arithmetic()) == doctest::Approx(passes));
}

TEST_CASE("of a block, the matrix product is the largest part where arithmetic is slow, and none of a chain") {
  const ScratchFolder cache;
  const Roofline roof = {.peak_gflops = 1, .bandwidth_gbs = 1e6};
  const TwoRoofs slow_arithmetic = {roof, roof};
  for (const GraphCase& each : all_graph_cases(few)) {
    const GraphRuns runs(each, cache.path());
    const double share =
        runs.product_seconds(slow_arithmetic) / runs.least_seconds(Strategy::operators, slow_arithmetic);
    CHECK(runs.has_product() == (share > 0));
    if (each.id == "block") CHECK(share > 0.9);
    if (each.id == "block") CHECK(runs.product_seconds(slow_arithmetic) == doctest::Approx(2e-9 * few * 768 * 3072));
    if (each.id == "elementwise" || each.id == "softmax" || each.id == "norm") CHECK(share == 0);
  }
}

TEST_CASE(
    "a function that takes as long as nine multiply-adds costs 18 FLOPs, and graphs that hold it take so much longer") {
  Team team;
  Arithmetic arithmetic(team);
  Sampling sampling;
  for (const Variant& variant : arithmetic.variants()) {
    CHECK(variant.seconds(1) > 0);
    sampling.ids.push_back(variant.id);
    sampling.seconds.push_back(estimate({1e-3}));
  }
  const double peak_flops = arithmetic.peak_gflops(sampling) * 1e6;  // in that millisecond
  const double numbers = as_double(looped_numbers) * team.size();
  CHECK(arithmetic.multiply_adds(sampling, Op::exp).median == doctest::Approx(peak_flops / 2 / numbers));
  CHECK(arithmetic.costs(sampling).gelu == doctest::Approx(peak_flops / numbers));

  const ScratchFolder cache;
  const Roofline slow = {.peak_gflops = 1, .bandwidth_gbs = 1e6};
  const OpCosts cheap = {.exp = 2, .gelu = 2, .dropout = 2, .other = 2}, dear = {18, 18, 18, 2};
  const GraphRuns softmax(all_graph_cases(few)[1], cache.path());
  for (const Strategy strategy : {Strategy::operators, Strategy::compiled}) {
    const double longer =
        softmax.least_seconds(strategy, {slow, slow, dear}) / softmax.least_seconds(strategy, {slow, slow, cheap});
    CHECK(longer == doctest::Approx((18 + 4 * 2) / (5 * 2.0)).epsilon(0.01));
  }
}

TEST_CASE("copying counts the lines that are read because they are written") {
  Roofs copies(std::size_t{1} << 20);
  Sampling sampling;
  for (const Variant& variant : copies.copies(Threads::one)) {
    sampling.ids.push_back(variant.id);
    sampling.seconds.push_back(estimate({1e-3}));
  }
  CHECK(copies.traffic_gbs(sampling, roofline::Stream::copy, Threads::one).median ==
        doctest::Approx(1.5 * 0x1p20 / 1e6).epsilon(0.01));
  CHECK(copies.traffic_gbs(sampling, roofline::Stream::copy_nontemporal, Threads::one).median ==
        doctest::Approx(0x1p20 / 1e6).epsilon(0.01));
}

TEST_CASE("what was spent is won back after as many calls as it takes of what each saves") {
  const Cost compiled = {estimate({1.0, 2.0, 3.0}), estimate({0.5})};
  const std::optional<Estimate> calls = break_even_calls(compiled, estimate({0.75}));
  REQUIRE(calls);
  CHECK(calls->median == 8);
  CHECK(calls->samples.size() == 3);
}

TEST_CASE("it never pays where a call is no faster") {
  const Cost compiled = {estimate({1.0}), estimate({0.5})};
  CHECK(!break_even_calls(compiled, estimate({0.5})));
  CHECK(!break_even_calls(compiled, estimate({0.4})));
}

TEST_CASE("the lines of two ways cross where it has paid") {
  const Cost compiled = {estimate({2.0}), estimate({0.5})}, eager = {estimate({0.0}), estimate({0.7})};
  const double calls = break_even_calls(compiled, eager.call).value().median;
  CHECK(compiled.first.median + calls * compiled.call.median == doctest::Approx(calls * eager.call.median));
}

TEST_CASE("copies predict three passes over one, and more where only four arrays are too many for a cache") {
  CHECK(chain_gain_by_copies(8, 8) == doctest::Approx(3));
  CHECK(chain_gain_by_copies(8, 4) == doctest::Approx(5));
}

}  // namespace
}  // namespace hf::compilers

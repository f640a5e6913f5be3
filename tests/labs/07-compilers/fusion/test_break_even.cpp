// When compiling has paid off; and what copies show about fusing.
#include <doctest/doctest.h>

#include <optional>

#include "07-compilers/bench/fusion.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::compilers {
namespace {

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

TEST_CASE("all calls together are the first expense and so much a call") {
  const Series series = seconds_together("s", "S", {estimate({3.0, 4.0, 5.0}), estimate({0.25})}, 20);
  REQUIRE(series.points.size() == 5);  // 1, 2, 5, 10, 20
  CHECK(series.points.front().x == 1);
  CHECK(series.points.front().y.median == 4.25);
  CHECK(series.points.back().x == 20);
  CHECK(series.points.back().y.median == 9);
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

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <vector>

#include "05-scaling/collectives/alpha_beta.hpp"
#include "05-scaling/collectives/collective_theory.hpp"

namespace hf::scaling {
namespace {

constexpr AlphaBeta truth = {2e-6, 1 / 5e9};

/// 4 B to 64 MiB of an all-reduce, each time off by up to `noise`.
std::vector<Observation> times(Cost (*cost)(int, double), int ranks, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
  std::vector<Observation> all;
  for (double bytes = 4; bytes <= 64 << 20; bytes *= 4) {
    const Cost paper = cost(ranks, bytes);
    all.push_back({paper.steps, paper.path_bytes, factor(random) * truth.seconds(paper.steps, paper.path_bytes)});
  }
  return all;
}

std::vector<Observation> every_other(const std::vector<Observation>& all) {
  std::vector<Observation> half;
  for (std::size_t i = 0; i < all.size(); i += 2) half.push_back(all[i]);
  return half;
}

TEST_CASE("alpha and beta are found again, and predict sizes that were not fitted") {
  for (const Collective& collective : all_reduces()) {
    for (const int ranks : {2, 3, 4, 7, 8}) {
      const std::vector<Observation> all = times(collective.cost, ranks, 0, 0);
      const AlphaBeta model = fit_alpha_beta(every_other(all));
      CHECK(model.seconds_per_message == doctest::Approx(truth.seconds_per_message));
      CHECK(model.seconds_per_byte == doctest::Approx(truth.seconds_per_byte));
      CHECK(median_error(model, all) < 1e-9);
      CHECK(where_it_breaks(model, all, 0.01).empty());
    }
  }
}

TEST_CASE("noise of three percent moves the fit by no more, whatever the seed") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<Observation> all = times(ring_cost, 4, 0.03, seed);
    const AlphaBeta model = fit_alpha_beta(all);
    CHECK(model.seconds_per_message == doctest::Approx(truth.seconds_per_message).epsilon(0.03));
    CHECK(model.seconds_per_byte == doctest::Approx(truth.seconds_per_byte).epsilon(0.03));
    CHECK(median_error(model, all) <= 0.05);
  }
}

TEST_CASE("a fit from one algorithm predicts the others") {
  const AlphaBeta model = fit_alpha_beta(times(ring_cost, 4, 0, 0));
  CHECK(median_error(model, times(tree_cost, 8, 0, 0)) < 1e-9);
}

TEST_CASE("a stretch where the model does not hold neither moves the fit nor passes unseen") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<Observation> all = times(ring_cost, 4, 0.02, seed);
    for (std::size_t i = 7; i <= 9; ++i) all[i].seconds *= 1.8;
    const AlphaBeta model = fit_alpha_beta(all);
    CHECK(model.seconds_per_byte == doctest::Approx(truth.seconds_per_byte).epsilon(0.05));
    const std::vector<Break> breaks = where_it_breaks(model, all, 0.2);
    REQUIRE(breaks.size() == 1);
    CHECK(breaks[0].first == 7);
    CHECK(breaks[0].last == 9);
    CHECK(breaks[0].worst < -0.4);  // it promises too much
    CHECK(median_error(model, all, breaks) <= 0.03);
  }
}

TEST_CASE("stretches are where one alpha and one beta hold, in their order, without overlap") {
  std::vector<Observation> all = times(ring_cost, 4, 0, 0);
  for (std::size_t i = 0; i < 5; ++i) all[i].seconds = 1e-7 * all[i].steps;  // short messages take another way
  all[5].seconds *= 3;
  for (std::size_t i = 10; i < all.size(); ++i) all[i].seconds *= 2;  // and long ones leave the cache
  const std::vector<Stretch> found = stretches(all, 0.1);
  REQUIRE(found.size() == 3);
  CHECK(found[0].first == 0);
  CHECK(found[0].last == 4);
  CHECK(found[0].model.seconds_per_message == doctest::Approx(1e-7));
  CHECK(found[1].first == 6);
  CHECK(found[1].last == 9);
  CHECK(found[1].model.seconds_per_byte == doctest::Approx(truth.seconds_per_byte));
  CHECK(found[2].first == 10);
  CHECK(found[2].last == all.size() - 1);
  CHECK(stretches(all, 0.1, 5).size() == 1);
  CHECK(stretches(std::vector<Observation>{}, 0.1).empty());
}

TEST_CASE("a stretch gives up none of its observations") {
  // A line through the first two is exact there and 9 % off at the third; a compromise is 5 % off at most.
  const std::vector<Observation> uneven = {{6, 4e5, 9.51 * 4e5}, {6, 16e5, 9.6 * 16e5}, {6, 64e5, 8.84 * 64e5}};
  const std::vector<Stretch> found = stretches(uneven, 0.06);
  REQUIRE(found.size() == 1);
  CHECK(found[0].last == 2);
}

TEST_CASE("breaks to different sides are two") {
  std::vector<Observation> all = times(ring_cost, 4, 0, 0);
  all[5].seconds *= 2;
  all[6].seconds /= 2;
  const std::vector<Break> breaks = where_it_breaks(truth, all, 0.2);
  REQUIRE(breaks.size() == 2);
  CHECK(breaks[0].worst == doctest::Approx(-0.5));
  CHECK(breaks[1].worst == doctest::Approx(1));
}

TEST_CASE("neither alpha nor beta is ever negative") {
  const std::vector<Observation> falling = {{1, 10, 2}, {1, 1000, 1.5}, {1, 2000, 1}};
  const AlphaBeta flat = fit_alpha_beta(falling);
  CHECK(flat.seconds_per_message > 0);
  CHECK(flat.seconds_per_byte == 0);
  const std::vector<Observation> steep = {{1, 10, 1}, {1, 100, 20}, {1, 1000, 400}};
  const AlphaBeta line = fit_alpha_beta(steep);
  CHECK(line.seconds_per_message >= 0);
  CHECK(line.seconds_per_byte > 0);
}

TEST_CASE("alpha is no less than its bound, and the bytes take what is left") {
  std::vector<Observation> longs;
  for (double bytes = 1e6; bytes <= 1e9; bytes *= 10) longs.push_back({6, bytes, bytes / 1e8});
  const std::vector<Stretch> free = stretches(longs, 0.05), bounded = stretches(longs, 0.05, 3, 20e-6);
  REQUIRE(free.size() == 1);
  REQUIRE(bounded.size() == 1);
  CHECK(free[0].model.seconds_per_message < 1e-9);
  CHECK(bounded[0].model.seconds_per_message == 20e-6);
  CHECK(bounded[0].model.seconds_per_byte == doctest::Approx(1e-8).epsilon(0.02));
  CHECK(bounded[0].model.seconds_per_byte < 1e-8);
  // Where α is above it anyway, the bound changes nothing.
  const std::vector<Observation> all = times(ring_cost, 4, 0, 0);
  CHECK(stretches(all, 0.05, 3, 1e-6)[0].model.seconds_per_message == doctest::Approx(truth.seconds_per_message));
}

TEST_CASE("what cannot be fitted is refused, and nothing left has no median") {
  CHECK_THROWS_AS(fit_alpha_beta(std::vector<Observation>{{1, 1, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(fit_alpha_beta(std::vector<Observation>{{1, 1, 1}, {1, 2, 0}}), std::invalid_argument);
  const std::vector<Observation> one = {{1, 1, 1}};
  CHECK(std::isnan(median_error(truth, one, std::vector<Break>{{0, 0, 1}})));
}

}  // namespace
}  // namespace hf::scaling

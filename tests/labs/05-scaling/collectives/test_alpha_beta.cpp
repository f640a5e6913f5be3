// Alpha and beta: of any observations, and of the ring.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "kit/ranks/alpha_beta.hpp"

namespace hf::scaling {
namespace {

constexpr AlphaBeta truth = {2e-6, 1 / 5e9};

/// 4 B to 64 MiB of an all-reduce, each time off by up to `noise`.
std::vector<Observation> observed(Cost (*cost)(int, double), int ranks, double noise, unsigned seed) {
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

TEST_CASE("alpha and beta are found again, and predict sizes and algorithms that were not fitted") {
  for (const Collective& collective : all_reduces()) {
    for (const int ranks : {2, 3, 4, 7, 8}) {
      const std::vector<Stretch> found = stretches(every_other(observed(collective.cost, ranks, 0, 0)), 0.01);
      REQUIRE(found.size() == 1);
      const AlphaBeta model = found[0].model;
      CHECK(model.seconds_per_message == doctest::Approx(truth.seconds_per_message));
      CHECK(model.seconds_per_byte == doctest::Approx(truth.seconds_per_byte));
      CHECK(worst_error(model, observed(collective.cost, ranks, 0, 0)) < 1e-9);
      CHECK(worst_error(model, observed(tree_cost, 8, 0, 0)) < 1e-9);
    }
  }
}

TEST_CASE("noise of three percent moves the fit by no more, whatever the seed") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<Stretch> found = stretches(observed(ring_cost, 4, 0.03, seed), 0.1);
    REQUIRE(found.size() == 1);
    CHECK(found[0].model.seconds_per_message == doctest::Approx(truth.seconds_per_message).epsilon(0.03));
    CHECK(found[0].model.seconds_per_byte == doctest::Approx(truth.seconds_per_byte).epsilon(0.03));
  }
}

TEST_CASE("stretches are where one alpha and one beta hold, in their order, without overlap") {
  std::vector<Observation> all = observed(ring_cost, 4, 0, 0);
  for (std::size_t i = 0; i < 5; ++i) all[i].seconds = 1e-7 * all[i].steps;  // short messages take another path
  all[5].seconds *= 3;
  for (std::size_t i = 10; i < all.size(); ++i) all[i].seconds *= 2;  // and long ones do not fit in the cache
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
  // A line through the first two is exact there and 9% off at the third; the best compromise is at most 5% off.
  const std::vector<Observation> uneven = {{6, 4e5, 9.51 * 4e5}, {6, 16e5, 9.6 * 16e5}, {6, 64e5, 8.84 * 64e5}};
  const std::vector<Stretch> found = stretches(uneven, 0.06);
  REQUIRE(found.size() == 1);
  CHECK(found[0].last == 2);
}

TEST_CASE("neither alpha nor beta is ever negative") {
  const std::vector<Observation> falling = {{1, 10, 2}, {1, 1000, 1.5}, {1, 2000, 1}};
  const std::vector<Observation> steep = {{1, 10, 1}, {1, 100, 20}, {1, 1000, 400}};
  const std::vector<Stretch> flat = stretches(falling, 1), line = stretches(steep, 1);
  REQUIRE(flat.size() == 1);
  CHECK(flat[0].model.seconds_per_message > 0);
  CHECK(flat[0].model.seconds_per_byte == 0);
  REQUIRE(line.size() == 1);
  CHECK(line[0].model.seconds_per_message >= 0);
  CHECK(line[0].model.seconds_per_byte > 0);
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
  // If α is above the bound anyway, the bound changes nothing.
  const std::vector<Observation> all = observed(ring_cost, 4, 0, 0);
  CHECK(stretches(all, 0.05, 3, 1e-6)[0].model.seconds_per_message == doctest::Approx(truth.seconds_per_message));
}

/// MPI's behaviour here: short messages by one model, long ones by another, and everything beyond 4 MiB twice as slow.
double ring_seconds(std::size_t bytes, int ranks) {
  constexpr AlphaBeta shorts = {0.4e-6, 1 / 20e9}, longs = {3e-6, 1 / 12e9};
  const Cost cost = ring_cost(ranks, static_cast<double>(bytes));
  if (bytes <= 1 << 10) return shorts.seconds(cost.steps, cost.path_bytes);
  return longs.seconds(cost.steps, cost.path_bytes) * (bytes > 4 << 20 ? 2 : 1);
}

std::map<std::size_t, double> ring_times(int ranks) {
  std::map<std::size_t, double> times;
  for (std::size_t bytes = 4; bytes <= 64 << 20; bytes *= 2) times[bytes] = ring_seconds(bytes, ranks);
  return times;
}

TEST_CASE("two models are found again, and where they end; what was not fitted is predicted") {
  for (const int ranks : {2, 3, 4, 8}) {
    CAPTURE(ranks);
    const auto ring = fit_ring(ranks, ring_times(ranks));
    REQUIRE(ring.has_value());
    CHECK(ring->longs.seconds_per_message == doctest::Approx(3e-6).epsilon(0.01));
    CHECK(ring->longs.seconds_per_byte == doctest::Approx(1 / 12e9).epsilon(0.01));
    CHECK(ring->from_bytes == 4 << 10);
    CHECK(ring->to_bytes == 4 << 20);
    REQUIRE(ring->shorts.has_value());
    CHECK(ring->shorts->seconds_per_message == doctest::Approx(0.4e-6).epsilon(0.01));
    CHECK(ring->median_error < 0.001);
    CHECK(ring->smallest_error > 1);
  }
}

TEST_CASE("on a slow wire the bytes hide what a message costs: short messages say it, and the model holds for both") {
  constexpr AlphaBeta wire = {20e-6, 1 / 0.1e9};
  for (const double of_longs : {0.0, 1.5}) {  // noise in α, beside times of 1 ms and more
    std::map<std::size_t, double> times = ring_times(4);
    for (auto& [bytes, time] : times) {
      const Cost cost = ring_cost(4, static_cast<double>(bytes));
      const double alphas = bytes < 64 << 10 ? cost.steps : of_longs * cost.steps;
      const double load = bytes < 64 << 10 ? 0 : cost.path_bytes;  // the wire passes short messages at once
      time = wire.seconds(alphas, load);
    }
    const auto ring = fit_ring(4, times);
    REQUIRE(ring.has_value());
    REQUIRE(ring->shorts.has_value());
    CHECK(ring->longs.seconds_per_message == doctest::Approx(20e-6).epsilon(0.01));
    CHECK(ring->longs.seconds_per_byte == doctest::Approx(1 / 0.1e9).epsilon(0.03));
    CHECK(std::abs(ring->smallest_error) < 0.05);  // if a message's latency dominates, the line is still found
  }
}

TEST_CASE("times without any order have no alpha and no beta") {
  std::map<std::size_t, double> times = ring_times(2);
  std::size_t turn = 0;
  for (auto& [bytes, time] : times) time = turn++ % 4 == 0 ? 1e-3 : 1e-6;
  CHECK_FALSE(fit_ring(2, times).has_value());
}

}  // namespace
}  // namespace hf::scaling

// Alpha and beta of the ring.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <map>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/alpha_beta.hpp"

namespace hf::scaling {
namespace {

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

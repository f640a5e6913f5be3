// Loops shared by all cores.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

#include "kit/loop_team.hpp"

namespace hf::workload {
namespace {

constexpr std::size_t dear = 1 << 20;  // a single iteration worth sharing

TEST_CASE("every iteration is done once, whatever the loop's length and cost") {
  for (std::size_t count : {0, 1, 2, 3, 7, 64, 1000}) {
    for (std::size_t cost : {std::size_t{0}, std::size_t{1}, std::size_t{100}, dear}) {
      std::vector<int> done(count);
      share_each(count, cost, [&](std::size_t i) { ++done[i]; });
      CHECK(done == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("parts are handed out without gaps") {
  std::atomic<std::size_t> sum = 0, parts = 0;
  const std::size_t count = 100'003;
  share(count, 1, [&](std::size_t first, std::size_t last) {
    CHECK(first < last);
    sum += last - first;
    ++parts;
  });
  CHECK(sum == count);
  CHECK(parts >= 1);
}

TEST_CASE("one part for each core, where that is asked for") {
  for (std::size_t count : {sharing_cores(), 7 * sharing_cores() + 1}) {
    std::atomic<std::size_t> sum = 0, parts = 0;
    const auto body = [&](std::size_t first, std::size_t last) {
      sum += last - first;
      ++parts;
    };
    share(count, dear, body, 1);
    CHECK(sum == count);
    CHECK(parts <= sharing_cores());
  }
}

TEST_CASE("what was written before a loop is seen in it, and what is written in it after") {
  std::vector<int> x(64);
  for (int round = 0; round < 2000; ++round) {  // short loops, one after the other, as in a network
    std::iota(x.begin(), x.end(), round);
    share_each(x.size(), dear, [&](std::size_t i) { x[i] += static_cast<int>(i); });
    for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(x[i] == round + 2 * static_cast<int>(i));
  }
}

TEST_CASE("a loop within a loop runs where it is") {
  std::vector<int> done(16 * 16);
  share_each(16, dear, [&](std::size_t i) { share_each(16, dear, [&](std::size_t j) { ++done[16 * i + j]; }); });
  CHECK(done == std::vector<int>(16 * 16, 1));
}

TEST_CASE("one core: the thread that asks runs every iteration itself, and others help again after") {
  const auto threads_of_a_loop = [] {
    std::vector<std::thread::id> by(64);
    share_each(by.size(), dear, [&](std::size_t i) { by[i] = std::this_thread::get_id(); });
    return by;
  };
  const std::vector<std::thread::id> only_this(64, std::this_thread::get_id());
  {
    const OneCore outer;
    { const OneCore inner; }
    for (int round = 0; round < 100; ++round) CHECK(threads_of_a_loop() == only_this);
  }
  bool helped = sharing_cores() == 1;
  for (int round = 0; round < 100'000 && !helped; ++round) helped = threads_of_a_loop() != only_this;
  CHECK(helped);
}

}  // namespace
}  // namespace hf::workload

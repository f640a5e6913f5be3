// The streams and the chase through memory: they must do the work that is counted for them.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "kit/random.hpp"
#include "kit/streams/chase.hpp"
#include "kit/streams/stream_runs.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {
namespace {

/// Runs a stream over arrays with guards between them.
struct Arrays {
  explicit Arrays(std::size_t n) : n(n), buffer(4 * (n + 64) * sizeof(float), Pages::base) {
    for (int i = 0; i < 4; ++i) fill_random({at(i), n + 64}, static_cast<std::uint32_t>(i));
    guards.assign(at(0) + n, at(0) + n + 64);
  }
  float* at(int i) const { return buffer.as<float>().data() + static_cast<std::size_t>(i) * (n + 64); }
  bool guard_intact() const { return std::memcmp(at(0) + n, guards.data(), 64 * sizeof(float)) == 0; }

  std::size_t n;
  Buffer buffer;
  std::vector<float> guards;
};

TEST_CASE("copy and triad, with ordinary and non-temporal stores, fill their array and nothing past it") {
  for (const StreamSet* set : stream_sets(probe_machine())) {
    CAPTURE(set->required);
    for (std::size_t blocks : {0, 1, 2, 5, 33}) {
      const std::size_t n = blocks * set->block;
      for (auto copy : {set->copy, set->copy_nontemporal}) {
        const Arrays arrays(n);
        copy(arrays.at(0), arrays.at(1), n, 2);
        CHECK(std::memcmp(arrays.at(0), arrays.at(1), n * sizeof(float)) == 0);
        CHECK(arrays.guard_intact());
      }
      for (auto triad : {set->triad, set->triad_nontemporal}) {
        const Arrays arrays(n);
        triad(arrays.at(0), arrays.at(1), arrays.at(2), 0.5f, n, 2);
        for (std::size_t i = 0; i < n; ++i)
          REQUIRE(arrays.at(0)[i] == doctest::Approx(arrays.at(1)[i] + 0.5f * arrays.at(2)[i]));
        CHECK(arrays.guard_intact());
      }
      const Arrays arrays(n);
      set->read(arrays.at(0), n, 3);
      set->read(arrays.at(0), n, 0);
    }
  }
}

TEST_CASE("a stream's working set holds all its arrays, and its bytes are those of all of them") {
  const StreamSet& set = *stream_sets(probe_machine()).back();
  for (Stream stream : all_streams) {
    for (std::size_t bytes : {std::size_t{8192}, std::size_t{98304}, std::size_t{10000000}}) {
      CAPTURE(id(stream));
      CHECK(array_floats(set, stream, bytes) % set.block == 0);
      const double moved = pass_bytes(set, stream, bytes);
      CHECK(moved <= static_cast<double>(bytes));
      CHECK(moved > static_cast<double>(bytes) - 4.0 * static_cast<double>(set.block) * arrays(stream));
    }
  }
}

TEST_CASE("streams run on one thread and on all, at the largest working set their memory is for") {
  const StreamSet& set = *stream_sets(probe_machine()).back();
  Team team(2);
  const std::size_t bytes = std::size_t{3} << 20;
  const StreamMemory memory(team, bytes);
  for (Stream stream : all_streams) {
    CHECK(one_thread(set, stream, memory, bytes).seconds(2) > 0);
    CHECK(all_threads(set, stream, memory, bytes / 2, team).seconds(2) > 0);
  }
}

TEST_CASE("a chase visits every line once before it returns, at every size it grows to") {
  std::vector<Line> memory(1000);
  RandomCycle cycle(memory);
  for (std::size_t lines : {1, 2, 3, 3, 17, 256, 1000}) {
    cycle.grow(lines);
    CHECK(cycle.lines() == lines);
    std::set<const Line*> seen;
    const Line* at = cycle.start();
    for (std::size_t hop = 0; hop < lines; ++hop) {
      CHECK(at >= memory.data());
      CHECK(at < memory.data() + lines);
      seen.insert(at);
      at = chase(at, 1);
    }
    CHECK(seen.size() == lines);
    CHECK(at == cycle.start());
    CHECK(chase(at, static_cast<std::int64_t>(lines)) == at);
    CHECK(chase(at, 0) == at);
  }
}

TEST_CASE("the order is random: few hops lead to a neighbour") {
  std::vector<Line> memory(10000);
  RandomCycle cycle(memory);
  cycle.grow(memory.size());
  int near = 0;
  for (const Line& line : memory) near += std::abs(line.next - &line) < 50;
  CHECK(near < 200);  // about 100 by chance
}

TEST_CASE("impossible cycles are refused") {
  std::vector<Line> memory(10);
  CHECK_THROWS_AS(RandomCycle(std::span<Line>()), std::invalid_argument);
  RandomCycle cycle(memory);
  CHECK_THROWS_AS(cycle.grow(11), std::invalid_argument);
  cycle.grow(5);
  CHECK_THROWS_AS(cycle.grow(4), std::invalid_argument);
}

}  // namespace
}  // namespace hf::roofline

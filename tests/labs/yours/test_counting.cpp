// Counts bytes of code that tests/labs/yours/observed.cpp has, on several threads, and checks the atomic operations of such code.
#include "kit/observed_traffic.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/threads.hpp"
#include "kit/cache_simulator.hpp"
#include "labs/yours/observed.hpp"

namespace hf {
namespace {

constexpr std::size_t numbers = 40000;

CacheSimulator caches() {
  const Machine machine = probe_machine();
  return {detect_geometry(machine, 1), detect_geometry(machine, 2)};
}

/// Two arrays, and what moves when the second one is added to the first.
struct Sums {
  std::vector<float> from = std::vector<float>(numbers, 1), to = from;

  Observed counted(const std::function<void()>& call) const { return observe(call, caches(), {from, to}); }
  void add(std::size_t begin, std::size_t end) { observed::add(from.data() + begin, end - begin, to.data() + begin); }
};

void check_all_counted(const Observed& counted) {
  CHECK(counted.traffic.registers_l1 == 3 * sizeof(float) * numbers);
  CHECK(counted.compulsory == 3 * sizeof(float) * numbers);
  CHECK(counted.traffic.l2_beyond >= 3 * sizeof(float) * numbers);
  CHECK(counted.traffic.l2_beyond < 3.1 * sizeof(float) * numbers);
}

TEST_CASE("the bytes of one thread are counted") {
  Sums sums;
  check_all_counted(sums.counted([&] { sums.add(0, numbers); }));
}

TEST_CASE("the bytes of all threads are counted, those of the calling one or not") {
  Sums sums;
  check_all_counted(sums.counted([&] {
    std::thread half([&] { sums.add(0, numbers / 2); });
    sums.add(numbers / 2, numbers);
    half.join();
  }));
  check_all_counted(sums.counted([&] { std::thread([&] { sums.add(0, numbers); }).join(); }));
}

TEST_CASE("a thread that lives longer than a call is counted in each of its calls") {
  Team team(2);
  for (int call = 0; call < 3; ++call) {
    Sums sums;
    const auto half = [&](int thread) { thread == 0 ? sums.add(0, numbers / 2) : sums.add(numbers / 2, numbers); };
    check_all_counted(sums.counted([&] { team.run(half); }));
  }
}

TEST_CASE("each thread has its own caches") {
  std::vector<float> one(16);
  const auto sweep = [&] { observed::add(one.data(), one.size(), one.data()); };
  const auto lines = [&](int threads) {
    return observe(
               [&] {
                 for (int i = 0; i < threads; ++i) std::thread(sweep).join();
               },
               caches())
        .traffic.l1_l2;
  };
  CHECK(lines(1) > 0);
  CHECK(lines(3) == 3 * lines(1));
}

TEST_CASE("nothing is counted outside of a call") {
  Sums sums;
  sums.add(0, numbers);
  CHECK(sums.counted([] {}).traffic.registers_l1 == 0);
}

TEST_CASE("atomic operations return and leave what plain ones do") {
  for (const int bits : {8, 16, 32, 64, 128}) {
    CAPTURE(bits);
    const observed::Steps steps = observed::atomic_steps(bits);
    CHECK(steps.atomic.size() == 27);
    for (std::size_t i = 0; i < steps.atomic.size(); ++i) {
      CAPTURE(i);
      CHECK(static_cast<bool>(steps.atomic[i] == steps.plain[i]));
    }
  }
}

TEST_CASE("atomic operations lose nothing between threads") {
  constexpr int times = 200000;
  Team team(3);
  std::uint64_t number = 0;
  team.run([&](int) { observed::increment(number, times); });
  CHECK(number == 3 * times);
  observed::Wide wide = 0;
  team.run([&](int) { observed::shift(wide, times); });
  CHECK(static_cast<std::uint64_t>(wide) == 3 * times);
  CHECK(static_cast<std::int64_t>(wide >> 64) == -3 * times);
}

TEST_CASE("an atomic operation moves its bytes, once for what it reads and once for what it writes") {
  std::uint32_t number = 0;
  const auto bytes = [&](void (*operation)(std::uint32_t&)) {
    return observe([&] { operation(number); }, caches()).traffic.registers_l1;
  };
  CHECK(bytes(observed::load_once) == 4);
  CHECK(bytes(observed::store_once) == 4);
  CHECK(bytes(observed::add_once) == 8);
}

}  // namespace
}  // namespace hf

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "harness/machine/cores.hpp"
#include "harness/measure/clock.hpp"
#include "harness/measure/cores_kept.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/threads.hpp"
#include "process.hpp"

TEST_CASE("a team runs its task once on every thread, run after run") {
  for (const int size : {1, 2, 5}) {  // five are more than some machines have cores
    hf::Team team(size);
    REQUIRE(team.size() == size);
    std::vector<int> count(static_cast<std::size_t>(size));
    for (int repetition = 0; repetition < 50; ++repetition)
      team.run([&](int thread) { ++count[static_cast<std::size_t>(thread)]; });
    CHECK(count == std::vector<int>(static_cast<std::size_t>(size), 50));
  }
}

TEST_CASE("a run's seconds are those of its slowest thread, and no more than passed meanwhile") {
  hf::Team team(3);
  for (const int slow : {0, 2}) {
    const std::int64_t before = hf::now_ns();
    const double seconds = team.run([&](int thread) {
      if (thread == slow) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    CHECK(seconds >= 5e-3);
    CHECK(seconds <= static_cast<double>(hf::now_ns() - before) * 1e-9);
  }
}

TEST_CASE("no thread starts before all are there") {
  hf::Team team(3);
  std::atomic<int> inside{0};
  // Each waits for the other two inside the task: run one after the other, they would never finish.
  team.run([&](int) {
    ++inside;
    while (inside < 3) sched_yield();
  });
  CHECK(inside == 3);
}

TEST_CASE("a task's exception reaches the caller, and the team still works") {
  hf::Team team(2);
  const auto fail = [](int thread) {
    if (thread == 1) throw std::runtime_error("second");
  };
  CHECK_THROWS_WITH(team.run(fail), "second");
  std::atomic<int> runs{0};
  team.run([&](int) { ++runs; });
  CHECK(runs == 2);
}

TEST_CASE("threads of a team sit on different cores where there are enough") {
  const auto& cores = hf::usable_cores();
  REQUIRE(!cores.empty());
  hf::Team team;
  CHECK(team.size() == static_cast<int>(cores.size()));
  std::vector<int> on(cores.size(), -1);
  team.run([&](int thread) { on[static_cast<std::size_t>(thread)] = sched_getcpu(); });
  CHECK(std::set<int>(on.begin(), on.end()).size() == cores.size());
}

TEST_CASE("a team's first thread is the caller, which runs wherever it could before when the others have finished") {
  hf::Team team(2);
  const auto fails = [](int thread) {
    if (thread == 0) throw std::runtime_error("first");
  };
  std::thread::id first, second;
  std::thread([&] {
    const hf::Pinned pinned(hf::usable_cores().back());
    team.run([&](int thread) { (thread == 0 ? first : second) = std::this_thread::get_id(); });
    CHECK(first == std::this_thread::get_id());
    CHECK(second != first);
    CHECK_THROWS_WITH(team.run(fails), "first");
    CHECK(sched_getcpu() == hf::usable_cores().back());
  }).join();
}

TEST_CASE("a pinned thread stays on its core, and is free again afterwards") {
  const auto allowed = [] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return CPU_COUNT(&mask);
  };
  const int before = allowed();
  {
    const hf::Pinned pinned;
    REQUIRE(pinned.holds());
    CHECK(allowed() == 1);
    CHECK(sched_getcpu() == hf::usable_cores().front());
    std::thread([&] {
      CHECK(allowed() == 1);  // the same as the thread that started it
      hf::unpin();
      CHECK(allowed() == before);
    }).join();
    CHECK(allowed() == 1);
  }
  CHECK(allowed() == before);
  CHECK_FALSE(hf::Pinned(1 << 12).holds());  // a core that does not exist is refused without side effects
}

TEST_CASE("a variant on a team runs on every thread") {
  hf::Team team(2);
  std::atomic<int> calls{0};
  CHECK(hf::timed("count", team, [&](int) { ++calls; }).seconds(10) > 0);
  CHECK(calls == 20);
}

TEST_CASE("a thread knows when it was moved by others, pinned or not, and not when it moved itself" *
          doctest::skip(hf::usable_cores().size() < 2)) {
  CHECK(in_child([] {
    const auto& cores = hf::usable_cores();
    const auto moved_to = [](int core) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(core, &one);
      return sched_setaffinity(0, sizeof one, &one) == 0;
    };
    hf::Team().run([](int) {});
    bool good = hf::change_of_cores().empty();
    {
      const hf::Pinned pinned(cores.back());
      good = good && hf::change_of_cores().empty() && sched_getcpu() == cores.back();
      good = good && moved_to(cores.front()) && hf::change_of_cores().starts_with("from ");
    }
    return good && hf::change_of_cores().empty() && moved_to(cores.front()) && !hf::change_of_cores().empty();
  }));
}

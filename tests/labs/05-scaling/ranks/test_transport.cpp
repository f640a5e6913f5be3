#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

std::string what_ends(ThreadRanks& ranks, const std::function<void(Transport&)>& program) {
  try {
    ranks.run(program);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST_CASE("a message arrives, is counted and takes what the wire says") {
  ThreadRanks ranks(2, {10, 0.5});
  float got[3] = {};
  ranks.run([&](Transport& me) {
    const float sent[] = {1, 2, 3};
    if (me.rank() == 0) me.send(1, sent);
    if (me.rank() == 1) me.receive(0, got);
  });
  CHECK(got[2] == 3);
  CHECK(ranks.traffic(0).messages == 1);
  CHECK(ranks.traffic(0).bytes == 12);
  CHECK(ranks.traffic(1).messages == 0);
  CHECK(ranks.seconds() == 10 + 12 * 0.5);
}

TEST_CASE("a rank sends while it receives, also to itself, and adds to what it sends") {
  ThreadRanks ranks(2, {1, 0});
  ranks.run([](Transport& me) {
    std::vector<float> numbers = {1.0f + static_cast<float>(me.rank())};
    me.exchange_add(1 - me.rank(), numbers, 1 - me.rank(), numbers);
    if (numbers[0] != 3) throw std::runtime_error("not added");
    float mine = 0;
    me.exchange(me.rank(), numbers, me.rank(), {&mine, 1});
    if (mine != 3) throw std::runtime_error("not arrived");
  });
  CHECK(ranks.seconds() == 2);
}

TEST_CASE("a sum that nothing is added to stays") {
  std::vector<float> sums(2);
  ThreadRanks(2).run([&](Transport& me) {
    std::vector<float> numbers = {5};
    if (me.rank() == 0) me.exchange_add(1, numbers, nobody, numbers);
    if (me.rank() == 1) me.receive_add(0, numbers);
    sums[static_cast<std::size_t>(me.rank())] = numbers[0];
  });
  CHECK(sums == std::vector<float>{5, 10});
}

TEST_CASE("two that first send and then receive are a deadlock, and so is one who waits for a rank that has finished") {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    ThreadRanks both(2, {}, seed);
    const std::string why = what_ends(both, [](Transport& me) {
      float number = 1;
      me.send(1 - me.rank(), {&number, 1});
      me.receive(1 - me.rank(), {&number, 1});
    });
    CHECK(why == "deadlock: rank 0 waits to send to 1, rank 1 waits to send to 0");
    ThreadRanks one(3, {}, seed);
    const std::string left = what_ends(one, [](Transport& me) {
      float number = 1;
      if (me.rank() == 2) me.exchange(1, {&number, 1}, 0, {&number, 1});
    });
    CHECK(left == "deadlock: rank 2 waits to send to 1 and to receive from 0");
  }
}

TEST_CASE("a rank that dies ends the others, and its own words are what is heard") {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    ThreadRanks ranks(4, {}, seed);
    CHECK(what_ends(ranks, [](Transport& me) {
            float number = 1;
            if (me.rank() == 2) throw std::runtime_error("rank 2 has had enough");
            me.receive((me.rank() + 1) % 4, {&number, 1});
          }) == "rank 2 has had enough");
  }
}

TEST_CASE("messages of another length than expected are refused") {
  ThreadRanks ranks(2);
  CHECK(what_ends(ranks, [](Transport& me) {
          std::vector<float> numbers(me.rank() == 0 ? 3 : 2);
          if (me.rank() == 0) me.send(1, numbers);
          if (me.rank() == 1) me.receive(0, numbers);
        }) == "rank 0 sends 3 numbers where rank 1 expects 2");
  CHECK_THROWS_AS(ThreadRanks(0), std::invalid_argument);
}

TEST_CASE("a seed is one order of events, and another seed another one") {
  const auto order = [](std::uint64_t seed) {
    std::string events;  // one rank runs at a time
    ThreadRanks(4, {}, seed).run([&](Transport& me) {
      for (int step = 0; step < 4; ++step) {
        events += std::to_string(me.rank());
        me.exchange(nobody, {}, nobody, {});
      }
    });
    return events;
  };
  CHECK(order(1) == order(1));
  CHECK(order(1) != order(2));
  CHECK(order(1).size() == 16);
}

}  // namespace
}  // namespace hf::scaling

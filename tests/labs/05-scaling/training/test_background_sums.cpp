// Sums over ranks while a rank computes.
#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/transport.hpp"
#include "common/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

TEST_CASE("sums come in the order in which they were asked for, again and again") {
  for (const int n : {1, 2, 3, 4}) {
    std::vector<float> sums(static_cast<std::size_t>(n));
    ThreadRanks(n).run([&](Transport& me) {
      BackgroundSums background(me);
      for (int turn = 0; turn < 5; ++turn) {
        std::vector<float> first(7, 1), second(3, static_cast<float>(me.rank() + turn));
        background.add(first);
        background.add(second);
        background.finish();
        sums[static_cast<std::size_t>(me.rank())] += first[6] + second[2];
      }
      background.finish();  // nothing to wait for
    });
    const int expected = 5 * n + 5 * (n * (n - 1) / 2) + 10 * n;
    for (const float sum : sums) CHECK(sum == static_cast<float>(expected));
  }
}

TEST_CASE("what the transport throws arrives where it is waited for") {
  const auto program = [](Transport& me) {
    BackgroundSums background(me);
    std::vector<float> numbers(me.rank() == 0 ? 4 : 6);
    background.add(numbers);
    background.finish();
  };
  CHECK_THROWS_WITH_AS(ThreadRanks(2).run(program), doctest::Contains("numbers where rank"), std::runtime_error);
}

}  // namespace
}  // namespace hf::scaling

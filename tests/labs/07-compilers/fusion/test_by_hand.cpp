// Fused by hand: relu(x) · 0.5 + 1.
#include <doctest/doctest.h>

#include <cstddef>

#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "harness/measure/memory.hpp"
#include "kit/random.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

constexpr ByHand all_ways[] = {ByHand::three_passes, ByHand::one_pass, ByHand::one_pass_nontemporal, ByHand::in_place};

TEST_CASE("every way gives the same numbers, on arrays that are shared and on small ones") {
  for (const std::size_t count : {std::size_t{32}, std::size_t{96}, std::size_t{1} << 18}) {
    for (const ByHand how : all_ways) {
      CAPTURE(name(how));
      CAPTURE(count);
      Buffer memory[4];
      for (Buffer& each : memory) each = Buffer(count * sizeof(float), Pages::base);
      const auto array = [&](std::size_t i) { return memory[i].as<float>().data(); };
      fill_random(memory[0].as<float>(), 1);
      memory[0].as<float>()[1] = 0;
      chain_by_hand(how, {array(0), array(1), array(2), array(3), count});
      const float* y = array(how == ByHand::in_place ? 0 : 3);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const float x = i == 1 ? 0 : random_number(1, i);
        wrong += y[i] != (x > 0 ? x : 0) * 0.5f + 1;  // exact: halving is exact, and one addition rounds once
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("three passes move three times as much as one, and 4.5 times as much as one that reads no line it writes") {
  const double passes = chain_work(ByHand::three_passes, 1000).traffic();
  CHECK(passes == 36000);
  CHECK(passes / chain_work(ByHand::one_pass, 1000).traffic() == 3);
  CHECK(passes / chain_work(ByHand::one_pass_nontemporal, 1000).traffic() == 4.5);
  CHECK(passes / chain_work(ByHand::in_place, 1000).traffic() == 4.5);
}

}  // namespace
}  // namespace hf::compilers

#include "07-compilers/kernels/fusion/chain_by_hand.hpp"

#include <cstddef>
#include <string>

#include "harness/measure/vector.hpp"
#include "kit/loop_team.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t block = 32;  // floats: each part of a loop ends where a cache line ends, for any register width

Floats relu(Floats x) { return x > 0 ? x : Floats{}; }

/// to[i] = function(from[i]) on all cores.
template <bool nontemporal = false, class Function>
void pass(float* to, const float* from, std::size_t count, const Function& function) {
  const auto part = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first * block; i < last * block; i += 2 * lanes) {
      store_pair<nontemporal>(to + i, function(load(from + i)), function(load(from + i + lanes)));
    }
    if constexpr (nontemporal) drain_nontemporal();
  };
  share(count / block, block, part);
}

}  // namespace

std::string name(ByHand how) {
  constexpr const char* names[] = {"three passes", "one pass", "one pass, non-temporal", "one pass, in place"};
  return names[static_cast<std::size_t>(how)];
}

void chain_by_hand(ByHand how, const ChainArrays& arrays) {
  const auto& [x, first, second, y, count] = arrays;
  const auto all_three = [](Floats v) { return relu(v) * 0.5f + 1; };
  switch (how) {
    case ByHand::three_passes:
      pass(first, x, count, [](Floats v) { return relu(v); });
      pass(second, first, count, [](Floats v) { return v * 0.5f; });
      return pass(y, second, count, [](Floats v) { return v + 1; });
    case ByHand::one_pass: return pass(y, x, count, all_three);
    case ByHand::one_pass_nontemporal: return pass<true>(y, x, count, all_three);
    case ByHand::in_place: return pass(x, x, count, all_three);
  }
}

Work chain_work(ByHand how, std::size_t count) {
  const double passes = how == ByHand::three_passes ? 3 : 1;
  const bool allocates = how == ByHand::three_passes || how == ByHand::one_pass;
  const double bytes = passes * sizeof(float) * static_cast<double>(count);  // read; as many are written
  return {.flops = 3 * static_cast<double>(count), .bytes = 2 * bytes, .allocated_bytes = allocates ? bytes : 0};
}

}  // namespace hf::compilers

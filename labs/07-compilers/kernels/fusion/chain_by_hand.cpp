#include "07-compilers/kernels/fusion/chain_by_hand.hpp"

#include <cstddef>
#include <string>

#include "common/loop_team.hpp"
#include "harness/vector.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t block = 32;  // floats: a part of a loop ends where a cache line does, whatever the registers

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

/// Each number is read, changed and written so often.
Work passes(double often, std::size_t count, bool allocates) {
  const double bytes = sizeof(float) * static_cast<double>(count);
  return {.flops = 3 * static_cast<double>(count),
          .bytes = 2 * often * bytes,
          .allocated_bytes = allocates ? often * bytes : 0};
}

}  // namespace

std::string name(ByHand how) {
  switch (how) {
    case ByHand::three_passes: return "three passes";
    case ByHand::one_pass: return "one pass";
    case ByHand::one_pass_nontemporal: return "one pass, non-temporal";
    case ByHand::in_place: return "one pass, in place";
  }
  return "";
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
  switch (how) {
    case ByHand::three_passes: return passes(3, count, true);
    case ByHand::one_pass: return passes(1, count, true);
    case ByHand::one_pass_nontemporal:
    case ByHand::in_place: return passes(1, count, false);
  }
  return {};
}

}  // namespace hf::compilers

/// \file
/// relu(x) · 0.5 + 1, written by hand: what the loops that a compiler writes are held against.
#pragma once

#include <cstddef>
#include <string>

#include "harness/measure/work.hpp"

namespace hf::compilers {

enum class ByHand {
  three_passes,          ///< one for each operator, each through an array of its own
  one_pass,              ///< all three, while a number is in a register
  one_pass_nontemporal,  ///< with stores past the caches
  in_place,              ///< over its own input: no second array
};

/// Those that move least first.
constexpr ByHand all_by_hand[] = {ByHand::in_place, ByHand::one_pass_nontemporal, ByHand::one_pass,
                                  ByHand::three_passes};

/// "three passes", "one pass", ...
std::string name(ByHand how);

/// The arrays of one run, `count` floats each, aligned to 64 bytes.
struct ChainArrays {
  float* x;
  float* first;   ///< of three_passes: what the first operator makes
  float* second;  ///< and the second
  float* y;       ///< the result; in_place, it is in x
  std::size_t count;
};

/// On all cores, or on one where there is a OneCore. \pre count is a multiple of 32
void chain_by_hand(ByHand how, const ChainArrays& arrays);

/// Of `count` numbers that come from memory and go there.
Work chain_work(ByHand how, std::size_t count);

}  // namespace hf::compilers

/// \file
/// relu(x) · 0.5 + 1, written by hand, to compare with the loops that a compiler writes.
#pragma once

#include <cstddef>
#include <string>

#include "kit/work.hpp"

namespace hf::compilers {

enum class ByHand {
  three_passes,          ///< one for each operator, each with an output array of its own
  one_pass,              ///< all three operators while a number is in a register
  one_pass_nontemporal,  ///< with stores past the caches
  in_place,              ///< over its own input: no second array
};

/// In order of the bytes that they move, fewest first.
constexpr ByHand all_by_hand[] = {ByHand::in_place, ByHand::one_pass_nontemporal, ByHand::one_pass,
                                  ByHand::three_passes};

/// "three passes", "one pass", ...
std::string name(ByHand how);

/// The arrays of one run, `count` floats each, aligned to 64 bytes.
struct ChainArrays {
  float* x;
  float* first;   ///< of three_passes: the first operator's result
  float* second;  ///< and the second's
  float* y;       ///< the result; with in_place the result is in x
  std::size_t count;
};

/// Runs on all cores, or on one within the scope of a OneCore. \pre count is a multiple of 32
void chain_by_hand(ByHand how, const ChainArrays& arrays);

/// Work on `count` numbers that are read from memory and written there.
Work chain_work(ByHand how, std::size_t count);

}  // namespace hf::compilers

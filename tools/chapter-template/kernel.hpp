/// \file
/// The sum of an array, in one chain of additions or in several.
#pragma once

#include <cstddef>
#include <span>

namespace hf::NAMESPACE {

// [begin: sum]
/// The sum of @p x, whose size is a multiple of @p chains.
/// Each chain adds up every chains-th number.
template <std::size_t chains>
float sum_in_chains(std::span<const float> x) {
  float partial[chains] = {};
  for (std::size_t i = 0; i < x.size(); i += chains) {
    for (std::size_t c = 0; c < chains; ++c) partial[c] += x[i + c];
  }
  float total = 0;
  for (float part : partial) total += part;
  return total;
}
// [end: sum]

}  // namespace hf::NAMESPACE

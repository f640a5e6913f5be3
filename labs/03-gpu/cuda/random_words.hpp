/// \file
/// Inputs that host and device can both say: the word at an index, without storing it.
#pragma once

#include <cstdint>

namespace hf::gpu {

/// 32 random bits for each index, the same in every run. A finaliser of MurmurHash3 (Appleby, 2011).
constexpr std::uint32_t random_word(std::uint64_t index) {
  auto x = static_cast<std::uint32_t>(index ^ (index >> 32)) * 0x9e3779b9u + 0x7feb352du;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

/// Uniform in [−1, 1), a multiple of 2^-23.
constexpr float random_unit(std::uint64_t index) {
  return static_cast<float>(static_cast<std::int32_t>(random_word(index)) >> 8) * (1.0f / (1 << 23));
}

}  // namespace hf::gpu

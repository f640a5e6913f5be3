/// \file
/// Inputs: random, so that no value can be predicted and no multiplication is by zero, and the same in every run.
#pragma once

#include <cstdint>
#include <span>

namespace hf {

/// The number at an index of a sequence, uniform in [−1, 1). Multiples of 2^-23: sums and products of a few are never
/// denormal, which would cost some machines forty times as much.
constexpr float random_number(std::uint32_t sequence, std::uint64_t index) {
  // A finaliser of MurmurHash3 (Appleby, 2011).
  std::uint32_t x = static_cast<std::uint32_t>(index) * 0x9e3779b9u + sequence * 0x7feb352du + 1;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  x ^= x >> 16;
  return static_cast<float>(static_cast<std::int32_t>(x) >> 8) * (1.0f / (1 << 23));
}

/// to[i] = random_number(sequence, i)
inline void fill_random(std::span<float> to, std::uint32_t sequence) {
  for (std::uint64_t i = 0; i < to.size(); ++i) to[i] = random_number(sequence, i);
}

}  // namespace hf

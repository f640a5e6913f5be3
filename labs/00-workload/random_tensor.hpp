/// \file
/// Weights and inputs: random, and the same in every run.
#pragma once

#include <cstdint>
#include <span>

namespace hf::workload {

/// Number `index` of a sequence, uniform in [−1, 1): a multiple of 2^-23, so never a denormal.
inline float random_number(std::uint64_t sequence, std::uint64_t index) {
  std::uint64_t x = (sequence << 40) + index + 1;  // the finaliser of SplitMix64 (Steele, Lea and Flood, 2014)
  x *= 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<float>(static_cast<std::int32_t>(x >> 40) - (1 << 23)) * 0x1p-23f;
}

/// to[i] = middle + spread · random_number(sequence, i)
inline void fill_random(std::span<float> to, std::uint64_t sequence, float spread, float middle = 0) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = middle + spread * random_number(sequence, i);
}

/// Random whole numbers in [0, below).
inline void fill_random(std::span<int> to, std::uint64_t sequence, int below) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<int>((random_number(sequence, i) + 1) * 0.5f * static_cast<float>(below));
  }
}

}  // namespace hf::workload

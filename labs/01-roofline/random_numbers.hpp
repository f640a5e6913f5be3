/// \file
/// Inputs: random, so that no value can be predicted and no multiplication is by zero, and the same in every run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hf::roofline {

/// A sequence repeats after so many numbers, 4 MiB of them, so that filling memory costs little more than writing it.
constexpr std::uint64_t random_period = 1u << 20;

/// The number at an index of a sequence, uniform in [−1, 1). Multiples of 2^-23: sums and products of a few are never
/// denormal, which would cost some machines forty times as much.
constexpr float random_number(std::uint32_t sequence, std::uint64_t index) {
  // A finaliser of MurmurHash3 (Appleby, 2011).
  std::uint32_t x = static_cast<std::uint32_t>(index % random_period) * 0x9e3779b9u + sequence * 0x7feb352du + 1;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  x ^= x >> 16;
  return static_cast<float>(static_cast<std::int32_t>(x) >> 8) * (1.0f / (1 << 23));
}

/// to[i] = random_number(sequence, i)
inline void fill_random(std::span<float> to, std::uint32_t sequence) {
  const std::size_t computed = std::min<std::size_t>(to.size(), random_period);
  for (std::size_t i = 0; i < computed; ++i) to[i] = random_number(sequence, i);
  for (std::size_t done = computed; done < to.size();) {
    const std::size_t count = std::min(computed, to.size() - done);
    std::copy_n(to.begin(), count, to.begin() + static_cast<std::ptrdiff_t>(done));
    done += count;
  }
}

}  // namespace hf::roofline

/// \file
/// FP8 with four bits of exponent and three of mantissa, as numbers of a matrix. Plain C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "03-gpu/kernels/cuda/gemv_formats.hpp"
#include "kit/random.hpp"

namespace hf::gpu {

struct E4m3 {
  std::uint8_t bits;
};

inline float to_float(E4m3 x) {
  static const auto values = [] {
    std::array<float, 256> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto bits = static_cast<std::uint8_t>(i);
      all[i] = static_cast<float>(E4m3Weights::number(&bits, 0));
    }
    return all;
  }();
  return values[x.bits];
}

/// Sign and mantissa are random, the magnitude is between 1/8 and 2.
constexpr E4m3 random_e4m3(std::uint64_t sequence, std::uint64_t index) {
  return {static_cast<std::uint8_t>((random_word(sequence, index) >> 56 & 0x9f) | 0x20)};
}

}  // namespace hf::gpu

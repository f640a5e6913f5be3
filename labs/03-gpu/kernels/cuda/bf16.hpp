/// \file
/// bf16. Plain C++.
#pragma once

#include <bit>
#include <cstdint>

namespace hf::gpu {

/// The upper half of a float.
struct Bf16 {
  std::uint16_t bits;
};

constexpr float to_float(Bf16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }

/// Rounded to nearest, ties to even. \pre x is finite
constexpr Bf16 to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

}  // namespace hf::gpu

/// \file
/// Conversion between fp32 and floating-point numbers of 16 bits or fewer: IEEE 754 binary16, bfloat16, the FP8 formats
/// of the Open Compute Project ("8-bit Floating Point Specification", revision 1.0), and, from its "Microscaling
/// Formats (MX) Specification", version 1.0, the 4-bit elements (E2M1) and the power-of-two scales (E8M0).
///
/// From the highest bit to the lowest, a number consists of sign, exponent and mantissa. An exponent of 0 marks zero
/// and the subnormals, which have no leading one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace hf::precision {

/// How a format uses its bits.
struct FloatLayout {
  /// The meaning of the highest exponent.
  enum class Top {
    specials,  ///< infinity and NaNs, as in IEEE 754
    one_nan,   ///< numbers, except that the highest mantissa is NaN
    numbers    ///< numbers; the format has no NaN
  };

  int exponent_bits, mantissa_bits;
  Top top;

  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t magnitude_mask() const { return (1u << (bits() - 1)) - 1; }
  constexpr std::uint32_t infinity() const { return magnitude_mask() >> mantissa_bits << mantissa_bits; }

  /// The pattern of the largest finite number.
  constexpr std::uint32_t largest() const {
    if (top == Top::specials) return infinity() - 1;
    return top == Top::one_nan ? magnitude_mask() - 1 : magnitude_mask();
  }
};

inline constexpr FloatLayout fp16_layout = {5, 10, FloatLayout::Top::specials};
inline constexpr FloatLayout bf16_layout = {8, 7, FloatLayout::Top::specials};
inline constexpr FloatLayout e5m2_layout = {5, 2, FloatLayout::Top::specials};
inline constexpr FloatLayout e4m3_layout = {4, 3, FloatLayout::Top::one_nan};
inline constexpr FloatLayout e2m1_layout = {2, 1, FloatLayout::Top::numbers};

/// The result for a number that rounds past the largest finite one. FP8 defines both; a format without a pattern for
/// infinity or NaN saturates.
enum class Overflow {
  special,  ///< infinity, or NaN in a format without infinity
  saturate  ///< the largest finite number, also for infinity
};

namespace detail {

/// Where an fp32 magnitude lies between the patterns of a layout: at base + significand / 2^shift.
struct Position {
  std::uint32_t base, significand;
  int shift;
};

template <FloatLayout layout>
constexpr Position position_of(std::uint32_t magnitude) {
  constexpr int m = layout.mantissa_bits;
  constexpr std::uint32_t smallest = 128 - layout.bias();  // normal exponent
  const std::uint32_t exponent = std::max(magnitude >> 23, 1u);
  const std::uint32_t raised = std::max(exponent, smallest);  // or subnormal
  const std::uint32_t significand = magnitude - ((exponent - 1) << 23);
  const auto shift = static_cast<int>(23 - m + raised - exponent);
  return {(raised - smallest) << m, significand, shift};
}

// [begin: round]
constexpr std::uint32_t round_to_even(Position at) {
  const int shift = std::min(at.shift, 25);  // at 25, all are below half
  const std::uint32_t half = 1u << (shift - 1), odd = at.significand >> shift & 1;
  return at.base + ((at.significand + half - 1 + odd) >> shift);
}

constexpr std::uint32_t round_at_random(Position at, std::uint32_t random) {
  const std::uint64_t significand = std::uint64_t{at.significand} << 32;
  const std::uint64_t above_base = significand >> std::min(at.shift, 63);
  return at.base + static_cast<std::uint32_t>((above_base + random) >> 32);
}
// [end: round]

/// Adds the sign to the pattern of a rounded magnitude, and handles NaN and overflow.
template <FloatLayout layout>
constexpr std::uint32_t finish(std::uint32_t bits, std::uint32_t rounded, Overflow overflow) {
  using Top = FloatLayout::Top;
  constexpr int m = layout.mantissa_bits;
  const std::uint32_t magnitude = bits & 0x7fffffffu, sign = bits >> 31 << (layout.bits() - 1);
  if (magnitude > 0x7f800000u) {  // NaN
    if (layout.top != Top::specials) return sign | layout.magnitude_mask();
    return sign | layout.infinity() | 1u << (m - 1) | (magnitude >> (23 - m) & ((1u << m) - 1));
  }
  if (magnitude < 0x7f800000u && rounded <= layout.largest()) return sign | rounded;
  if (overflow == Overflow::saturate) return sign | layout.largest();
  return sign | (layout.top == Top::specials ? layout.infinity() : layout.magnitude_mask());
}

}  // namespace detail

/// x in the layout, rounded to nearest, ties to even.
template <FloatLayout layout>
constexpr std::uint32_t pattern_of(float x, Overflow overflow) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return detail::finish<layout>(bits, detail::round_to_even(detail::position_of<layout>(bits & 0x7fffffffu)), overflow);
}

/// x in the layout, rounded up with the probability that makes the result x on average.
/// \param random  32 random bits, different ones for each number
template <FloatLayout layout>
constexpr std::uint32_t stochastic_pattern_of(float x, Overflow overflow, std::uint32_t random) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const detail::Position at = detail::position_of<layout>(bits & 0x7fffffffu);
  return detail::finish<layout>(bits, detail::round_at_random(at, random), overflow);
}

/// The exact value of the pattern.
template <FloatLayout layout>
constexpr float value_of(std::uint32_t pattern) {
  constexpr int m = layout.mantissa_bits;
  constexpr std::uint32_t fractions = (1u << m) - 1;
  const std::uint32_t magnitude = pattern & layout.magnitude_mask(), sign = pattern >> (layout.bits() - 1) << 31;
  const std::uint32_t exponent = magnitude >> m, fraction = magnitude & fractions;
  if (magnitude > layout.largest()) {  // infinity or NaN
    const bool nan = layout.top != FloatLayout::Top::specials;
    return std::bit_cast<float>(sign | 0x7f800000u | (nan ? 1u << 22 : fraction << (23 - m)));
  }
  if (exponent == 0) {
    if (layout.bias() == 127) return std::bit_cast<float>(sign | fraction << (23 - m));  // subnormal in fp32 too
    const auto unit = std::bit_cast<float>(static_cast<std::uint32_t>(128 - layout.bias() - m) << 23);
    const float value = static_cast<float>(fraction) * unit;
    return sign == 0 ? value : -value;
  }
  return std::bit_cast<float>(sign | (exponent + 127 - static_cast<std::uint32_t>(layout.bias())) << 23 |
                              fraction << (23 - m));
}

/// NaNs become quiet and keep their sign and as much of their payload as fits, as with the hardware's instructions.
constexpr std::uint16_t fp16_of(float x, Overflow overflow = Overflow::special) {
  return static_cast<std::uint16_t>(pattern_of<fp16_layout>(x, overflow));
}
constexpr std::uint16_t bf16_of(float x, Overflow overflow = Overflow::special) {
  return static_cast<std::uint16_t>(pattern_of<bf16_layout>(x, overflow));
}
constexpr std::uint8_t e5m2_of(float x, Overflow overflow = Overflow::saturate) {
  return static_cast<std::uint8_t>(pattern_of<e5m2_layout>(x, overflow));
}
constexpr std::uint8_t e4m3_of(float x, Overflow overflow = Overflow::saturate) {
  return static_cast<std::uint8_t>(pattern_of<e4m3_layout>(x, overflow));
}
/// The pattern is in the lower four bits. Infinity and NaN, which the format does not have, become 6.
constexpr std::uint8_t e2m1_of(float x) {
  return static_cast<std::uint8_t>(pattern_of<e2m1_layout>(x, Overflow::saturate));
}

constexpr float from_fp16(std::uint16_t pattern) { return value_of<fp16_layout>(pattern); }
constexpr float from_bf16(std::uint16_t pattern) { return std::bit_cast<float>(std::uint32_t{pattern} << 16); }
constexpr float from_e5m2(std::uint8_t pattern) { return value_of<e5m2_layout>(pattern); }
constexpr float from_e4m3(std::uint8_t pattern) { return value_of<e4m3_layout>(pattern); }
/// \param pattern  the upper four bits are ignored
constexpr float from_e2m1(std::uint8_t pattern) { return value_of<e2m1_layout>(pattern & 15u); }

constexpr std::uint8_t e8m0_nan = 255;

/// 2^(pattern − 127), or NaN. The format has neither zero nor sign.
constexpr float from_e8m0(std::uint8_t pattern) {
  if (pattern == e8m0_nan) return std::bit_cast<float>(0x7fc00000u);
  return std::bit_cast<float>(pattern == 0 ? 1u << 22 : std::uint32_t{pattern} << 23);
}

/// The largest power of two that is at most |x|, but at least 2^-127; NaN for infinity and NaN. The scale is not
/// rounded to nearest, because it must not exceed |x|.
constexpr std::uint8_t e8m0_of(float x) {
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(x) << 1 >> 24);
}

}  // namespace hf::precision

#include "06-precision/gemv/rounded_vector.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hf::precision {
namespace {

/// The largest of |x|: magnitudes are ordered as their bits are, and whole numbers may be compared in any order.
float largest_of_block(const float* x) {
  std::int32_t largest = 0;
  for (std::size_t i = 0; i < RoundedVector::block; ++i) {
    largest = std::max(largest, std::bit_cast<std::int32_t>(x[i]) & 0x7fffffff);
  }
  return std::bit_cast<float>(largest);
}

}  // namespace

void RoundedVector::round(const float* x, std::size_t size, std::size_t unit) {
  const std::size_t padded = (size + unit - 1) / unit * unit;
  numbers.assign(padded, 0);
  scales.assign(padded / block, 0);
  sums.assign(padded / 16, 0);
  constexpr float rounder = 0x1.8p23f;  // added to a small number, it leaves the whole number in the lowest bits
  for (std::size_t b = 0; b < size / block; ++b, x += block) {
    const float largest = largest_of_block(x), inverse = largest < 0x1p-100f ? 0 : 127 / largest;
    std::int8_t* to = numbers.data() + b * block;
    scales[b] = largest / 127;
    for (std::size_t i = 0; i < block; ++i) {
      to[i] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(x[i] * inverse + rounder));
    }
    for (std::size_t i = 0; i < block; ++i) sums[2 * b + i / 16] += to[i];
  }
}

}  // namespace hf::precision

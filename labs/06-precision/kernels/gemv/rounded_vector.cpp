#include "06-precision/kernels/gemv/rounded_vector.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

/// to[i] = x[i] · factor, rounded to the nearest. \pre that is within ±127
void round_block(const float* __restrict x, float factor, std::int8_t* __restrict to) {
  constexpr float rounder = 0x1.8p23f;  // added to a small number, it leaves the whole number in the lowest bits
  for (std::size_t i = 0; i < RoundedVector::block; ++i) {
    const float raised = x[i] * factor + rounder;
    to[i] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(raised));
  }
}

/// Of 16 numbers: their bytes, without signs, are added four by four in 64 bits.
std::int32_t sum_of_16(const std::int8_t* numbers) {
  std::uint64_t sums = 0;
  for (std::size_t i = 0; i < 16; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, numbers + i, sizeof eight);
    eight ^= 0x8080808080808080u;
    sums += (eight & 0x00ff00ff00ff00ffu) + (eight >> 8 & 0x00ff00ff00ff00ffu);
  }
  return static_cast<std::int32_t>(sums * 0x0001000100010001u >> 48) - 16 * 128;
}

}  // namespace

void RoundedVector::round(const float* x, std::size_t size, std::size_t unit) {
  const std::size_t padded = (size + unit - 1) / unit * unit;
  numbers.resize(padded);
  scales.resize(padded / block);
  sums.resize(padded / 16);
  for (std::size_t b = 0; b < size / block; ++b) {
    const float largest = largest_of_block(x + b * block);
    scales[b] = largest / 127;
    round_block(x + b * block, largest < 0x1p-100f ? 0 : 127 / largest, &numbers[b * block]);
  }
  std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(size), numbers.end(), std::int8_t{0});
  std::fill(scales.begin() + static_cast<std::ptrdiff_t>(size / block), scales.end(), 0.0f);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sum_of_16(&numbers[16 * i]);
}

}  // namespace hf::precision

/// \file
/// A vector rounded to 8 bits in blocks of 32, as ggml does before it multiplies whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hf::precision {

/// x[i] is close to scales[i / 32] · numbers[i].
struct RoundedVector {
  static constexpr std::size_t block = 32;

  std::vector<std::int8_t> numbers;
  std::vector<float> scales;       ///< for each block: its largest magnitude / 127
  std::vector<std::int32_t> sums;  ///< of the numbers, by 16

  /// Rounds x to the nearest, and fills up with zeros to a multiple of `unit` numbers. A block that is everywhere below
  /// 2^-100 becomes zeros.
  /// \pre size is a multiple of 32, unit too
  void round(const float* x, std::size_t size, std::size_t unit);
};

}  // namespace hf::precision

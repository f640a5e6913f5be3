/// \file
/// The loops of the product of a matrix in tiles and a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// Whether a format's numbers are multiplied as whole numbers, by a vector that is rounded to such.
bool is_whole(Format format);

/// Powers of two by which some formats are dequantised too small or too large.
struct Factors {
  float input;  ///< of x, before: half of what is missing, so that no product leaves the range of fp32
  float sums;   ///< of the sums, after
};
Factors kernel_factors(Format format);

/// A vector rounded to 8 bits in blocks of 32, as ggml does before it multiplies whole numbers: x[i] is close to
/// scales[i / 32] · numbers[i].
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

/// Whether a format's numbers are multiplied in bf16, by a vector that is rounded to it: FP8's, where an instruction does.
bool is_bf16(Format format);

/// Rounds x to the nearest number in bf16, and fills up with zeros to a multiple of `unit` numbers.
/// \pre its NaNs are those that arithmetic makes
void round_to_bf16(const float* x, std::size_t size, std::size_t unit, std::vector<std::uint16_t>& to);

/// The vector that a matrix is multiplied by, times its factor, filled up with zeros to whole tiles.
struct TileInput {
  const float* x;                ///< for formats of numbers with a point
  const RoundedVector* rounded;  ///< for formats of whole numbers
  const std::uint16_t* bf16;     ///< for formats that are multiplied in bf16
};

/// One row of tiles times the vector: the sums of its rows.
/// \param across  tiles in the row
/// \param sums  (tile_rows)
using Kernel = void (*)(const std::byte* tiles, std::size_t across, const TileInput& input, float* sums);

Kernel kernel_for(Format format);

/// Whether loops that read a matrix from memory prefetch it; to begin with they do. Where the hardware prefetches
/// well by itself, it gets in its way: on a Zen 5 the products are faster with it, on a Zen 4 without, in four bits by a third.
void set_prefetching(bool prefetch);
bool prefetches();

}  // namespace hf::precision

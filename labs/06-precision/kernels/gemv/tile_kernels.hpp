/// \file
/// The loops that multiply a matrix in tiles by a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// True if a format's numbers are multiplied as integers, with the vector rounded to integers.
bool is_whole(Format format);

/// Powers of two that correct the scale of formats that are dequantised too small or too large.
struct Factors {
  float input;  ///< for x, before the product: half of the correction, so that no product leaves the range of fp32
  float sums;   ///< for the sums, after the product
};
Factors kernel_factors(Format format);

/// A vector rounded to 8 bits in blocks of 32, as ggml does before it multiplies integers: x[i] is close to
/// scales[i / 32] · numbers[i].
struct RoundedVector {
  static constexpr std::size_t block = 32;

  std::vector<std::int8_t> numbers;
  std::vector<float> scales;       ///< for each block: its largest magnitude / 127
  std::vector<std::int32_t> sums;  ///< of each 16 numbers

  /// Rounds x to nearest, and pads it with zeros to a multiple of `unit` numbers. A block whose magnitudes are all
  /// below 2^-100 becomes zeros.
  /// \pre size and unit are multiples of 32
  void round(const float* x, std::size_t size, std::size_t unit);
};

/// True if a format's numbers are multiplied in bf16, with the vector rounded to bf16: the FP8 formats, on processors
/// with an instruction for it.
bool is_bf16(Format format);

/// Rounds x to the nearest bf16 numbers, and pads it with zeros to a multiple of `unit` numbers.
/// \pre NaNs in x are those that arithmetic produces
void round_to_bf16(const float* x, std::size_t size, std::size_t unit, std::vector<std::uint16_t>& to);

/// The vector that a matrix is multiplied by, times Factors::input, padded with zeros to whole tiles.
struct TileInput {
  const float* x;                ///< for floating-point formats
  const RoundedVector* rounded;  ///< for integer formats
  const std::uint16_t* bf16;     ///< for formats that are multiplied in bf16
};

/// Multiplies one row of tiles by the vector.
/// \param across  tiles in the row
/// \param sums  receives the products, (tile_rows)
using Kernel = void (*)(const std::byte* tiles, std::size_t across, const TileInput& input, float* sums);

Kernel kernel_for(Format format);

/// Sets whether a format's loop prefetches a matrix that it reads from memory; the default is true. Software prefetching
/// interferes with hardware that prefetches well by itself: Zen 5 is faster with it; Zen 4 without, by a third in four
/// bits. How well the hardware prefetches depends on the loop, so each format has its own choice.
void set_prefetching(Format format, bool prefetch);
bool prefetches(Format format);

/// Sets it for all formats.
void set_prefetching(bool prefetch);

}  // namespace hf::precision

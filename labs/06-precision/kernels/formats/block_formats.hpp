/// \file
/// Numbers that share a scale with their neighbours: the blocks of ggml (Q8_0, Q4_0), of the Open Compute Project (MXFP8,
/// MXFP4: "Microscaling Formats (MX) Specification", version 1.0), and of NVIDIA (NVFP4).
///
/// Numbers of 4 bits lie two in a byte: number j in the lower half of byte j, number j + half a block in the upper. So ggml
/// lays them out; the specifications of the other formats leave it open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hf::precision {

/// ggml's: x = scale · q. Its reference quantiser makes the same bytes.
struct Q8_0Block {
  static constexpr std::size_t numbers = 32;
  std::uint16_t scale;  ///< fp16
  std::array<std::int8_t, numbers> q;
};

/// ggml's: x = scale · (q − 8). Its reference quantiser makes the same bytes.
struct Q4_0Block {
  static constexpr std::size_t numbers = 32;
  std::uint16_t scale;  ///< fp16; negative where the number of the largest magnitude is positive
  std::array<std::uint8_t, numbers / 2> q;
};

/// x = 2^(scale − 127) · q
struct Mxfp8Block {
  static constexpr std::size_t numbers = 32;
  std::uint8_t scale;                   ///< E8M0
  std::array<std::uint8_t, numbers> q;  ///< E4M3
};

/// x = 2^(scale − 127) · q
struct Mxfp4Block {
  static constexpr std::size_t numbers = 32;
  std::uint8_t scale;                       ///< E8M0
  std::array<std::uint8_t, numbers / 2> q;  ///< E2M1
};

/// x = scale of the matrix · scale · q
struct Nvfp4Block {
  static constexpr std::size_t numbers = 16;
  std::uint8_t scale;                       ///< E4M3
  std::array<std::uint8_t, numbers / 2> q;  ///< E2M1
};

static_assert(sizeof(Q8_0Block) == 34 && sizeof(Q4_0Block) == 18);
static_assert(sizeof(Mxfp8Block) == 33 && sizeof(Mxfp4Block) == 17 && sizeof(Nvfp4Block) == 9);

/// Each takes finite numbers, as many as the block has. A block whose scale underflows stands for zeros.
Q8_0Block q8_0_of(std::span<const float> x);
Q4_0Block q4_0_of(std::span<const float> x);
Mxfp8Block mxfp8_of(std::span<const float> x);
Mxfp4Block mxfp4_of(std::span<const float> x);

/// Not as the specification has it: the scale is twice as large where the largest number would saturate.
Mxfp8Block mxfp8_unclipped_of(std::span<const float> x);

/// \param matrix_scale  nvfp4_scale() of the whole matrix
Nvfp4Block nvfp4_of(std::span<const float> x, float matrix_scale);

/// Such that the largest scale of a block is 448, the largest of E4M3, and the largest number in it 6, that of E2M1.
float nvfp4_scale(float largest_magnitude);

void decode(const Q8_0Block& block, std::span<float> to);
void decode(const Q4_0Block& block, std::span<float> to);
void decode(const Mxfp8Block& block, std::span<float> to);
void decode(const Mxfp4Block& block, std::span<float> to);
void decode(const Nvfp4Block& block, float matrix_scale, std::span<float> to);

/// The largest of |x|; 0 where there are none.
float largest_magnitude(std::span<const float> x);

}  // namespace hf::precision

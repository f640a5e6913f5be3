/// \file
/// The number formats that the chapter compares, and weight matrices encoded in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hf::precision {

enum class Format {
  fp32,
  fp16,
  bf16,
  fp8_e4m3,      ///< one scale for the matrix
  fp8_e5m2,      ///< one scale for the matrix
  int8,          ///< one scale for the matrix
  int8_channel,  ///< one scale for each row
  q8_0,          ///< ggml: 32 numbers of 8 bits and a scale in fp16
  q4_0,          ///< ggml: 32 numbers of 4 bits and a scale in fp16
  mxfp8,         ///< OCP Microscaling: 32 numbers in E4M3 and a power of two
  mxfp4,         ///< OCP Microscaling: 32 numbers in E2M1 and a power of two
  nvfp4          ///< 16 numbers in E2M1 and a scale in E4M3; one scale in fp32 for the matrix
};

inline constexpr std::array all_formats = {Format::fp32,     Format::fp16,  Format::bf16,         Format::fp8_e4m3,
                                           Format::fp8_e5m2, Format::int8,  Format::int8_channel, Format::q8_0,
                                           Format::q4_0,     Format::mxfp8, Format::mxfp4,        Format::nvfp4};

/// The name in result ids: "fp32", "fp8_e4m3", "q4_0".
const char* id(Format format);

/// The name that readers see: "fp32", "FP8 E4M3", "Q4_0".
const char* label(Format format);

/// A matrix (rows, columns) in one format, laid out as its specification says: row after row, each row block after
/// block, and in each block the scale first, as in ggml.
struct EncodedMatrix {
  Format format;
  std::size_t rows, columns;
  std::vector<std::byte> bytes;  ///< the numbers, with the scales of their blocks
  std::vector<float> scales;     ///< scales outside the blocks: none, one, or one for each row

  /// Bits per number, including scales.
  double bits() const;
};

/// \pre values are finite; columns is a multiple of 32
EncodedMatrix encode(Format format, std::span<const float> values, std::size_t rows, std::size_t columns);

/// The decoded numbers, (rows, columns).
std::vector<float> decode(const EncodedMatrix& matrix);

// ---- Numbers that share a scale with their neighbours ----
//
// The blocks of ggml (Q8_0, Q4_0), of the Open Compute Project (MXFP8, MXFP4: "Microscaling Formats (MX)
// Specification", version 1.0), and of NVIDIA (NVFP4). Each byte holds two 4-bit numbers: byte j has number j in its
// lower half and number j + half a block in its upper half. This is ggml's layout; the specifications of the other
// formats leave it open.

/// ggml's x = scale · q. ggml's reference quantiser produces the same bytes.
struct Q8_0Block {
  static constexpr std::size_t numbers = 32;
  std::uint16_t scale;  ///< fp16
  std::array<std::int8_t, numbers> q;
};

/// ggml's x = scale · (q − 8). ggml's reference quantiser produces the same bytes.
struct Q4_0Block {
  static constexpr std::size_t numbers = 32;
  std::uint16_t scale;  ///< fp16; negative if the number of largest magnitude is positive
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

/// x = matrix scale · scale · q
struct Nvfp4Block {
  static constexpr std::size_t numbers = 16;
  std::uint8_t scale;                       ///< E4M3
  std::array<std::uint8_t, numbers / 2> q;  ///< E2M1
};

static_assert(sizeof(Q8_0Block) == 34 && sizeof(Q4_0Block) == 18);
static_assert(sizeof(Mxfp8Block) == 33 && sizeof(Mxfp4Block) == 17 && sizeof(Nvfp4Block) == 9);

/// Encode one block of finite numbers. A block whose scale underflows decodes to zeros. A block of MXFP8 or MXFP4 in
/// which a number is infinite or NaN decodes to NaNs.
Q8_0Block q8_0_of(std::span<const float> x);
Q4_0Block q4_0_of(std::span<const float> x);
Mxfp8Block mxfp8_of(std::span<const float> x);
Mxfp4Block mxfp4_of(std::span<const float> x);

/// Differs from the specification: the scale is doubled where the largest number would saturate.
Mxfp8Block mxfp8_unclipped_of(std::span<const float> x);

/// \param matrix_scale  nvfp4_scale() of the whole matrix
Nvfp4Block nvfp4_of(std::span<const float> x, float matrix_scale);

/// The matrix scale that makes the largest block scale 448, E4M3's maximum, and the largest number in that block 6,
/// E2M1's maximum.
float nvfp4_scale(float largest_magnitude);

void decode(const Q8_0Block& block, std::span<float> to);
void decode(const Q4_0Block& block, std::span<float> to);
void decode(const Mxfp8Block& block, std::span<float> to);
void decode(const Mxfp4Block& block, std::span<float> to);
void decode(const Nvfp4Block& block, float matrix_scale, std::span<float> to);

/// The largest of |x|; 0 if x is empty.
float largest_magnitude(std::span<const float> x);

}  // namespace hf::precision

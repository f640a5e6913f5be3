/// \file
/// The memory layout that lets a weight matrix be read from its first byte to its last: tiles of a few rows and 64
/// columns, with one row in each lane of a register. A lane holds neighbouring columns of its row. One instruction
/// dequantises as many rows as a register has lanes, and lanes are never added together.
///
/// The number of rows and some formats' order depend on the machine. Sources that include this header are compiled for
/// one machine; everything that depends on it has internal linkage.
#pragma once

#include <cstddef>

#include "06-precision/kernels/formats/formats.hpp"
#include "harness/measure/vector.hpp"

#if defined(__AVX512VBMI__) && defined(__AVX512BF16__)
#define HARDWARE_FIRST_BF16_PAIRS
#endif

namespace hf::precision {

/// How a format uses its bits. Formats without shared scales have blocks too, which have no effect.
struct BlockLayout {
  std::size_t bits;         ///< of a number
  std::size_t numbers;      ///< of a row that share a scale
  std::size_t scale_bytes;  ///< of that scale, which precedes the numbers; 0 if there is none
  std::size_t group;        ///< columns of a row that lie side by side in a tile

  constexpr std::size_t bytes() const { return scale_bytes + numbers * bits / 8; }
};

namespace {

/// True if a format's numbers are converted to bf16 and multiplied in pairs: FP8, on processors that can look up bytes
/// and have an instruction for such products.
constexpr bool in_bf16_pairs([[maybe_unused]] Format format) {
#if defined(HARDWARE_FIRST_BF16_PAIRS)
  return format == Format::fp8_e4m3 || format == Format::fp8_e5m2 || format == Format::mxfp8;
#else
  return false;
#endif
}

constexpr BlockLayout block_layout(Format format) {
  switch (format) {
    case Format::fp32: return {32, 32, 0, 1};
    case Format::fp16: return {16, 32, 0, 1};
    case Format::bf16: return {16, 32, 0, 2};
    case Format::fp8_e4m3:
    case Format::fp8_e5m2: return {8, 32, 0, in_bf16_pairs(format) ? 2u : 4u};
    case Format::int8:
    case Format::int8_channel: return {8, 32, 0, 4};
    case Format::q8_0: return {8, 32, 2, 4};
    case Format::q4_0: return {4, 32, 2, 8};
    case Format::mxfp8: return {8, 32, 1, in_bf16_pairs(format) ? 2u : 4u};
    case Format::mxfp4: return {4, 32, 1, 8};
    case Format::nvfp4: return {4, 16, 1, 8};
  }
  return {};
}

/// The size of a tile: two registers of rows, and enough columns for its scales to fill whole cache lines.
constexpr std::size_t tile_rows = 2 * lanes, tile_columns = 64;

/// The scales of a tile precede its numbers: those of all rows for the first block of columns, then those for the next.
constexpr std::size_t tile_scale_bytes(BlockLayout layout) {
  return tile_rows * (tile_columns / layout.numbers) * layout.scale_bytes;
}

constexpr std::size_t tile_bytes(BlockLayout layout) {
  return tile_scale_bytes(layout) + tile_rows * tile_columns * layout.bits / 8;
}

constexpr std::size_t tiles_for(std::size_t count, std::size_t unit) { return (count + unit - 1) / unit; }

}  // namespace
}  // namespace hf::precision

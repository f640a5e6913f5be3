/// \file
/// How each format lays out its numbers and their scales.
#pragma once

#include <cstddef>

#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

/// How a format uses its bits. Formats whose numbers share no scale have blocks too: they change nothing.
struct BlockLayout {
  std::size_t bits;         ///< of a number
  std::size_t numbers;      ///< of a row that share a scale
  std::size_t scale_bytes;  ///< of that scale, which stands before them; 0 where there is none
  std::size_t group;        ///< columns of a row that lie side by side in a tile

  constexpr std::size_t bytes() const { return scale_bytes + numbers * bits / 8; }
};

constexpr BlockLayout block_layout(Format format) {
  switch (format) {
    case Format::fp32: return {32, 32, 0, 1};
    case Format::fp16: return {16, 32, 0, 1};
    case Format::bf16: return {16, 32, 0, 2};
    case Format::fp8_e4m3:
    case Format::fp8_e5m2:
    case Format::int8:
    case Format::int8_channel: return {8, 32, 0, 4};
    case Format::q8_0: return {8, 32, 2, 4};
    case Format::q4_0: return {4, 32, 2, 8};
    case Format::mxfp8: return {8, 32, 1, 4};
    case Format::mxfp4: return {4, 32, 1, 8};
    case Format::nvfp4: return {4, 16, 1, 8};
  }
  return {};
}

}  // namespace hf::precision

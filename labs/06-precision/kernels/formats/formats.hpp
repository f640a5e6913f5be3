/// \file
/// The formats of numbers that the chapter compares, and matrices of weights encoded in them.
#pragma once

#include <array>
#include <cstddef>
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

/// As results are named: "fp32", "fp8_e4m3", "q4_0".
const char* id(Format format);

/// As readers know it: "fp32", "FP8 E4M3", "Q4_0".
const char* label(Format format);

/// A matrix (rows, columns) in one format, as the format's specification lays it out: row after row, in a row block after
/// block, in a block the scale first as in ggml.
struct EncodedMatrix {
  Format format;
  std::size_t rows, columns;
  std::vector<std::byte> bytes;  ///< of the numbers, and of the scales that stand among them
  std::vector<float> scales;     ///< those that stand apart: none, one, or one for each row

  /// Bits for each number, the scales included.
  double bits() const;
};

/// \pre values are finite; columns is a multiple of 32
EncodedMatrix encode(Format format, std::span<const float> values, std::size_t rows, std::size_t columns);

/// The numbers that the matrix stands for, (rows, columns).
std::vector<float> decode(const EncodedMatrix& matrix);

}  // namespace hf::precision

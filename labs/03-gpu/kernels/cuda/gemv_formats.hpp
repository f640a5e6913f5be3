/// \file
/// Matrices of weights for a product with a vector, in 16, 8 and about 4 bits a number: how rows are stored, and the
/// value of each stored number, the slow and obvious way. Plain C++; the kernels in gemv.cuh decode the same bytes.
///
/// A row consists of pieces of 16 bytes, one load of a thread each.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "03-gpu/kernels/cuda/bf16.hpp"
#include "kit/random.hpp"

namespace hf::gpu {

constexpr int piece_bytes = 16;

/// A matrix (rows, columns) in one of the formats below.
struct PackedMatrix {
  int rows, columns;            ///< columns: whole pieces
  const std::uint8_t* numbers;  ///< rows of pieces
  const float* row_scales;      ///< of e4m3: one for each row
  const Bf16* piece_scales;     ///< of 4 bits: one for each piece
};

/// bf16, as it is.
struct Bf16Weights {
  static constexpr int numbers = 8;  ///< in a piece
  static constexpr bool scales_rows = false, scales_pieces = false;
  /// For random_weights(): sign and mantissa are random, the magnitude is between 1/2 and 2.
  static constexpr std::uint32_t kept = 0x80ff80ff, set = 0x3f003f00;

  static double number(const std::uint8_t* piece, int i) {
    return to_float({static_cast<std::uint16_t>(piece[2 * i] | piece[2 * i + 1] << 8)});
  }
};

/// FP8 with four bits of exponent and three of mantissa (Open Compute Project, "8-bit Floating Point Specification"),
/// times a number for each row. Its two NaNs are not used.
struct E4m3Weights {
  static constexpr int numbers = 16;
  static constexpr bool scales_rows = true, scales_pieces = false;
  static constexpr std::uint32_t kept = 0xfefefefe, set = 0;  ///< for random_weights(): no NaN, whose bits are all ones

  static double number(const std::uint8_t* piece, int i) {
    const int bits = piece[i], exponent = bits >> 3 & 15, mantissa = bits & 7;
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
    return bits < 128 ? magnitude : -magnitude;
  }
};

/// Whole numbers from −8 to 7, stored with 8 added, two in a byte, the first in its lower half; times a number for each
/// group of 32, which is a piece. Chapter 06's Q4_0 with the scales in an array of their own, so that pieces are
/// aligned.
struct FourBitWeights {
  static constexpr int numbers = 32;
  static constexpr bool scales_rows = false, scales_pieces = true;
  static constexpr std::uint32_t kept = 0xffffffff, set = 0;  ///< for random_weights()

  static double number(const std::uint8_t* piece, int i) { return (piece[i / 2] >> (i % 2 * 4) & 15) - 8; }
};

/// Four bytes of random weights.
template <class Weights>
constexpr std::uint32_t random_weights(std::uint64_t index) {
  return (static_cast<std::uint32_t>(random_word(0, index) >> 32) & Weights::kept) | Weights::set;
}

/// Bytes of a row, with its scales.
template <class Weights>
constexpr int row_bytes(int columns) {
  const int pieces = columns / Weights::numbers;
  return pieces * piece_bytes + (Weights::scales_rows ? int{sizeof(float)} : 0) +
         (Weights::scales_pieces ? pieces * int{sizeof(Bf16)} : 0);
}

}  // namespace hf::gpu

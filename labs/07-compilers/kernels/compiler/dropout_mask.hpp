/// \file
/// Which numbers a dropout drops: a function of its seed and a number's place and of nothing else, so that loops may be
/// split, joined and shared as they like and all draw the same mask.
///
/// Each row has 64 random bits, which SplitMix64 (see common/random.hpp) draws with the dropout's seed; a row's numbers
/// mix them with their column, in the 32 bits that vectors multiply fast.
///
/// Generated code holds this header as text: like vector.hpp it uses no library templates, and all here has internal linkage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "07-compilers/kernels/compiler/vector_math.hpp"
#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

/// What the masks of one row follow from.
struct DropoutRow {
  std::uint32_t first, second;
};

inline DropoutRow dropout_row(std::uint64_t seed, std::uint64_t row) {
  std::uint64_t x = seed + (row + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32)};
}

/// 32 random bits of a number, or of a vector of them: two rounds of multiplying and folding back (the constants are those
/// of Wellons' "lowbias32"), the second half of the row's bits between them, so that no two rows are shifts of each other.
template <class Word>
inline Word dropout_bits(DropoutRow row, Word column) {
  Word x = column + row.first;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15) ^ row.second) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Bits below this mean that the number is dropped.
inline std::uint32_t dropout_threshold(float probability) {
  return static_cast<std::uint32_t>(static_cast<double>(probability) * 0x1p32);
}

/// Of numbers in columns `column`, column + 1, …: 0 for the dropped ones, `factor` times the others.
inline Floats dropped(Floats x, DropoutRow row, std::size_t column, std::uint32_t threshold, float factor) {
  Words columns;
  for (std::size_t lane = 0; lane < lanes; ++lane) columns[lane] = static_cast<std::uint32_t>(lane);
  columns += static_cast<std::uint32_t>(column);
  x = opaque(x);  // else GCC loads x under the mask: then no load can begin before its mask has been computed
  return dropout_bits(row, columns) < threshold ? Floats{} : x * factor;
}

}  // namespace
}  // namespace hf::compilers

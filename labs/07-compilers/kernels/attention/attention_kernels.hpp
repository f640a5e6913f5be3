/// \file
/// The innermost loops of attention: the exponential, and the tiles of flash_attention(). Only this file depends on the
/// registers. Each lane holds one query, so nothing is ever added or compared across a register; keys and values are
/// read from their arrays, one number at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/vector.hpp"
#include "kit/softmax.hpp"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#endif

namespace hf::compilers {
namespace {

// ---- The exponential ----

// Scores are already multiplied by log₂e, which costs nothing because they are scaled anyway, and never exceed the
// highest by much. exponential(), for any number, takes up to twice as many instructions.

/// Vector instructions of power_of_two() for each score.
#if defined(__AVX512DQ__)
constexpr double power_of_two_instructions = 8;
#else
constexpr double power_of_two_instructions = 11;
#endif

#if defined(__AVX512DQ__)
/// 2^x for x ≤ 2⁷; 2⁻¹²⁶ for all x below -126. Relative error < 2⁻²²: 2^x = 2^⌊x⌋ · 2^f, where a polynomial
/// approximates 2^f to the precision of a float. AVX-512DQ has instructions for f and for the product with a power of
/// two.
inline Floats power_of_two(Floats x) {
  constexpr __mmask16 every_lane = 0xffff;  // GCC 12 warns inside the functions without a mask
  const __m512 clamped = _mm512_maskz_max_ps(every_lane, (__m512)x, (__m512)broadcast(-126));
  const Floats f = (Floats)_mm512_maskz_reduce_ps(every_lane, clamped, _MM_FROUND_TO_NEG_INF);
  Floats p = broadcast(0x1.e974fap-10f);
  p = p * f + 0x1.277856p-7f;
  p = p * f + 0x1.c91ce6p-5f;
  p = p * f + 0x1.ebdb56p-3f;
  p = p * f + 0x1.62e4bap-1f;
  p = p * f + 1.0f;
  return (Floats)_mm512_maskz_scalef_ps(every_lane, (__m512)p, clamped);
}
#else
/// 2^x for x ≤ 2⁷; 2⁻¹²⁶ for all x below -126. Relative error < 2⁻²²: 2^x = 2^n · 2^f with n = round(x), where a
/// polynomial approximates 2^f to the precision of a float.
inline Floats power_of_two(Floats x) {
  constexpr float magic = 0x1.8p23f;  // in a sum this large the last digit counts 1
  const Floats clamped = higher(x, broadcast(-126)), shifted = clamped + magic;
  const Floats f = clamped - (shifted - magic);
  Floats p = broadcast(0x1.5bba14p-10f);
  p = p * f + 0x1.3cea88p-7f;
  p = p * f + 0x1.c6b752p-5f;
  p = p * f + 0x1.ebf9bcp-3f;
  p = p * f + 0x1.62e42ap-1f;
  p = p * f + 1.0f;
  return (Floats)((Ints)p + ((Ints)shifted << 23));  // · 2^n, in the exponent
}
#endif

// ---- The tiles ----

/// Size of the tile that stays in registers: keys, or columns of the output, by registers of queries. Three registers
/// of queries and one of the other factor fit beside the tile.
constexpr std::size_t flash_rows = vector_registers == 32 ? 8 : 4, flash_vectors = 3;

/// How far a score may be above the reference maximum before the block is rescaled. Weights are powers of two, so they
/// may then reach 2⁸, which fp32 holds easily. A block of queries is rescaled at its first keys and hardly ever again.
constexpr float flash_slack = 8;

/// The score of a key that is hidden from a query.
constexpr float hidden_score = -1e30f;

/// A block of queries, as wide as its kernels, and the sums over the keys so far.
struct QueryBlock {
  const float* queries;   ///< (d, width), times log₂e / √d
  float* outputs;         ///< (d, width): Σ weight · value
  float *highest, *sums;  ///< (width): the score whose weight is 1, and Σ weight
  float* weights;         ///< (keys of a chunk, width)
  std::size_t d;
  std::int32_t last_key;   ///< the last that the first query may see; each next query may see one more
  std::size_t rescalings;  ///< how often so far
};

/// Applies new highest scores to all sums so far: sums, outputs and the weights of this chunk's first keys.
template <std::size_t vectors>
__attribute__((noinline)) void rescale(QueryBlock& block, const Floats* highest, std::size_t keys) {
  constexpr std::size_t width = vectors * lanes;
  for (std::size_t v = 0; v < width; v += lanes) {
    const Floats old = load(block.highest + v), now = higher(highest[v / lanes], old);
    const Floats factor = power_of_two(old - now);
    store(block.highest + v, now);
    store(block.sums + v, load(block.sums + v) * factor);
    for (std::size_t e = 0; e < block.d; ++e) {
      store(block.outputs + e * width + v, load(block.outputs + e * width + v) * factor);
    }
    for (std::size_t j = 0; j < keys; ++j) {
      store(block.weights + j * width + v, load(block.weights + j * width + v) * factor);
    }
  }
  ++block.rescalings;
}

/// sum[i][v] += x[i · row_stride + p · step] · y[p · width + v], for p < depth. \pre depth > 0
template <std::size_t rows, std::size_t vectors>
inline void multiply_add_tile(std::size_t depth, const float* x, std::size_t row_stride, std::size_t step,
                              const float* y, Floats (&sum)[rows][vectors]) {
  constexpr std::size_t group = 3;  // rows that share an address register
  const float* row[(rows + group - 1) / group];
  for (std::size_t i = 0; i < rows; i += group) row[i / group] = x + i * row_stride;
  std::size_t p = 0;
  do {  // a while loop, which may run zero times, would copy the sums before and after
    Floats near[vectors];
#pragma GCC unroll 3
    for (std::size_t v = 0; v < vectors; ++v) near[v] = opaque(load(y + v * lanes));
#pragma GCC unroll 8
    for (std::size_t i = 0; i < rows; ++i) {
      const float far = row[i / group][i % group * row_stride + p * step];
#pragma GCC unroll 3
      for (std::size_t v = 0; v < vectors; ++v) sum[i][v] += far * near[v];
    }
    y += vectors * lanes;
  } while (++p < depth);
}

/// Hides from each query the keys that come after it.
/// \param last  the last key that the first query may see; each query may see one more than the one before
/// \param key  the key of score[0]
template <std::size_t rows, std::size_t vectors>
inline void hide_later_keys(Floats (&score)[rows][vectors], std::int32_t last, std::int32_t key) {
  Ints lane;
  for (std::size_t i = 0; i < lanes; ++i) lane[i] = static_cast<std::int32_t>(i);
  for (std::size_t v = 0; v < vectors; ++v) {
    for (std::size_t i = 0; i < rows; ++i) {
      const Ints later = lane + (last + static_cast<std::int32_t>(v * lanes)) < key + static_cast<std::int32_t>(i);
      score[i][v] = later ? broadcast(hidden_score) : score[i][v];
    }
  }
}

/// Computes the weights of some keys, 2^(score - highest), for a block of queries. The first `done` keys of the chunk
/// already have theirs.
template <std::size_t rows, std::size_t vectors>
void weigh_keys(QueryBlock& block, const float* keys, std::size_t done, std::size_t key, bool masked) {
  constexpr std::size_t width = vectors * lanes;
  Floats score[rows][vectors], top[vectors];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < vectors; ++v) score[i][v] = Floats{};
  }
  multiply_add_tile<rows, vectors>(block.d, keys, block.d, 1, block.queries, score);
  if (masked) hide_later_keys(score, block.last_key, static_cast<std::int32_t>(key));
  Ints grown = {};
#pragma GCC unroll 3
  for (std::size_t v = 0; v < vectors; ++v) {
    top[v] = score[0][v];
#pragma GCC unroll 8
    for (std::size_t i = 1; i < rows; ++i) top[v] = higher(top[v], score[i][v]);
    grown |= top[v] > load(block.highest + v * lanes) + flash_slack;
  }
  if (any(grown)) rescale<vectors>(block, top, done);
  float* to = block.weights + done * width;
#pragma GCC unroll 3
  for (std::size_t v = 0; v < vectors; ++v) {
    const Floats highest = load(block.highest + v * lanes);
    Floats sum = load(block.sums + v * lanes);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < rows; ++i) {
      const Floats weight = power_of_two(score[i][v] - highest);
      store(to + i * width + v * lanes, weight);
      sum += weight;
    }
    store(block.sums + v * lanes, sum);
  }
}

/// outputs += weight · value over a chunk's keys, for `rows` of the columns.
template <std::size_t rows, std::size_t vectors>
void add_values(QueryBlock& block, const float* values, std::size_t keys, std::size_t column) {
  constexpr std::size_t width = vectors * lanes;
  float* const outputs = block.outputs + column * width;
  Floats sum[rows][vectors];
#pragma GCC unroll 8
  for (std::size_t e = 0; e < rows; ++e) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < vectors; ++v) sum[e][v] = load(outputs + e * width + v * lanes);
  }
  multiply_add_tile<rows, vectors>(keys, values + column, 1, block.d, block.weights, sum);
#pragma GCC unroll 8
  for (std::size_t e = 0; e < rows; ++e) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < vectors; ++v) store(outputs + e * width + v * lanes, sum[e][v]);
  }
}

}  // namespace
}  // namespace hf::compilers

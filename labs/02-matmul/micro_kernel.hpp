/// \file
/// The innermost loops of gemm(): the only place that knows the registers.
#pragma once

#include <cstddef>

#include "harness/vector.hpp"

namespace hf::matmul {
namespace {

/// The tile of c that stays in registers: two registers wide, and as many rows as leave room for two registers of b and
/// one of a.
constexpr std::size_t tile_rows = vector_registers == 32 ? 14 : 6;
constexpr std::size_t tile_columns = 2 * lanes;

/// How many steps of the innermost loop before they are needed the rows of b are asked for, while b is being packed: about
/// what an answer from memory takes. And a cache line, in floats.
constexpr std::size_t b_ahead = 48, line = 64 / sizeof(float);

/// A matrix inside a matrix.
struct View {
  const float* data;
  std::size_t stride;  ///< floats from row to row
};

// [begin: micro-kernel]
/// c (+)= a · b for one tile: a is (rows, depth), b (depth, tile_columns). Each
/// number of b is used `rows` times from its register, each number of a
/// `tile_columns` times. Leaves a copy of b in `packed`, without gaps. Asks
/// for the `next` rows of a and for c on the way: a few lines at a time, since
/// a burst of requests would hold up the loads.
template <std::size_t rows, bool pack, bool add>
void multiply_tile(std::size_t depth, View a, View b, View next, std::size_t next_rows, float* packed, float* c,
                   std::size_t c_stride) {
  constexpr std::size_t group = 5;  // rows that share an address register
  const float* row[(rows + group - 1) / group];
  for (std::size_t i = 0; i < rows; i += group) row[i / group] = a.data + i * a.stride;

  Floats left[rows] = {}, right[rows] = {};
  for (std::size_t p = 0; p < depth; ++p, b.data += b.stride) {
    if (p % line == 0) {
      for (std::size_t i = 0; i < next_rows; ++i) __builtin_prefetch(next.data + i * next.stride + p, 0, 2);
      if (const std::size_t i = p / line; i < rows) {
        __builtin_prefetch(c + i * c_stride, 1, 2);
        __builtin_prefetch(c + i * c_stride + lanes, 1, 2);
      }
    }
    const Floats b_left = load(b.data), b_right = load(b.data + lanes);
    if constexpr (pack) {
      __builtin_prefetch(b.data + b_ahead * b.stride, 0, 2);
      __builtin_prefetch(b.data + b_ahead * b.stride + lanes, 0, 2);
      store(packed, b_left);
      store(packed + lanes, b_right);
      packed += tile_columns;
    }
#pragma GCC unroll 14
    for (std::size_t i = 0; i < rows; ++i) {
      const float from_a = row[i / group][i % group * a.stride + p];
      left[i] += from_a * b_left;
      right[i] += from_a * b_right;
    }
  }
#pragma GCC unroll 14
  for (std::size_t i = 0; i < rows; ++i, c += c_stride) {
    store(c, add ? load(c) + left[i] : left[i]);
    store(c + lanes, add ? load(c + lanes) + right[i] : right[i]);
  }
}
// [end: micro-kernel]

}  // namespace
}  // namespace hf::matmul

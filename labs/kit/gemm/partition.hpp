/// \file
/// Divides a matrix product: into parts of almost equal size, into blocks, among threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "harness/measure/memory.hpp"

namespace hf::matmul {

inline std::size_t parts_of(std::size_t whole, std::size_t most) { return (whole + most - 1) / most; }
inline std::size_t round_up(std::size_t value, std::size_t unit) { return parts_of(value, unit) * unit; }

/// The size of a part that divides the whole into the fewest equal parts of at most `most`, in whole units.
inline std::size_t even_part(std::size_t whole, std::size_t most, std::size_t unit) {
  return round_up(whole <= most ? whole : parts_of(whole, parts_of(whole, most)), unit);
}

/// True if rows this far apart, a multiple of 4 KiB, compete for the same places in the level-1 cache.
inline bool rows_compete(std::size_t stride_bytes) { return stride_bytes % 4096 == 0; }

/// The largest block of b that stays in the level-2 cache; the rest of the cache is for streaming data.
/// \param l2_bytes  of one core's level-2 cache; 0 when unknown
inline double block_bytes(std::uint64_t l2_bytes) {
  return 0.6 * static_cast<double>(l2_bytes != 0 ? l2_bytes : 512 * 1024);
}

/// Memory for this many numbers, kept from one product to the next.
template <class Number>
Number* memory_of(Buffer& buffer, std::size_t numbers) {
  if (buffer.size() < numbers * sizeof(Number)) buffer = Buffer(numbers * sizeof(Number), Pages::huge);
  return buffer.as<Number>().data();
}

/// Some rows and columns of c.
struct Rectangle {
  std::size_t row, column, rows, columns;
};

/// Which side of c is divided among threads.
enum class Split {
  longer,  ///< rows: all threads read the same b and each has a copy in its own cache; columns only if
           ///< there are many more of those
  rows,
  columns
};

/// Calls `multiply(rectangle)` for the share of each OpenMP thread, on that thread. Shares are equal to within one row,
/// or to within a whole tile's columns.
template <class Multiply>
void share_product(std::size_t m, std::size_t n, int threads, std::size_t tile_columns, Split split,
                   const Multiply& multiply) {
  const bool by_columns = split == Split::longer ? n > 4 * m : split == Split::columns;
  const std::size_t whole = by_columns ? n : m, unit = by_columns ? tile_columns : 1;
  if (whole == 0) return;
  if (threads == 1) return multiply(Rectangle{0, 0, m, n});
  const std::size_t share = even_part(whole, parts_of(whole, static_cast<std::size_t>(threads)), unit);
#if defined(_OPENMP)  // without OpenMP, one thread does everything
#pragma omp parallel for num_threads(threads)
#endif
  for (int thread = 0; thread < threads; ++thread) {
    const std::size_t from = std::min(static_cast<std::size_t>(thread) * share, whole);
    const std::size_t count = std::min(share, whole - from);
    if (count > 0) multiply(by_columns ? Rectangle{0, from, m, count} : Rectangle{from, 0, count, n});
  }
}

}  // namespace hf::matmul

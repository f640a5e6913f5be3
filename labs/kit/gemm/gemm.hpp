/// \file
/// The top of the ladder: a matrix product that uses every idea of the chapter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hf::matmul {

/// Rows and columns of c that the micro-kernel keeps in registers.
extern const struct TileSize { std::size_t rows, columns; } register_tile;

/// The part of b kept in the level-2 cache at a time: `depth` rows and `width` columns, KC and NC in the literature,
/// packed.
struct Blocking {
  std::size_t depth, width;
};

/// The blocking that moves the fewest bytes between the level-2 cache and the memory behind it. Each FLOP costs 4 · (1
/// / depth + 1 / (2 · width)) bytes: c is read and written once for every `depth`, a read once for every `width`; if
/// the block fills 60% of the cache, the minimum is at depth = 2 · width.
/// \param l2_bytes  of one core's level-2 cache; 0 when unknown
Blocking choose_blocking(std::uint64_t l2_bytes);

/// choose_blocking() for this machine.
Blocking default_blocking();

/// Processes each rectangle of c as soon as it is complete, while it is still in cache: adds a bias, or applies an
/// activation. Every number of c is in exactly one rectangle.
struct Epilogue {
  /// Must not throw; threads call it at the same time, for different rectangles.
  /// \param with  as below
  /// \param c  the first number of the rectangle, whose rows are `stride` numbers apart
  /// \param row, column  the position of that number in the whole of c
  void (*run)(const void* with, float* c, std::size_t stride, std::size_t row, std::size_t column, std::size_t rows,
              std::size_t columns) = nullptr;
  const void* with = nullptr;
};

/// c = a · b: a is (m, k), b is (k, n), c is (m, n), all row-major without gaps, c not overlapping the others. In fp32;
/// each element of c is a sum in blocks of `depth`.
/// \param threads  divide the rows among them, or the columns if there are many more columns than rows
void gemm(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c, int threads = 1,
          Blocking blocking = default_blocking(), Epilogue epilogue = {});

struct Rectangle;  // in partition.hpp

/// A rectangle of gemm()'s c, on the calling thread: for callers that divide the work themselves.
void gemm_part(const Rectangle& part, std::size_t n, std::size_t k, const float* a, const float* b, float* c,
               Blocking blocking = default_blocking(), Epilogue epilogue = {});

}  // namespace hf::matmul

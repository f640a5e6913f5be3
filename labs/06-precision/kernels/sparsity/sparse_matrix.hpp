/// \file
/// Matrices without their zeros, to be multiplied by a vector. Each way to say where the numbers stood has its price in
/// bytes:
///
///     CsrMatrix        an index for each number that is there: 32 bits, or 16
///     BitmaskMatrix    a bit for each number, there or not
///
/// Both are in fp32, row after row; products run on one thread. TwoFourMatrix is for two of every four.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/measure/memory.hpp"

namespace hf::precision {

/// Numbers that stay as they are, on huge pages, with a register's width of zeros behind them that a kernel may read.
template <class T>
class Stored {
 public:
  static constexpr std::size_t slack_bytes = 64;

  Stored() = default;
  explicit Stored(std::span<const T> values)
      : size_(values.size()), memory_(values.size_bytes() + slack_bytes, Pages::huge) {
    std::copy(values.begin(), values.end(), memory_.template as<T>().begin());
  }
  Stored(const Stored& other) : Stored(std::span(other.data(), other.size_)) {}
  Stored(Stored&&) noexcept = default;
  Stored& operator=(Stored&&) noexcept = default;

  std::size_t bytes() const { return size_ * sizeof(T); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }

 private:
  std::size_t size_ = 0;
  Buffer memory_;
};

/// Compressed sparse rows: the numbers that are not zero, and the column of each.
/// \tparam Index  of 16 bits, for at most 65 536 columns, or of 32
template <class Index>
class CsrMatrix {
 public:
  /// \pre the index can tell the columns apart
  CsrMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// That one product reads of the matrix.
  std::size_t bytes() const { return values_.bytes() + index_.bytes() + starts_.size() * sizeof(starts_[0]); }

  /// y = W x: x (columns), y (rows).
  void multiply(const float* x, float* y) const;

  const float* values() const { return values_.data(); }
  const Index* index() const { return index_.data(); }

  /// Where a row's numbers begin; one more for the end of the last.
  const std::uint32_t* starts() const { return starts_.data(); }

 private:
  std::size_t rows_, columns_;
  Stored<float> values_;
  Stored<Index> index_;
  std::vector<std::uint32_t> starts_;  ///< small, so that no copy takes a huge page for it
};

/// A bit for each number of the matrix, and the numbers whose bit is set.
class BitmaskMatrix {
 public:
  /// \pre columns is a multiple of 16
  BitmaskMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns);

  std::size_t bytes() const { return values_.bytes() + masks_.bytes(); }

  /// y = W x: x (columns), y (rows).
  void multiply(const float* x, float* y) const;

  /// Whether products ask for numbers ahead of their use, as at first they do. Where dense ones are faster without, these
  /// need not be.
  static void set_prefetching(bool prefetch);

 private:
  std::size_t rows_, columns_, words_;  ///< words of the mask in a row
  Stored<float> values_;
  Stored<std::uint64_t> masks_;
};

/// In fp32. It lies in tiles of 32 columns, and of a row to each lane of a register: a register of places, 2 bits for each of
/// the 16 numbers that a row has left there, and then those numbers. Products run on one thread.
class TwoFourMatrix {
 public:
  /// Where a group of four has fewer than two numbers, zeros are kept.
  /// \pre columns is a multiple of 32
  /// \throws std::invalid_argument for a group with more than two
  TwoFourMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns);

  /// That one product reads of the matrix, rows that fill up the last tile included.
  std::size_t bytes() const { return tiles_.bytes(); }

  /// y = W x: x (columns), y (rows).
  void multiply(const float* x, float* y) const;

  /// c = W b: b (columns, n), c (rows, n), row-major without gaps.
  void multiply(std::size_t n, const float* b, float* c) const;

 private:
  std::size_t rows_, columns_;
  Stored<float> tiles_;
};

/// c = a · b: a is (m, k), b (k, n), c (m, n), the last two row-major without gaps; on one thread.
void sparse_gemm(const CsrMatrix<std::uint16_t>& a, std::size_t n, const float* b, float* c);

/// Bytes that the kernel loads for each multiplication and addition, mostly of b, from the nearest cache. A dense product
/// keeps numbers in registers, and uses each many times; where the next number of a will be, nobody knows.
extern const double sparse_gemm_bytes_loaded;

}  // namespace hf::precision

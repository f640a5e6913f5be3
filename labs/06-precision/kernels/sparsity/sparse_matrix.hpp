/// \file
/// Matrices stored without their zeros, to be multiplied by a vector. The storage formats record the positions of the
/// numbers at different costs:
///
///     CsrMatrix        an index of 32 or 16 bits for each nonzero number
///     BitmaskMatrix    a bit for each number, zero or not
///
/// Both store fp32, row after row; products run on one thread. TwoFourMatrix stores two of every four numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/measure/memory.hpp"

namespace hf::precision {

/// Constant numbers on huge pages, followed by a register's width of zeros that a kernel may read.
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
/// \tparam Index  16 bits, for at most 65,536 columns, or 32 bits
template <class Index>
class CsrMatrix {
 public:
  /// \pre Index can represent every column
  CsrMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns);

  /// Bytes of the matrix that one product reads.
  std::size_t bytes() const { return values_.bytes() + index_.bytes() + starts_.size() * sizeof(starts_[0]); }

  /// y = W x: x (columns), y (rows).
  void multiply(const float* x, float* y) const;

 private:
  std::size_t rows_;
  Stored<float> values_;
  Stored<Index> index_;
  std::vector<std::uint32_t> starts_;  ///< where each row's numbers begin, and the end; not Stored, since it is small
};

/// One bit for each number of the matrix, and the numbers whose bit is set.
class BitmaskMatrix {
 public:
  /// \pre columns is a multiple of 16
  BitmaskMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns);

  std::size_t bytes() const { return values_.bytes() + masks_.bytes(); }

  /// y = W x: x (columns), y (rows).
  void multiply(const float* x, float* y) const;

  /// Sets whether products prefetch numbers; the default is true. The best setting can differ from that for dense
  /// products.
  static void set_prefetching(bool prefetch);

 private:
  std::size_t rows_, columns_, words_;  ///< words of the mask in a row
  Stored<float> values_;
  Stored<std::uint64_t> masks_;
};

/// A matrix in fp32 of which each group of four neighbouring columns has at most two numbers in every row. A tile has
/// 32 columns, and one row for each lane of a register. It starts with a register of places, 2 bits for each of the 16
/// numbers that a row keeps in the tile; those numbers follow. Products run on one thread.
class TwoFourMatrix {
 public:
  /// A group of four with fewer than two numbers keeps zeros as well.
  /// \pre columns is a multiple of 32
  /// \throws std::invalid_argument for a group with more than two nonzero numbers
  TwoFourMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns);

  /// Bytes of the matrix that one product reads, including the padding rows of the last tile.
  std::size_t bytes() const { return tiles_.bytes(); }

  /// y = W x: x (columns), y (rows).
  void multiply(const float* x, float* y) const;

 private:
  std::size_t rows_, columns_;
  Stored<float> tiles_;
};

}  // namespace hf::precision

/// \file
/// A matrix product of 8-bit numbers in blocks of 32 that share a scale, as in ggml's Q8_0 and Q4_0, on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/measure/memory.hpp"

namespace hf::precision {

/// True if this program was compiled for a processor with dot products of 8-bit numbers, which PackedBlocks needs.
bool has_block_dot();

/// Weights in blocks, packed once in the order in which products read them. A panel is as wide as the micro-kernel's
/// tile; each of its blocks has the scales of its columns beside their numbers.
class PackedBlocks {
 public:
  static constexpr std::size_t block = 32;  ///< numbers that share a scale

  /// \param numbers  (n, k), row-major without gaps: the weights of each output \param scales  (n, k / 32)
  /// \pre k is a multiple of 32; has_block_dot()
  PackedBlocks(std::size_t n, std::size_t k, const std::int8_t* numbers, const float* scales);

  /// Computes the columns of c = a · weightsᵀ in the panels [first, last): a (m, k), c (m, n), row-major without gaps.
  /// Rounds a to 8 bits in blocks of 32, as ggml does. Sums of a block are exact, those of blocks in fp32. a must be
  /// finite. Threads may share a product by its panels.
  void multiply(std::size_t m, const float* a, float* c, std::size_t first, std::size_t last) const;

  /// Returns a copy in separate memory.
  PackedBlocks copy() const;

  std::size_t columns() const { return n_; }
  std::size_t panels() const;  ///< each but the last has the same number of columns

 private:
  PackedBlocks(std::size_t n, std::size_t k, Buffer panels) : n_(n), k_(k), panels_(std::move(panels)) {}

  std::size_t n_, k_;
  Buffer panels_;
};

}  // namespace hf::precision

/// \file
/// A rotation that spreads what is large over all: W x = (W R)(Rᵀ x), where R has signs drawn at random and Hadamard's matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hf::precision {

/// R = D H / √n: D has −1 and 1 on its diagonal, drawn at random; H is Hadamard's matrix, made of −1 and 1. Every number of
/// a rotated row is a sum of all numbers of the row, each with the same weight: none stands out any more (Chee et al.,
/// "QuIP", NeurIPS 2023; Ashkboos et al., "QuaRot", NeurIPS 2024).
class Rotation {
 public:
  explicit Rotation(std::uint64_t sequence) : sequence_(sequence) {}

  /// Each row times R, by the fast transform: n log2 n additions. \pre columns is a power of two
  void apply(std::span<float> rows, std::size_t columns) const;

  /// Each row times Rᵀ, which undoes apply().
  void undo(std::span<float> rows, std::size_t columns) const;

 private:
  float sign(std::size_t column) const;

  std::uint64_t sequence_;
};

}  // namespace hf::precision

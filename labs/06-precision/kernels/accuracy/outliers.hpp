/// \file
/// A product of a matrix and vectors in which a few channels are much larger than the others, what its formats lose, and a
/// rotation that spreads what is large over all: W x = (W R)(Rᵀ x), where R has signs drawn at random and Hadamard's matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"

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

/// How weights and activations are rounded.
struct Scheme {
  Format weights, activations;  ///< activations are a matrix (tokens, channels)
  bool rotated;                 ///< both are rotated first, which leaves their product as it is
};

/// y = W x for some tokens: W (rows, channels) from Student's t, x (tokens, channels) from N(0, 1).
class OutlierProduct {
 public:
  static constexpr std::size_t rows = 256, channels = 1024, tokens = 32, large_channels = 4;

  OutlierProduct();

  /// Signal over noise, dB.
  struct Sqnr {
    double measured, predicted;
  };

  /// What a scheme keeps of the product when some channels of x are `factor` times as large, and what reads them, in W, is
  /// divided by as much. Below 1, it is W whose channels are large. \param factor  a power of two: the product is the same
  /// \throws std::invalid_argument for formats other than fp32, int8, Q8_0 and E4M3
  Sqnr sqnr(const Scheme& scheme, float factor) const;

 private:
  std::vector<float> weights_, activations_;
  std::vector<double> exact_;  // (tokens, rows)
};

}  // namespace hf::precision

/// \file
/// A product of a matrix and vectors in which a few channels are much larger than the others: what its formats lose.
#pragma once

#include <cstddef>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"

namespace hf::precision {

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

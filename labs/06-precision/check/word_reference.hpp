/// \file
/// The small network in double precision, number by number.
#pragma once

#include <vector>

#include "06-precision/kernels/training/sentences.hpp"
#include "06-precision/kernels/training/word_network.hpp"

namespace hf::precision {

struct WordReference {
  double loss;                                 ///< mean of −log p(next)
  std::vector<std::vector<double>> gradients;  ///< of the loss, in the order and layout of the weights
};

WordReference word_reference(const WordTensors& weights, const Examples& examples);

/// The largest relative error of a matrix: |a − b| / |b|, lengths as of vectors.
double relative_error(const WordTensors& gradients, const WordReference& reference);

/// How far the network's gradients in fp32 are from those of word_reference(): the largest relative error of a matrix.
double gradient_error();

}  // namespace hf::precision

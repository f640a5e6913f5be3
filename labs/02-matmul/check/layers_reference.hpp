/// \file
/// Reference results of a convolution and a perceptron: in double precision, one element or row at a time, each with a bound for the error
/// of single precision (kit/reference.hpp explains the bounds).
#pragma once

#include <cstddef>
#include <span>

#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "kit/reference.hpp"

namespace hf::matmul {

/// The output of channel o at (y, x).
Reference reference_convolution(const ConvolutionShape& shape, const float* image, const float* filters, std::size_t o,
                                std::size_t y, std::size_t x);

/// The output for one row of x, (inputs). \param to  inputs long
void reference_perceptron(const PerceptronShape& shape, const PerceptronWeights& weights, const float* x,
                          std::span<Reference> to);

}  // namespace hf::matmul

/// \file
/// Layers to check and to time, each in its direct form and as matrix products.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"

namespace hf::matmul {

/// One way to compute a layer.
struct LayerForm {
  std::string id;  ///< "direct", "reordered" or "vector", "gemm"
  std::function<void()> run;
};

/// A layer with its data, in all its forms.
struct LayerRun {
  std::string label;  ///< "56×56, 64 channels"
  double flops;
  std::shared_ptr<void> data;
  std::span<float> out;
  std::function<double()> error_share;  ///< of a sample of `out`: correct if at most 1
  std::vector<LayerForm> forms;
};

/// Returns the forms direct, reordered and gemm.
LayerRun convolution_run(const ConvolutionShape& shape, const Gemm& gemm);

/// direct, vector, gemm.
LayerRun attention_run(const AttentionShape& shape, const Gemm& gemm);

/// direct, vector, gemm.
LayerRun perceptron_run(const PerceptronShape& shape, const Gemm& gemm);

/// Runs every form once and compares its results with the double-precision reference.
/// \throws std::runtime_error with a one-line message, for the first wrong form
void check(const LayerRun& layer);

}  // namespace hf::matmul

#include "02-matmul/check/layers_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/perceptron.hpp"
#include "kit/product.hpp"
#include "kit/reference.hpp"

namespace hf::matmul {
namespace {

std::vector<Reference> exact(std::span<const float> numbers) {
  std::vector<Reference> references;
  for (float x : numbers) references.push_back({double{x}, 0});
  return references;
}

}  // namespace

Reference reference_convolution(const ConvolutionShape& s, const float* image, const float* filters, std::size_t o,
                                std::size_t y, std::size_t x) {
  std::vector<float> patch;
  const auto half = static_cast<std::ptrdiff_t>(s.kernel / 2);
  for (std::size_t c = 0; c < s.in_channels; ++c) {
    for (std::ptrdiff_t dy = -half; dy <= half; ++dy) {
      for (std::ptrdiff_t dx = -half; dx <= half; ++dx) {
        const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(y) + dy, column = static_cast<std::ptrdiff_t>(x) + dx;
        const bool inside = row >= 0 && row < static_cast<std::ptrdiff_t>(s.height) && column >= 0 &&
                            column < static_cast<std::ptrdiff_t>(s.width);
        patch.push_back(
            inside ? image[(c * s.height + static_cast<std::size_t>(row)) * s.width + static_cast<std::size_t>(column)]
                   : 0);
      }
    }
  }
  return reference_dot(filters + o * s.patch(), patch.data(), patch.size());
}

void reference_perceptron(const PerceptronShape& s, const PerceptronWeights& weights, const float* x,
                          std::span<Reference> to) {
  const std::vector<Reference> inputs = exact({x, s.inputs});
  std::vector<Reference> hidden;
  for (std::size_t j = 0; j < s.hidden; ++j) {
    const Reference sum = sum_of_products(inputs, weights.first + j, s.hidden, double{weights.first_bias[j]});
    hidden.push_back({std::max(sum.value, 0.0), sum.bound});
  }
  for (std::size_t j = 0; j < s.inputs; ++j) {
    to[j] = sum_of_products(hidden, weights.second + j, s.inputs, double{weights.second_bias[j]});
  }
}

}  // namespace hf::matmul

/// \file
/// A convolution layer: by its definition, with its loops in a better order, and as a matrix product. fp32; an image is
/// (channels, height, width); the filters are (out_channels, in_channels, kernel, kernel); stride 1, with enough zeros
/// around the image for an output of the same size.
#pragma once

#include <cstddef>
#include <functional>

namespace hf::matmul {

/// c = a · b: a is (m, k), b is (k, n), c is (m, n), row-major without gaps.
using Gemm = std::function<void(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c)>;

struct ConvolutionShape {
  std::size_t in_channels, out_channels, height, width, kernel;  ///< kernel is odd

  std::size_t pixels() const { return height * width; }
  std::size_t inputs() const { return in_channels * pixels(); }
  std::size_t outputs() const { return out_channels * pixels(); }
  std::size_t patch() const { return in_channels * kernel * kernel; }  ///< numbers that one output depends on
  std::size_t weights() const { return out_channels * patch(); }
  double flops() const { return 2.0 * static_cast<double>(outputs()) * static_cast<double>(patch()); }
};

/// The definition: each output is the dot product of a filter with the patch of the image under it.
void direct_convolution(const ConvolutionShape& shape, const float* image, const float* filters, float* out);

/// The same sums, added up row by row: consecutive iterations access adjacent pixels of a row.
void reordered_convolution(const ConvolutionShape& shape, const float* image, const float* filters, float* out);

/// Writes every patch of the image as a column of a matrix. \param columns  (patch(), pixels())
void im2col(const ConvolutionShape& shape, const float* image, float* columns);

/// out = filters · columns, after im2col(). \param columns  memory for (patch(), pixels())
void gemm_convolution(const ConvolutionShape& shape, const float* image, const float* filters, float* columns,
                      float* out, const Gemm& gemm);

}  // namespace hf::matmul

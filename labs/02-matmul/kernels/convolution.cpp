#include "02-matmul/kernels/convolution.hpp"

#include <algorithm>
#include <cstddef>

namespace hf::matmul {
namespace {

/// The pixels x of a row for which x + shift is also in the row: [first, end).
struct Range {
  std::size_t first, end;
};

/// \param offset  0 … kernel − 1; the shift is offset − kernel / 2
Range inside(std::size_t length, std::size_t offset, std::size_t kernel) {
  const std::size_t half = kernel / 2;
  const std::size_t first = std::min(length, offset < half ? half - offset : 0);
  const std::size_t beyond = offset > half ? offset - half : 0;
  return {first, std::max(first, length - std::min(length, beyond))};
}

}  // namespace

void direct_convolution(const ConvolutionShape& s, const float* image, const float* filters, float* out) {
  const std::size_t half = s.kernel / 2;
  // [begin: direct-convolution]
  for (std::size_t o = 0; o < s.out_channels; ++o) {
    for (std::size_t y = 0; y < s.height; ++y) {
      for (std::size_t x = 0; x < s.width; ++x) {
        const float* weight = filters + o * s.patch();
        float sum = 0;
        for (std::size_t c = 0; c < s.in_channels; ++c) {
          for (std::size_t dy = 0; dy < s.kernel; ++dy) {
            for (std::size_t dx = 0; dx < s.kernel; ++dx, ++weight) {
              const std::size_t row = y + dy - half, column = x + dx - half;
              if (row >= s.height || column >= s.width) continue;  // a zero
              sum += *weight * image[(c * s.height + row) * s.width + column];
            }
          }
        }
        out[(o * s.height + y) * s.width + x] = sum;
      }
    }
  }
  // [end: direct-convolution]
}

void reordered_convolution(const ConvolutionShape& s, const float* image, const float* filters, float* out) {
  std::fill_n(out, s.outputs(), 0.0f);
  const std::size_t half = s.kernel / 2;
  for (std::size_t o = 0; o < s.out_channels; ++o) {
    for (std::size_t c = 0; c < s.in_channels; ++c) {
      for (std::size_t tap = 0; tap < s.kernel * s.kernel; ++tap) {
        const std::size_t dy = tap / s.kernel, dx = tap % s.kernel;
        const float weight = filters[(o * s.in_channels + c) * s.kernel * s.kernel + tap];
        const Range rows = inside(s.height, dy, s.kernel), columns = inside(s.width, dx, s.kernel);
        for (std::size_t y = rows.first; y < rows.end; ++y) {
          float* to = out + (o * s.height + y) * s.width;
          const float* from = image + (c * s.height + y + dy - half) * s.width;
          for (std::size_t x = columns.first; x < columns.end; ++x) to[x] += weight * from[x + dx - half];
        }
      }
    }
  }
}

// [begin: im2col]
void im2col(const ConvolutionShape& s, const float* image, float* columns) {
  const std::size_t half = s.kernel / 2;
  for (std::size_t row = 0; row < s.patch(); ++row, columns += s.pixels()) {
    const std::size_t c = row / (s.kernel * s.kernel);
    const std::size_t dy = row / s.kernel % s.kernel, dx = row % s.kernel;
    std::fill_n(columns, s.pixels(), 0.0f);
    const Range ys = inside(s.height, dy, s.kernel);
    const Range xs = inside(s.width, dx, s.kernel);
    for (std::size_t y = ys.first; y < ys.end; ++y) {
      const float* from = image + (c * s.height + y + dy - half) * s.width;
      float* to = columns + y * s.width + xs.first;
      std::copy_n(from + xs.first + dx - half, xs.end - xs.first, to);
    }
  }
}
// [end: im2col]

void gemm_convolution(const ConvolutionShape& s, const float* image, const float* filters, float* columns, float* out,
                      const Gemm& gemm) {
  im2col(s, image, columns);
  gemm(s.out_channels, s.pixels(), s.patch(), filters, columns, out);
}

}  // namespace hf::matmul

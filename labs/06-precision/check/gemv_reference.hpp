/// \file
/// The reference for products of weights in a format and a vector, computed number by number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/gemv/tiles.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "kit/rounded.hpp"

namespace hf::precision {

/// The vector that the kernel multiplies by: x, rounded if the format requires it.
inline std::vector<double> multiplied_vector(Format format, std::span<const float> x) {
  if (is_bf16(format)) {
    std::vector<double> multiplied;
    for (float each : x) multiplied.push_back(from_bf16(bf16_of(each)));
    return multiplied;
  }
  if (!is_whole(format)) return {x.begin(), x.end()};
  RoundedVector rounded;
  rounded.round(x.data(), x.size(), RoundedVector::block);
  std::vector<double> multiplied;
  for (std::size_t j = 0; j < x.size(); ++j) {
    multiplied.push_back(double{rounded.scales[j / RoundedVector::block]} * rounded.numbers[j]);
  }
  return multiplied;
}

/// A row, decoded to fp32, times multiplied_vector(). Integer sums are exact; rounding affects each block's scale, its
/// product, and the sum of the blocks. Floating-point numbers are rounded at every step. Decoding rounds each weight
/// once, if a scale has all of fp32's digits.
inline Rounded reference_row(Format format, std::span<const float> row, std::span<const double> x) {
  const std::size_t block = is_whole(format) ? block_layout(format).numbers : 1;
  Rounded sum;
  for (std::size_t j = 0; j < row.size(); j += block) {
    Rounded of_block;
    for (std::size_t i = j; i < j + block; ++i) {
      const double product = double{row[i]} * x[i];
      of_block.value += product;
      of_block.variance += product * product * 0x1p-48;
    }
    sum = sum + Rounded(of_block.value, of_block.variance, 2);
  }
  return {sum.value, sum.variance, 2};
}

/// The largest error share among about `rows` evenly spread rows of matrix · x, including the last one.
inline double worst_row_error(const WeightMatrix& matrix, std::span<const float> x, std::size_t rows) {
  const std::vector<double> by = multiplied_vector(matrix.format(), x);
  std::vector<float> y(matrix.rows()), row(matrix.columns());
  matrix.multiply(x.data(), y.data());
  const std::size_t step = std::max<std::size_t>(1, matrix.rows() / rows);
  double worst = 0;
  const auto check = [&](std::size_t i) {
    matrix.decode_row(i, row.data());
    worst = std::max(worst, error_share(y[i], reference_row(matrix.format(), row, by)));
  };
  for (std::size_t i = 0; i < matrix.rows(); i += step) check(i);
  check(matrix.rows() - 1);
  return worst;
}

}  // namespace hf::precision

// Products of matrices in every format, compared with the decoded matrix in double precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "06-precision/check/gemv_reference.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"

namespace hf::precision {
namespace {

struct Shape {
  std::size_t rows, columns;
};
constexpr Shape shapes[] = {{1, 32},   {15, 64},  {16, 96},       {17, 32},   {33, 160},
                            {32, 128}, {64, 768}, {5, 1024 + 32}, {100, 320}, {257, 1024}};

/// Rows of all magnitudes, like weights, with a few outliers.
std::vector<float> random_weights(const Shape& shape) {
  std::vector<float> w = random_floats(shape.rows * shape.columns, 1, 0.1f);
  for (std::size_t i = 0; i < w.size(); i += 37) w[i] *= 5;
  for (std::size_t i = 0; i < w.size(); ++i) w[i] *= std::exp2(-static_cast<float>(i / shape.columns % 5));
  return w;
}

/// matrix · x (+ bias)
std::vector<float> product(const WeightMatrix& matrix, const std::vector<float>& x, const float* bias = nullptr) {
  std::vector<float> y(matrix.rows(), NAN);
  matrix.multiply(x.data(), y.data(), bias);
  return y;
}

TEST_CASE("a product in every format is the decoded matrix times the vector") {
  for (const Format format : all_formats) {
    for (const Shape& shape : shapes) {
      CAPTURE(id(format));
      INFO(shape.rows, " × ", shape.columns);
      const EncodedMatrix encoded = encode(format, random_weights(shape), shape.rows, shape.columns);
      const std::vector<float> decoded = decode(encoded), x = random_floats(shape.columns, 2, 3);
      const std::vector<double> by = multiplied_vector(format, x);
      const std::vector<float> y = product(WeightMatrix(encoded), x);
      double worst = 0;
      for (std::size_t row = 0; row < shape.rows; ++row) {
        const Rounded right = reference_row(format, std::span(decoded).subspan(row * shape.columns, shape.columns), by);
        worst = std::max(worst, error_share(y[row], right));
      }
      CHECK(worst <= 1);
    }
  }
}

TEST_CASE("a column that counts alone gives that column, decoded") {  // so that no number can be at another's place
  constexpr std::size_t rows = 40, columns = 96;
  const std::vector<float> weights = random_weights({rows, columns});
  for (const Format format : all_formats) {
    CAPTURE(id(format));
    const EncodedMatrix encoded = encode(format, weights, rows, columns);
    const std::vector<float> decoded = decode(encoded);
    const WeightMatrix matrix(encoded);
    for (std::size_t column = 0; column < columns; ++column) {
      std::vector<float> x(columns, 0.0f);
      x[column] = 127;  // an integer, with scale 1
      const std::vector<float> y = product(matrix, x);
      for (std::size_t row = 0; row < rows; ++row) {
        const float right = 127 * decoded[row * columns + column];
        CHECK(std::abs(y[row] - right) <= 4e-7f * std::abs(right));
      }
    }
  }
}

TEST_CASE("a row is decoded as its format decodes it") {
  for (const Format format : all_formats) {
    for (const Shape& shape : shapes) {
      CAPTURE(id(format));
      const EncodedMatrix encoded = encode(format, random_weights(shape), shape.rows, shape.columns);
      const std::vector<float> decoded = decode(encoded);
      const WeightMatrix matrix(encoded);
      std::vector<float> rows(decoded.size());
      for (std::size_t row = 0; row < shape.rows; ++row) matrix.decode_row(row, &rows[row * shape.columns]);
      CHECK(rows == decoded);
    }
  }
}

TEST_CASE("one core gives the same numbers as all") {
  constexpr std::size_t rows = 1000, columns = 1056;
  const std::vector<float> weights = random_weights({rows, columns}), x = random_floats(columns, 3);
  for (const Format format : all_formats) {
    CAPTURE(id(format));
    const WeightMatrix matrix(format, weights, rows, columns);
    const std::vector<float> all = product(matrix, x);
    const OneCore alone;
    CHECK(product(matrix, x) == all);
  }
}

TEST_CASE("a bias is added to every row") {
  for (const Format format : all_formats) {
    for (const Shape& shape : shapes) {
      CAPTURE(id(format));
      const std::vector<float> x = random_floats(shape.columns, 3), bias = random_floats(shape.rows, 4);
      const WeightMatrix matrix(format, random_weights(shape), shape.rows, shape.columns);
      const std::vector<float> without = product(matrix, x), with_bias = product(matrix, x, bias.data());
      for (std::size_t row = 0; row < shape.rows; ++row) {  // an FMA does not round W x
        const float right = without[row] + bias[row];
        CHECK(std::abs(with_bias[row] - right) <= 1.2e-7f * (std::abs(without[row]) + std::abs(right)));
      }
    }
  }
}

TEST_CASE("asking for memory ahead changes no number") {
  constexpr std::size_t rows = 100, columns = 1056;
  const std::vector<float> weights = random_weights({rows, columns}), x = random_floats(columns, 3);
  for (const Format format : all_formats) {
    CAPTURE(id(format));
    REQUIRE(prefetches(format));
    const WeightMatrix matrix(format, weights, rows, columns);
    const std::vector<float> asked = product(matrix, x);
    set_prefetching(format, false);
    CHECK_FALSE(prefetches(format));
    CHECK(product(matrix, x) == asked);
    set_prefetching(format, true);
  }
}

TEST_CASE("a matrix may be its rows again and again") {
  constexpr std::size_t rows = 64, columns = 96, times = 3;
  const std::vector<float> weights = random_weights({rows, columns}), x = random_floats(columns, 3);
  for (const Format format : all_formats) {
    CAPTURE(id(format));
    const EncodedMatrix encoded = encode(format, weights, rows, columns);
    const WeightMatrix matrix(encoded, times);
    CHECK(matrix.rows() == rows * times);
    const std::vector<float> once = product(WeightMatrix(encoded), x), often = product(matrix, x);
    for (std::size_t row = 0; row < often.size(); ++row) CHECK(often[row] == once[row % rows]);
  }
}

TEST_CASE("the bytes read are those of the format, where tiles are full") {
  constexpr std::size_t rows = 128, columns = 256;
  for (const Format format : all_formats) {
    CAPTURE(id(format));
    const EncodedMatrix encoded = encode(format, random_weights({rows, columns}), rows, columns);
    CHECK(static_cast<double>(WeightMatrix(encoded).bytes()) == encoded.bits() / 8 * rows * columns);
  }
}

TEST_CASE("a vector in bf16 is rounded as the format rounds, with zeros behind it") {
  std::vector<float> x = random_floats(100, 5, 3);
  for (const float special : {0.0f, -0.0f, 1 + 0x1p-8f, 1 + 0x3p-8f, 0x1p-130f, INFINITY, -INFINITY})
    x.push_back(special);
  std::vector<std::uint16_t> rounded;
  round_to_bf16(x.data(), x.size(), 64, rounded);
  REQUIRE(rounded.size() == 128);
  for (std::size_t i = 0; i < rounded.size(); ++i) CHECK(rounded[i] == (i < x.size() ? bf16_of(x[i]) : 0));
}

TEST_CASE("a vector is rounded to the nearest of 255 numbers in each block") {
  for (std::size_t size : {32, 96, 1024}) {
    std::vector<float> x = random_floats(size, 4, 20);
    std::fill_n(x.begin(), 32, 0.0f);
    if (size > 32) std::fill_n(x.begin() + 32, 32, 1e-35f);
    RoundedVector rounded;
    rounded.round(x.data(), size, 64);
    REQUIRE(rounded.numbers.size() == (size + 63) / 64 * 64);
    for (std::size_t i = 0; i < rounded.numbers.size(); ++i) {
      const float scale = rounded.scales[i / 32], right = i < size ? x[i] : 0.0f;
      CHECK(std::abs(scale * rounded.numbers[i] - right) <= std::max(0.50001f * scale, 0x1p-100f));
      CHECK(std::abs(int{rounded.numbers[i]}) <= 127);
    }
    for (std::size_t i = 0; i < rounded.sums.size(); ++i) {
      int sum = 0;
      for (std::size_t j = 0; j < 16; ++j) sum += rounded.numbers[16 * i + j];
      CHECK(rounded.sums[i] == sum);
    }
  }
}

}  // namespace
}  // namespace hf::precision

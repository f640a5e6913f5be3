// Sparse matrices: which weights are pruned, and products with the others, compared with double precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/sparsity/pruning.hpp"
#include "06-precision/kernels/sparsity/sparse_matrix.hpp"
#include "harness/measure/results.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"

namespace hf::precision {
namespace {

/// The share of weights that are not zero.
double density(std::span<const float> weights) {
  const auto zeros = std::count(weights.begin(), weights.end(), 0.0f);
  return 1 - static_cast<double>(zeros) / static_cast<double>(weights.size());
}

struct Shape {
  std::size_t rows, columns;
};

/// Sizes around registers, words of the mask and rounds of the loops.
const std::vector<Shape> shapes = {{1, 32},  {3, 64},   {2, 96},   {5, 128}, {4, 160},
                                   {7, 224}, {3, 1024}, {33, 320}, {2, 4128}};

/// Checks that each element of y is within its bound of the product of the weights and x.
template <class Matrix>
void check_product(const Matrix& matrix, const std::vector<float>& weights, Shape shape) {
  INFO(shape.rows, " × ", shape.columns);
  const std::vector<float> x = random_floats(shape.columns, 77);
  constexpr float guard = 12345;
  for (const bool ask : {false, true}) {
    set_prefetching(ask);
    BitmaskMatrix::set_prefetching(ask);
    std::vector<float> y(shape.rows + 1, guard);
    matrix.multiply(x.data(), y.data());
    for (std::size_t row = 0; row < shape.rows; ++row)
      CHECK(error_share(y[row], reference_dot(&weights[row * shape.columns], x.data(), shape.columns)) <= 1);
    CHECK(y.back() == guard);
  }
}

void check_all(const std::vector<float>& weights, Shape shape) {
  check_product(CsrMatrix<std::uint32_t>(weights, shape.rows, shape.columns), weights, shape);
  check_product(CsrMatrix<std::uint16_t>(weights, shape.rows, shape.columns), weights, shape);
  check_product(BitmaskMatrix(weights, shape.rows, shape.columns), weights, shape);
}

TEST_CASE("as many weights stay as were asked for, and they are the largest") {
  for (std::size_t count : {1, 7, 100, 1000}) {
    const std::vector<float> weights = random_floats(count, 1);
    for (double share : {0.0, 0.1, 0.5, 0.93, 1.0}) {
      const std::vector<float> left = pruned(weights, share);
      CHECK(density(left) ==
            doctest::Approx(std::round(share * static_cast<double>(count)) / static_cast<double>(count)));
      float largest_gone = 0, smallest_left = 2;
      for (std::size_t i = 0; i < count; ++i) {
        if (left[i] == 0) {
          largest_gone = std::max(largest_gone, std::abs(weights[i]));
        } else {
          CHECK(left[i] == weights[i]);
          smallest_left = std::min(smallest_left, std::abs(left[i]));
        }
      }
      CHECK(largest_gone <= smallest_left);
    }
  }
}

TEST_CASE("of equal weights the first stay") {
  CHECK(pruned(std::vector<float>{1, -1, 1, 1, 2}, 0.6) == std::vector<float>{1, -1, 0, 0, 2});
}

TEST_CASE("of every four, the two largest stay") {
  CHECK(pruned_2_4(std::vector<float>{1, -3, 2, 0.5f, 0, 0, 0, 1, 1, 1, 1, 1}) ==
        std::vector<float>{0, -3, 2, 0, 0, 0, 0, 1, 1, 1, 0, 0});
  CHECK(density(pruned_2_4(random_floats(4096, 2))) == 0.5);
}

TEST_CASE("products with a vector at every density, none and all among them") {
  for (const Shape& shape : shapes) {
    const std::vector<float> weights = random_floats(shape.rows * shape.columns, 3);
    for (double share : {0.0, 0.01, 0.1, 0.5, 0.9, 1.0}) check_all(pruned(weights, share), shape);
  }
}

TEST_CASE("rows that are empty, first, last and between") {
  const Shape shape = {6, 128};
  std::vector<float> weights = random_floats(shape.rows * shape.columns, 4);
  for (std::size_t row : {0, 2, 3, 5}) std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(row * 128), 128, 0.0f);
  check_all(weights, shape);
}

TEST_CASE("a single number, in every column") {
  const Shape shape = {2, 160};
  for (std::size_t column = 0; column < shape.columns; ++column) {
    std::vector<float> weights(shape.rows * shape.columns);
    weights[shape.columns + column] = 0.75f;
    check_all(weights, shape);
    check_product(TwoFourMatrix(weights, shape.rows, shape.columns), weights, shape);
  }
}

TEST_CASE("no rows") {
  float y = 1;
  BitmaskMatrix({}, 0, 64).multiply(nullptr, &y);
  CsrMatrix<std::uint16_t>({}, 0, 64).multiply(nullptr, &y);
  TwoFourMatrix({}, 0, 64).multiply(nullptr, &y);
  CHECK(y == 1);
}

TEST_CASE("2:4: every choice of two places, fewer than two, and a vector") {
  for (const Shape& shape : shapes) {
    const std::vector<float> weights = pruned_2_4(random_floats(shape.rows * shape.columns, 5));
    check_product(TwoFourMatrix(weights, shape.rows, shape.columns), weights, shape);
  }
  for (unsigned places = 0; places < 16; ++places) {
    const Shape shape = {1, 32};
    std::vector<float> weights(32);
    for (std::size_t i = 0; i < 32; ++i) weights[i] = places >> i % 4 & 1 ? 1 + static_cast<float>(i) : 0;
    CAPTURE(places);
    if (density(weights) > 0.5) {
      CHECK_THROWS_AS(TwoFourMatrix(weights, 1, 32), std::invalid_argument);
    } else {
      check_product(TwoFourMatrix(weights, 1, 32), weights, shape);
    }
  }
}

TEST_CASE("bytes are those that the model counts") {
  const std::vector<float> weights = pruned(random_floats(64 * 1024, 6), 0.25);
  const std::size_t kept = 16 * 1024;
  CHECK(CsrMatrix<std::uint32_t>(weights, 64, 1024).bytes() == 8 * kept + 4 * 65);
  CHECK(CsrMatrix<std::uint16_t>(weights, 64, 1024).bytes() == 6 * kept + 4 * 65);
  CHECK(BitmaskMatrix(weights, 64, 1024).bytes() == 4 * kept + 64 * 1024 / 8);
  CHECK(TwoFourMatrix(pruned_2_4(weights), 64, 1024).bytes() == 64 * 1024 * 17 / 8);
}

TEST_CASE("an index of 16 bits reaches the last of 65 536 columns") {
  const std::vector<float> row = pruned(random_floats(65536, 7), 0.001);
  check_product(CsrMatrix<std::uint16_t>(row, 1, 65536), row, {1, 65536});
}

TEST_CASE("copies are matrices of their own") {
  const Shape shape = {5, 96};
  const std::vector<float> weights = pruned(random_floats(5 * 96, 8), 0.3);
  std::vector<BitmaskMatrix> copies(2, BitmaskMatrix(weights, shape.rows, shape.columns));
  copies.pop_back();
  check_product(copies.front(), weights, shape);
}

TEST_CASE("where a curve crosses a level") {
  const auto at = [](double low, double middle, double high) {
    return Series{"id", "label", Kind::measured, {}, {}, {{0.1, low}, {0.5, middle}, {1, high}}};
  };
  CHECK(first_density(at(0.2, 0.6, 1.6), 1) == doctest::Approx(0.7));
  CHECK(first_density(at(0.2, 0.6, 1.6), 0.6) == doctest::Approx(0.5));
  CHECK(first_density(at(0.2, 0.6, 0.9), 1) == 1);
  CHECK(first_density(at(1.2, 1.6, 1.9), 1) == 0);
}

}  // namespace
}  // namespace hf::precision

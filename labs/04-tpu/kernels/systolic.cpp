#include "04-tpu/kernels/systolic.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "04-tpu/kernels/dataflows.hpp"

namespace hf::tpu {
namespace {

/// How many pieces of length `side` cover `length`.
constexpr std::size_t tiles(std::size_t length, std::size_t side) { return (length + side - 1) / side; }

/// The same product with the roles of the operands exchanged: cᵀ = bᵀ · aᵀ.
ProductShape transposed(const ProductShape& shape) { return {shape.n, shape.m, shape.k}; }

void check(const ArrayShape& array, const ProductShape& shape, std::span<const std::int8_t> a,
           std::span<const std::int8_t> b) {
  if (array.rows == 0 || array.columns == 0) throw std::invalid_argument("array: expected at least one cell");
  if (shape.m == 0 || shape.n == 0 || shape.k == 0)
    throw std::invalid_argument("product: expected m, n and k of at least 1");
  if (a.size() != shape.m * shape.k || b.size() != shape.k * shape.n)
    throw std::invalid_argument("product: expected operands of m · k and k · n numbers");
}

}  // namespace

const char* name(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::output_stationary: return "output stationary";
    case Dataflow::weight_stationary: return "weight stationary";
    default: return "input stationary";
  }
}

ArrayRun run_array(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape,
                   std::span<const std::int8_t> a, std::span<const std::int8_t> b, const ArrayOptions& options,
                   const Observer& observe) {
  check(array, shape, a, b);
  const MatrixView left = {a.data(), shape.k, 1}, right = {b.data(), shape.n, 1};
  switch (dataflow) {
    case Dataflow::output_stationary: return run_output_stationary(array, shape, left, right, options, observe);
    case Dataflow::weight_stationary:
      return run_weight_stationary(array, shape, left, right, {shape.n, 1}, options, observe);
    default:  // weight stationary for the transposed product
      return run_weight_stationary(array, transposed(shape), right.transposed(), left.transposed(), {1, shape.n},
                                   options, observe);
  }
}

std::int64_t closed_form_cycles(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape) {
  // [begin: closed-form]
  const auto& [R, C] = array;
  const auto& [m, n, k] = shape;
  if (dataflow == Dataflow::output_stationary) {
    return tiles(m, R) * tiles(n, C) * (R + C + k - 2);
  }
  if (dataflow == Dataflow::weight_stationary) {
    return tiles(k, R) * tiles(n, C) * (2 * R + C + m - 2);
  }
  return tiles(k, R) * tiles(m, C) * (2 * R + C + n - 2);
  // [end: closed-form]
}

std::int64_t closed_form_cycles_double_buffered(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape) {
  const bool weights = dataflow == Dataflow::weight_stationary;
  const std::size_t streamed = weights ? shape.m : shape.n, held = weights ? shape.n : shape.m;
  const std::size_t all = tiles(shape.k, array.rows) * tiles(held, array.columns);
  const std::size_t between = std::max(streamed, array.rows);
  return static_cast<std::int64_t>((all - 1) * between + 2 * array.rows + array.columns + streamed - 2);
}

std::vector<std::int32_t> plain_product(const ProductShape& shape, std::span<const std::int8_t> a,
                                        std::span<const std::int8_t> b) {
  std::vector<std::int32_t> c(shape.m * shape.n);
  for (std::size_t i = 0; i < shape.m; ++i) {
    for (std::size_t p = 0; p < shape.k; ++p) {
      for (std::size_t j = 0; j < shape.n; ++j) c[i * shape.n + j] += a[i * shape.k + p] * b[p * shape.n + j];
    }
  }
  return c;
}

}  // namespace hf::tpu

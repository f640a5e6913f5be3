#include "07-compilers/compiler/eager_operators.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "00-workload/loop_team.hpp"
#include "02-matmul/gemm.hpp"
#include "07-compilers/compiler/dropout_mask.hpp"
#include "07-compilers/compiler/graph.hpp"
#include "07-compilers/compiler/vector_math.hpp"
#include "harness/vector.hpp"

namespace hf::compilers {
namespace {

/// Calls `row(i)` for every row.
template <class Row>
void each_row(Shape shape, const Row& row) {
  workload::share_each(shape.rows, shape.columns, row);
}

/// result = f(a, b) for every number, sides of one repeated.
template <class F>
void of_two(std::span<const Operand> of, Shape shape, float* result, F f) {
  const Operand a = of.front(), b = of.back();
  each_row(shape, [&](std::size_t i) {
    const float* const x = a.numbers + (a.shape.rows == 1 ? 0 : i) * a.shape.columns;
    const float* const y = b.numbers + (b.shape.rows == 1 ? 0 : i) * b.shape.columns;
    for (std::size_t j = 0; j < shape.columns; ++j) {
      result[i * shape.columns + j] = f(x[a.shape.columns == 1 ? 0 : j], y[b.shape.columns == 1 ? 0 : j]);
    }
  });
}

float gelu_of(float x) { return gelu(broadcast(x))[0]; }
float exp_of(float x) { return exp(broadcast(x))[0]; }

void softmax_row(const float* x, float* y, std::size_t n) {
  const float max = *std::max_element(x, x + n);
  float sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += y[j] = exp_of(x[j] - max);
  for (std::size_t j = 0; j < n; ++j) y[j] /= sum;
}

void layer_norm_row(const float* x, const float* gain, const float* shift, float* y, std::size_t n) {
  float sum = 0, squares = 0;
  for (std::size_t j = 0; j < n; ++j) sum += x[j];
  const float mean = sum / static_cast<float>(n);
  for (std::size_t j = 0; j < n; ++j) squares += (x[j] - mean) * (x[j] - mean);
  const float scale = 1 / std::sqrt(squares / static_cast<float>(n) + layer_norm_epsilon);
  for (std::size_t j = 0; j < n; ++j) y[j] = (x[j] - mean) * scale * gain[j] + shift[j];
}

}  // namespace

void run_operator(const Node& node, std::span<const Operand> operands, float* result) {
  const Shape shape = node.shape;
  const Operand x = operands.empty() ? Operand{} : operands[0];
  const std::size_t n = x.shape.columns;
  switch (node.op) {
    case Op::input:
    case Op::constant: return;
    case Op::add: return of_two(operands, shape, result, [](auto a, auto b) { return a + b; });
    case Op::subtract: return of_two(operands, shape, result, [](auto a, auto b) { return a - b; });
    case Op::multiply: return of_two(operands, shape, result, [](auto a, auto b) { return a * b; });
    case Op::divide: return of_two(operands, shape, result, [](auto a, auto b) { return a / b; });
    case Op::maximum: return of_two(operands, shape, result, [](auto a, auto b) { return a > b ? a : b; });
    case Op::relu: return of_two(operands, shape, result, [](auto a, auto) { return 0 > a ? 0.0f : a; });
    case Op::exp: return of_two(operands, shape, result, [](auto a, auto) { return exp_of(a); });
    case Op::rsqrt: return of_two(operands, shape, result, [](auto a, auto) { return 1 / std::sqrt(a); });
    case Op::gelu: return of_two(operands, shape, result, [](auto a, auto) { return gelu_of(a); });
    case Op::dropout:
      return each_row(shape, [&](std::size_t i) {
        const DropoutRow row = dropout_row(node.seed, i);
        const std::uint32_t threshold = dropout_threshold(node.number);
        for (std::size_t j = 0; j < n; ++j) {
          const bool drop = dropout_bits(row, static_cast<std::uint32_t>(j)) < threshold;
          result[i * n + j] = drop ? 0 : x.numbers[i * n + j] / (1 - node.number);
        }
      });
    case Op::row_sum:
      return each_row(x.shape, [&](std::size_t i) {
        float sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += x.numbers[i * n + j];
        result[i] = sum;
      });
    case Op::row_max:
      return each_row(
          x.shape, [&](std::size_t i) { result[i] = *std::max_element(x.numbers + i * n, x.numbers + (i + 1) * n); });
    case Op::matmul:
      return workload::share(
          shape.rows, shape.columns * n / 8,
          [&](std::size_t first, std::size_t last) {
            matmul::gemm(last - first, shape.columns, n, x.numbers + first * n, operands[1].numbers,
                         result + first * shape.columns);
          },
          1);
    case Op::softmax: return each_row(shape, [&](std::size_t i) { softmax_row(x.numbers + i * n, result + i * n, n); });
    case Op::layer_norm:
      return each_row(shape, [&](std::size_t i) {
        layer_norm_row(x.numbers + i * n, operands[1].numbers, operands[2].numbers, result + i * n, n);
      });
  }
}

}  // namespace hf::compilers

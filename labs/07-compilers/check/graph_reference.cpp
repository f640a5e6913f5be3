#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/prelude.hpp"
#include "kit/rounded.hpp"

namespace hf::compilers {
namespace {

template <class Number>
struct Matrix {
  Shape shape;
  std::vector<Number> numbers;

  /// Broadcasts a dimension of size one.
  const Number& at(std::size_t i, std::size_t j) const {
    return numbers[(shape.rows == 1 ? 0 : i) * shape.columns + (shape.columns == 1 ? 0 : j)];
  }
};

template <class Number>
Number larger(const Number& a, const Number& b) {
  return value_of(a) > value_of(b) ? a : b;
}

/// Computes one number of an elementwise operator from x and, if it has two operands, y.
template <class Number>
Number elementwise(const Node& node, std::size_t i, std::size_t j, const Number& x, const Number& y) {
  switch (node.op) {
    case Op::add: return x + y;
    case Op::subtract: return x - y;
    case Op::multiply: return x * y;
    case Op::divide: return x / y;
    case Op::maximum: return larger(x, y);
    case Op::relu: return larger(Number(0.0), x);
    case Op::exp: return exponential_of(x);
    case Op::rsqrt: return Number(1.0) / root_of(x);
    case Op::gelu: {
      const Number z = Number(std::sqrt(2 / std::numbers::pi)) * (x + Number(0.044715) * x * x * x);
      return Number(0.5) * x * (Number(1.0) + tanh_of(z));
    }
    default: {  // dropout
      const bool drop =
          dropout_bits(dropout_row(node.seed, i), static_cast<std::uint32_t>(j)) < dropout_threshold(node.number);
      return drop ? Number(0.0) : x / Number(1 - double{node.number});
    }
  }
}

template <class Number>
Number row_sum(const Matrix<Number>& x, std::size_t i) {
  Number sum = 0.0;
  for (std::size_t j = 0; j < x.shape.columns; ++j) sum = sum + x.at(i, j);
  return sum;
}

template <class Number>
Number row_max(const Matrix<Number>& x, std::size_t i) {
  Number max = x.at(i, 0);
  for (std::size_t j = 1; j < x.shape.columns; ++j) max = larger(x.at(i, j), max);
  return max;
}

template <class Number>
Number product(const Matrix<Number>& a, const Matrix<Number>& b, std::size_t i, std::size_t j) {
  Number sum = 0.0;
  for (std::size_t p = 0; p < a.shape.columns; ++p) sum = sum + a.at(i, p) * b.at(p, j);
  return sum;
}

/// Evaluates a graph. \pre it contains no softmax or layer norm
template <class Number>
std::vector<Number> evaluate(const Graph& graph, std::span<const float* const> inputs) {
  std::vector<Matrix<Number>> results;
  std::size_t next_input = 0;
  for (const Node& node : graph.nodes()) {
    Matrix<Number> result = {node.shape, {}};
    result.numbers.reserve(node.shape.numbers());
    const float* const input = node.op == Op::input ? inputs[next_input++] : &node.number;
    const auto operand = [&](std::size_t which) -> const Matrix<Number>& { return results[node.operands[which].node]; };
    for (std::size_t i = 0; i < node.shape.rows; ++i) {
      for (std::size_t j = 0; j < node.shape.columns; ++j) {
        const auto number = [&]() -> Number {
          switch (node.op) {
            case Op::input: return double{input[i * node.shape.columns + j]};
            case Op::constant: return double{node.number};
            case Op::row_sum: return row_sum(operand(0), i);
            case Op::row_max: return row_max(operand(0), i);
            case Op::matmul: return product(operand(0), operand(1), i, j);
            default: return elementwise(node, i, j, operand(0).at(i, j), operand(node.operands.size() - 1).at(i, j));
          }
        };
        result.numbers.push_back(number());
      }
    }
    results.push_back(std::move(result));
  }
  return std::move(results.back().numbers);
}

}  // namespace

std::vector<double> reference(const Graph& graph, std::span<const float* const> inputs) {
  return evaluate<double>(decompose(graph), inputs);
}

std::vector<Rounded> rounded_reference(const Graph& graph, std::span<const float* const> inputs) {
  return evaluate<Rounded>(decompose(graph), inputs);
}

}  // namespace hf::compilers

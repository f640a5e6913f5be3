/// \file
/// The graphs that the chapter runs and compiles: a chain of elementwise operators, softmax, a block of a network,
/// attention, layers, and a perceptron.
#pragma once

#include <cstddef>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"  // IWYU pragma: export
#include "harness/measure/memory.hpp"

namespace hf::compilers {

/// relu(x) · 0.5 + 1. Input: x.
Graph chain_graph(const Shape& shape);

/// softmax(x) of each row, as one operator. Input: x.
Graph softmax_graph(const Shape& shape);

/// A block of a network: dropout(gelu(layer_norm(x) · weight + bias)).
struct BlockShape {
  std::size_t tokens, width, outputs;
  float dropout = 0.1f;  ///< probability; 0 for none
};

/// Inputs: x (tokens, width), gain (1, width), shift (1, width), weight (width, outputs), bias (1, outputs).
Graph block_graph(const BlockShape& shape);

/// A block without its matrix product: dropout(gelu(layer_norm(x))). Inputs: x, gain and shift (1, columns).
Graph norm_graph(const Shape& shape, float dropout = 0.1f);

/// gelu(layer_norm(x)) with our GELU, x / (1 + exp(−2z)), written operator by operator. Inputs: as norm_graph().
Graph norm_graph_spelled_out(const Shape& shape);

/// softmax(q · k · width^(-1/2)) · v, one head. Inputs: q (queries, width), k, transposed (width, tokens),
/// v (tokens, width).
/// \param queries  0: the number of tokens
Graph attention_graph(std::size_t tokens, std::size_t width, std::size_t queries = 0);

constexpr std::size_t linear_width = 768;

/// x · weights + bias, like PyTorch's Linear(width, width). Inputs: x (batch, width), weights (width, width), bias (1,
/// width).
Graph linear_graph(std::size_t batch, std::size_t width);

/// Widths of the layers of a perceptron.
struct PerceptronShape {
  std::size_t inputs, hidden, outputs;

  constexpr std::size_t weights() const { return inputs * hidden + hidden * hidden + hidden * outputs; }
};

/// The perceptron that reads a digit of 28 by 28 pixels.
constexpr PerceptronShape digits = {784, 256, 10};

/// A perceptron with the same operators, each on a single number: its time is what the calls cost.
constexpr PerceptronShape hollow = {1, 1, 1};

/// softmax(relu(relu(x · a + a') · b + b') · c + c'). Inputs: x (batch, inputs), a, a', b, b', c, c'.
Graph perceptron_graph(std::size_t batch, const PerceptronShape& shape);

/// The operators between two products: x + dropout(gelu(x · gain + shift) · gate). Inputs: x (rows, hidden), gain,
/// shift and gate (1, hidden).
Graph between_graph(std::size_t rows, std::size_t hidden);

/// Random numbers for every input of a graph. Right sides of products are scaled so that a product has numbers as large
/// as its left side.
class GraphInputs {
 public:
  explicit GraphInputs(const Graph& graph);

  const std::vector<const float*>& pointers() const { return pointers_; }

 private:
  std::vector<Buffer> memory_;
  std::vector<const float*> pointers_;
};

}  // namespace hf::compilers

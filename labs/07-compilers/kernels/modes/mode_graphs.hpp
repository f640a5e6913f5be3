/// \file
/// What is run eagerly and compiled: a layer of a network, and a small model of four parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/memory.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

/// x + gelu(layer_norm(x) · up + up bias) · down + down bias. Inputs: x (rows, width), gain and shift (1, width), up
/// (width, hidden), its bias (1, hidden), down (hidden, width), its bias (1, width).
Graph mlp_graph(std::size_t rows, std::size_t width, std::size_t hidden);

/// What stands between two products: x + dropout(gelu(x · gain + shift) · gate). Inputs: x (rows, hidden), gain, shift and gate
/// (1, hidden).
Graph between_graph(std::size_t rows, std::size_t hidden);

/// Random numbers for every input of a graph. What is multiplied from the right is scaled so that products keep the size of
/// their left side.
class GraphInputs {
 public:
  explicit GraphInputs(const Graph& graph, std::uint64_t sequence = 0);

  const std::vector<const float*>& pointers() const { return pointers_; }
  /// \param numbers  another array of the input's shape
  void set(std::size_t input, const float* numbers) { pointers_[input] = numbers; }

 private:
  std::vector<Buffer> memory_;
  std::vector<const float*> pointers_;
};

/// A part of a model: its first input is what the part before it gave.
struct ModelPart {
  std::string name;
  Graph graph;
};

/// Four parts, of x (tokens, width). "up": a layer norm and a product with a bias, (tokens, hidden). "between": as
/// between_graph(). "down": a product with a bias, (tokens, vocabulary). "chances": softmax of that over a temperature.
std::vector<ModelPart> small_model(std::size_t tokens, std::size_t width, std::size_t hidden, std::size_t vocabulary);

/// How many times as fast a graph should be when it is compiled: each operator, and the program, takes as long as its FLOPs
/// or its bytes do.
double predicted_gain(const Graph& graph, const Roofline& machine);

}  // namespace hf::compilers

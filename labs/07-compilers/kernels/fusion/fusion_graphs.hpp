/// \file
/// The graphs that the chapter compiles: a chain of elementwise operators, softmax, a block of a network, attention.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/results.hpp"

namespace hf::compilers {

/// A way to run something: what the first call costs more than the others, and what each call takes. Seconds.
struct Cost {
  Estimate first;
  Estimate call;
};

/// Calls after which `first` is won back, where a call takes so much less than otherwise; nothing where it does not.
std::optional<Estimate> break_even_calls(const Cost& compiled, const Estimate& otherwise);

/// Seconds of all calls together, over their number: 1, 2, 5, 10, … up to `most`.
Series seconds_together(const std::string& id, const std::string& label, const Cost& cost, double most);

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

/// The same without its matrix product: dropout(gelu(layer_norm(x))). Inputs: x, gain and shift (1, columns).
Graph norm_graph(const Shape& shape, float dropout = 0.1f);

/// softmax(q · k · width^(-1/2)) · v, one head. Inputs: q (queries, width), k, transposed (width, tokens), v (tokens, width).
/// \param queries  0 for as many as tokens
Graph attention_graph(std::size_t tokens, std::size_t width, std::size_t queries = 0);

/// How many times as fast chain_graph() should be in one loop: three copies through four arrays, against one through two.
/// \param fused_gbs, unfused_gbs  of copies over as much memory as two arrays take, and four
double chain_gain_by_copies(double fused_gbs, double unfused_gbs);

}  // namespace hf::compilers

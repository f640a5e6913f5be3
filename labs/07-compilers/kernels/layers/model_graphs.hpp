/// \file
/// What is called in order to see what a call costs: one layer, and a small model.
#pragma once

#include <cstddef>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {

constexpr std::size_t linear_width = 768;

/// x · weights + bias, as Linear(width, width) has it. Inputs: x (batch, width), weights (width, width), bias (1, width).
Graph linear_graph(std::size_t batch, std::size_t width);

/// How wide the layers of a perceptron are.
struct PerceptronShape {
  std::size_t inputs, hidden, outputs;

  constexpr std::size_t weights() const { return inputs * hidden + hidden * hidden + hidden * outputs; }
};

/// Reads a digit of 28 by 28 pixels.
constexpr PerceptronShape digits = {784, 256, 10};

/// The same operators, each with one number of work: what is left is what it takes to call them.
constexpr PerceptronShape hollow = {1, 1, 1};

/// softmax(relu(relu(x · a + a') · b + b') · c + c'). Inputs: x (batch, inputs), a, a', b, b', c, c'.
Graph perceptron_graph(std::size_t batch, const PerceptronShape& shape);

}  // namespace hf::compilers

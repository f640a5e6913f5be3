/// \file
/// A graph as one writes it in PyTorch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/graph.hpp"

namespace hf::compilers {

struct TorchProgram {
  std::string source;  ///< Python: defines graph(...), with `torch` and `F`, its functional, at hand
  std::vector<std::vector<std::size_t>> sizes;  ///< of the tensors it is called with
  std::vector<std::size_t> parameters = {};     ///< those of the tensors that a module of PyTorch would hold as its own

  std::size_t numbers(std::size_t tensor) const;
};

/// Every operator is one of PyTorch's, and a product to which a row is added is addmm, as in its Linear. Parameters are what
/// its Linear and its LayerNorm have: weights, biases, gains and shifts.
TorchProgram torch_program(const Graph& graph);

}  // namespace hf::compilers

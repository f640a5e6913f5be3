#include "07-compilers/kernels/compiler/function_loops.hpp"

#include <stdexcept>
#include <string>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/prelude.hpp"
#include "harness/measure/vector.hpp"

namespace hf::compilers {
namespace {

constexpr float looped_dropout = 0.1f;  // the cost of a mask depends neither on it nor on the seed, 0

/// Goes through a row as generated loops do.
template <class Function>
void loop(const float* x, float* y, const Function& function) {
  each_vector(0, looped_numbers, [&](Some at) HF_INLINE { store(y, at, function(load(x, at), at)); });
}

}  // namespace

Graph looped_graph(Op function) {
  Graph graph;
  graph.add(function, {graph.input({1, looped_numbers})}, function == Op::dropout ? looped_dropout : 0);
  return graph;
}

void function_loop(Op function, const float* x, float* y) {
  switch (function) {
    case Op::exp: return loop(x, y, [](Floats v, Some) { return exp(v); });
    case Op::gelu: return loop(x, y, [](Floats v, Some) { return gelu(v); });
    case Op::dropout: {
      const Mask mask = mask_of(0, 0, looped_dropout);
      return loop(x, y, [&](Floats v, Some at) { return dropped(v, mask, at.i); });
    }
    default: throw std::invalid_argument(std::string("operator ") + name(function) + " has no loop of its own");
  }
}

}  // namespace hf::compilers

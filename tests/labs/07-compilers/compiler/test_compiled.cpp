#include "07-compilers/kernels/compiler/compiled.hpp"

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "common/rounded.hpp"
#include "graphs.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "suite.hpp"

using namespace hf;
using namespace hf::compilers;

namespace {

/// Graphs compiled into a separate cache and compared with their definition.
class CompiledGraphs {
 public:
  /// Checks that it was compiled without a message.
  Compiled& compile(const Graph& graph, CompileOptions options = {}) {
    options.folder = cache_.path();
    options.seconds = 600;  // so that a busy machine fails no test
    graph_ = graph;
    compiled_ = std::make_unique<Compiled>(graph, options);
    CHECK(compiled_->remark() == "");
    CHECK(compiled_->is_compiled());
    return *compiled_;
  }

  /// The error of its result for random inputs, as a share of the bound.
  double worst() {
    const Inputs inputs(graph_);
    std::vector<float> result(graph_.result_shape().numbers(), NAN);
    compiled_->run(inputs.pointers(), result.data());
    return worst_error_share(result, rounded_reference(graph_, inputs.pointers()));
  }

 private:
  ScratchFolder cache_;
  Graph graph_;
  std::unique_ptr<Compiled> compiled_;
};

/// softmax(a · q · kᵗ) · v
Graph attention(std::size_t tokens, std::size_t width) {
  Graph graph;
  const Ref q = graph.input({tokens, width}), k = graph.input({width, tokens}), v = graph.input({tokens, width});
  const Ref scores = graph.add(Op::multiply, {graph.add(Op::matmul, {q, k}), graph.constant(0.125f)});
  graph.add(Op::matmul, {graph.add(Op::softmax, {scores}), v});
  return graph;
}

}  // namespace

TEST_CASE("A chain of elementwise operators is one loop, right for every length and every kind of store") {
  CompiledGraphs graphs;
  for (Shape shape : first_few<Shape>(3, {{1, 15}, {64, 64}, {129, 257}, {1, 1}, {3, 5}, {7, 33}})) {
    for (Stores stores : {Stores::ordinary, Stores::nontemporal}) {
      CAPTURE(shape.rows);
      CAPTURE(shape.columns);
      Compiled& compiled = graphs.compile(chain_of_three(shape), {.stores = stores});
      CHECK(compiled.loops() == 1);
      CHECK(graphs.worst() <= 1);
    }
  }
}

TEST_CASE("Softmax and layer norm are one loop each, right for every width") {
  CompiledGraphs graphs;
  for (std::size_t columns : first_few<std::size_t>(3, {1, 17, 768, 2, 15, 16, 63, 64, 65, 130})) {
    CAPTURE(columns);
    for (Stores stores : {Stores::ordinary, Stores::nontemporal}) {
      CHECK(graphs.compile(one_operator(Op::softmax, {{5, columns}}), {.stores = stores}).loops() == 1);
      CHECK(graphs.worst() <= 1);
      const std::vector<Shape> shapes = {{5, columns}, {1, columns}, {1, columns}};
      CHECK(graphs.compile(one_operator(Op::layer_norm, shapes), {.stores = stores}).loops() == 1);
      CHECK(graphs.worst() <= 1);
    }
  }
}

TEST_CASE("A block of a network is two loops: layer norm, and a product with all that follows it") {
  CompiledGraphs graphs;
  for (std::size_t rows : first_few<std::size_t>(3, {1, 14, 61, 2, 13, 300})) {
    CAPTURE(rows);
    CHECK(graphs.compile(network_block(rows, 48, 80)).loops() == 2);
    CHECK(graphs.worst() <= 1);
  }
  graphs.compile(network_block(515, 33, 21));
  CHECK(graphs.worst() <= 1);
}

TEST_CASE("Attention as a graph is two products and a loop between them, a block of rows at a time") {
  CompiledGraphs graphs;
  for (std::size_t tokens : first_few<std::size_t>(2, {5, 300, 1, 64})) {
    CAPTURE(tokens);
    Compiled& compiled = graphs.compile(attention(tokens, 16));
    CHECK(graphs.worst() <= 1);
    CHECK(compiled.loops() == 3);
  }
}

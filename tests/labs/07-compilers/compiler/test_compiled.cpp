// Graphs, known and random, compiled: as close to their definition as single precision allows.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/compiler/plan.hpp"
#include "graphs.hpp"
#include "harness/measure/scratch_folder.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "suite.hpp"

namespace hf::compilers {
namespace {

/// The error of its result for random inputs, as a share of the bound.
template <class... Rows>
double worst_error(Compiled& compiled, const Graph& graph, Rows... rows) {
  const Inputs inputs(graph);
  return worst_error_share(result_of(compiled, graph, inputs, rows...), rounded_reference(graph, inputs.pointers()));
}

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
  double worst() { return worst_error(*compiled_, graph_); }

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

TEST_CASE("A chain of elementwise operators is one loop, right for every length and every kind of store") {
  CompiledGraphs graphs;
  for (Shape shape : first_few<Shape>(3, {{1, 15}, {64, 64}, {129, 257}, {1, 1}, {3, 5}, {7, 33}})) {
    for (Stores stores : {Stores::ordinary, Stores::nontemporal}) {
      INFO(shape.rows, " × ", shape.columns);
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

/// Grows one graph. Its numbers stay small enough, and its divisors large enough, that single precision does not
/// overflow and no small error becomes large.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : seed_(seed), rows_(side()), columns_(side()) {}

  Graph grow(std::size_t operators) {
    values_.push_back(input({rows_, columns_}));
    for (std::size_t i = 0; i < operators; ++i) values_.push_back(next());
    // The last is a matrix that depends on the first, or the graph would sometimes be a vector.
    const Ref last =
        graph_.add(Op::add, {values_.back().ref, input({rows_, graph_.node(values_.back().ref).shape.columns}).ref});
    graph_.add(Op::relu, {last});
    return graph_;
  }

 private:
  struct Value {
    Ref ref;
    double most;  ///< an upper bound for its numbers
  };

  std::uint64_t below(std::uint64_t end) { return random_below(1000 + seed_, count_++, end); }

  std::size_t side() {
    constexpr std::size_t sides[] = {1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 65, 70, 130, 257};
    return sides[below(std::size(sides))];
  }

  Value input(Shape shape) { return {graph_.input(shape), 1}; }
  Value number(float value) { return {graph_.constant(value), std::abs(value)}; }

  Shape shape(const Value& value) const { return graph_.node(value.ref).shape; }

  Value any() { return values_[below(values_.size())]; }

  /// A value, divided so that it is no larger.
  Value at_most(Value value, double most) {
    if (value.most <= most) return value;
    const Value by = number(static_cast<float>(most / value.most));
    return {graph_.add(Op::multiply, {value.ref, by.ref}), most * 1.001};
  }

  /// A value that can be broadcast to the shape of another: an older one, or an input.
  Value partner(const Value& value) {
    const auto [rows, columns] = shape(value);
    const Value other = any();
    const auto fits = [](std::size_t a, std::size_t b) { return a == b || a == 1; };
    if (fits(shape(other).rows, rows) && fits(shape(other).columns, columns)) return other;
    switch (below(5)) {
      case 0: return number(0.75f);
      case 1: return input({1, columns});
      case 2: return input({rows, 1});
      case 3: return input({1, 1});
      default: return input({rows, columns});
    }
  }

  /// x² + 1/2
  Value positive(Value value) {
    value = at_most(value, 8);
    const Ref square = graph_.add(Op::multiply, {value.ref, value.ref});
    return {graph_.add(Op::add, {square, number(0.5f).ref}), value.most * value.most + 0.5};
  }

  Value next() {
    const Value x = at_most(below(2) == 0 ? values_.back() : any(), 100);
    const Shape of = shape(x);
    switch (below(15)) {
      case 0: return of_two(Op::add, x, partner(x), x.most + 100);
      case 1: return of_two(Op::subtract, x, partner(x), x.most + 100);
      case 2: return of_two(Op::multiply, x, partner(x), x.most * 100);
      case 3: return of_two(Op::divide, x, positive(partner(x)), x.most * 2);
      case 4: return of_two(Op::maximum, x, partner(x), 100);
      case 5: return of_one(Op::relu, x, x.most);
      case 6: return of_one(Op::exp, at_most(x, 3), 21);
      case 7: return of_one(Op::rsqrt, positive(x), 1.5);
      case 8: return of_one(Op::gelu, x, x.most);
      case 9: return {graph_.add(Op::dropout, {x.ref}, 0.25f, below(1 << 20)), x.most * 1.5};
      case 10: return of_one(Op::row_sum, x, x.most * static_cast<double>(of.columns));
      case 11: return of_one(Op::row_max, x, x.most);
      case 12: return of_one(Op::softmax, at_most(x, 20), 1);
      case 13: {
        const Ref gain = input({1, of.columns}).ref, shift = input({1, of.columns}).ref;
        return {graph_.add(Op::layer_norm, {x.ref, gain, shift}), std::sqrt(static_cast<double>(of.columns)) + 1};
      }
      default: {
        const Value right = input({of.columns, side()});
        return {graph_.add(Op::matmul, {x.ref, right.ref}), x.most * static_cast<double>(of.columns)};
      }
    }
  }

  Value of_one(Op op, Value x, double most) { return {graph_.add(op, {x.ref}), most}; }

  Value of_two(Op op, Value x, Value y, double most) {
    y = at_most(y, 100);
    if (op != Op::divide && below(2) == 0) std::swap(x, y);
    return {graph_.add(op, {x.ref, y.ref}), most};
  }

  std::uint64_t seed_, count_ = 0;
  std::size_t rows_, columns_;
  Graph graph_;
  std::vector<Value> values_;
};

// The compiler takes a second for each; the weekly suite compiles more of them.
const std::uint64_t graphs = weekly() ? 48 : 16, graphs_of_any_rows = graphs / 2;

/// A seed for each of the graphs.
std::uint64_t seed_of(std::uint64_t graph) { return 1000 * (seed() - 1) + graph; }

Stores stores_of(std::uint64_t seed) { return seed % 2 == 0 ? Stores::ordinary : Stores::nontemporal; }

TEST_CASE("A random graph, compiled, is as close to its definition as single precision is") {
  const ScratchFolder cache;
  std::size_t loops = 0, operators = 0;
  for (std::uint64_t number = 0; number < graphs; ++number) {
    const std::uint64_t seed = seed_of(number);
    const Graph graph = RandomGraph(seed).grow(2 + number % 12);
    CAPTURE(seed);
    CAPTURE(text(graph));
    Compiled compiled(graph, {.stores = stores_of(seed), .seconds = 600, .folder = cache.path()});
    CHECK(compiled.remark() == "");
    REQUIRE(compiled.is_compiled());
    CHECK(worst_error(compiled, graph) <= 1);
    const OneCore alone;
    CHECK(worst_error(compiled, graph) <= 1);
    loops += compiled.loops();
    const Graph simple = decompose(graph);
    for (const Node& node : simple.nodes()) operators += node.op != Op::input && node.op != Op::constant;
  }
  CHECK(loops < operators / 2);  // something was fused
}

TEST_CASE("A random graph, compiled for any number of rows, is right for each, or says why it was not") {
  const ScratchFolder cache;
  std::size_t compiled_graphs = 0;
  for (std::uint64_t number = 0; number < graphs_of_any_rows; ++number) {
    const std::uint64_t seed = seed_of(500 + number);
    const Graph graph = RandomGraph(seed).grow(2 + number % 8);
    CAPTURE(seed);
    CAPTURE(text(graph));
    Compiled compiled(graph, {.stores = stores_of(seed), .any_rows = true, .seconds = 600, .folder = cache.path()});
    CHECK(compiled.is_compiled() == compiled.remark().empty());
    CHECK(worst_error(compiled, graph, 0) <= 1);
    if (!compiled.is_compiled()) continue;
    ++compiled_graphs;
    const FusionPlan plan = make_plan(graph, true, 0);
    for (std::size_t rows : {1, 5, 300}) {
      CAPTURE(rows);
      CHECK(worst_error(compiled, with_rows(plan, rows), rows) <= 1);
    }
  }
  CHECK(compiled_graphs > graphs_of_any_rows / 2);
}

}  // namespace
}  // namespace hf::compilers

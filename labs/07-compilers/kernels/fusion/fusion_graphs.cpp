#include "07-compilers/kernels/fusion/fusion_graphs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

constexpr std::uint64_t dropout_seed = 7;

}  // namespace

// [begin: chain-graph]
Graph chain_graph(const Shape& shape) {
  Graph graph;
  const Ref x = graph.input(shape);
  const Ref positive = graph.add(Op::relu, {x});
  const Ref half = graph.add(Op::multiply, {positive, graph.constant(0.5f)});
  graph.add(Op::add, {half, graph.constant(1)});
  return graph;
}
// [end: chain-graph]

Graph softmax_graph(const Shape& shape) {
  Graph graph;
  const Ref x = graph.input(shape);
  graph.add(Op::softmax, {x});
  return graph;
}

Graph block_graph(const BlockShape& shape) {
  Graph graph;
  const Ref x = graph.input({shape.tokens, shape.width});
  const Ref gain = graph.input({1, shape.width});
  const Ref shift = graph.input({1, shape.width});
  const Ref weight = graph.input({shape.width, shape.outputs});
  const Ref bias = graph.input({1, shape.outputs});
  const Ref normal = graph.add(Op::layer_norm, {x, gain, shift});
  const Ref product = graph.add(Op::matmul, {normal, weight});
  const Ref linear = graph.add(Op::add, {product, bias});
  const Ref active = graph.add(Op::gelu, {linear});
  if (shape.dropout == 0) return graph;
  graph.add(Op::dropout, {active}, shape.dropout, dropout_seed);
  return graph;
}

Graph norm_graph(const Shape& shape, float dropout) {
  Graph graph;
  const Ref x = graph.input(shape), gain = graph.input({1, shape.columns}), shift = graph.input({1, shape.columns});
  const Ref active = graph.add(Op::gelu, {graph.add(Op::layer_norm, {x, gain, shift})});
  if (dropout > 0) graph.add(Op::dropout, {active}, dropout, dropout_seed);
  return graph;
}

Graph attention_graph(std::size_t tokens, std::size_t width, std::size_t queries) {
  Graph graph;
  const Ref q = graph.input({queries == 0 ? tokens : queries, width}), k = graph.input({width, tokens}),
            v = graph.input({tokens, width});
  const Ref scale = graph.constant(1 / std::sqrt(static_cast<float>(width)));
  const Ref scores = graph.add(Op::multiply, {graph.add(Op::matmul, {q, k}), scale});
  graph.add(Op::matmul, {graph.add(Op::softmax, {scores}), v});
  return graph;
}

// Each pass reads one array and writes one. The second and the third read what has just been written, two arrays ago; the
// other four of six streams find their lines where they were left a round ago, behind four arrays.
double chain_gain_by_copies(double fused_gbs, double unfused_gbs) {
  const double fused = 1 / fused_gbs, unfused = 1 / unfused_gbs;
  return 3 * (2.0 / 6 * fused + 4.0 / 6 * unfused) / fused;
}

std::optional<Estimate> break_even_calls(const Cost& compiled, const Estimate& otherwise) {
  const double saved = otherwise.median - compiled.call.median;
  if (saved <= 0) return std::nullopt;
  return transform(compiled.first, [saved](double s) { return s / saved; });
}

Series seconds_together(const std::string& id, const std::string& label, const Cost& cost, double most) {
  Series series = {id, label, Kind::measured, {"calls", "1"}, {"time of all calls together", "s"}};
  for (double decade = 1; decade <= most; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double calls = decade * step;
      if (calls > most) break;
      const auto together = [&](double first) { return first + calls * cost.call.median; };
      series.points.emplace_back(calls, transform(cost.first, together));
    }
  }
  return series;
}

}  // namespace hf::compilers

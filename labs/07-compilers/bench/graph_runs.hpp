/// \file
/// A graph with random inputs, run operator by operator and compiled: timed, and held against what it should give.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "07-compilers/bench/chain_runs.hpp"
#include "07-compilers/bench/roofs.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

/// Ways to run a graph.
enum class Way {
  decomposed,  ///< softmax and layer norm as sums, maxima and elementwise operators too, all one by one
  operators,   ///< one by one
  compiled,
  compiled_ordinary,     ///< every store through the caches
  compiled_nontemporal,  ///< what is not read again past them
};

/// "by operators", "compiled", ...
const char* name(Way way);

/// A graph to be measured.
struct GraphCase {
  std::string id, label;                            ///< "block", "layer norm, linear, GELU, dropout"
  std::function<Graph(std::size_t rows)> graph;     ///< of so many rows of the result
  std::function<Graph(std::size_t rows)> compared;  ///< what others can be held to: without dropout
  std::size_t rows;
  std::vector<Way> ways;
};

/// relu(x) · 0.5 + 1, softmax, a block of a network with its matrix product and without, and attention. \param rows  of their inputs and results
std::vector<GraphCase> all_graph_cases(std::size_t rows);

/// One graph in every way.
class GraphRuns {
 public:
  /// \param cache  of what is compiled
  /// \throws OutOfMemory
  /// \throws std::runtime_error where a result is wrong
  GraphRuns(GraphCase which, std::filesystem::path cache);

  std::vector<Variant> variants(Cores cores = Cores::all);
  std::string id(Way way, Cores cores = Cores::all) const;

  /// What each moves and computes, and the least seconds that a machine needs for it: operator by operator, or, compiled,
  /// all in all.
  Work work(Way way) const;
  double least_seconds(Way way, const TwoRoofs& machine) const;

  /// Of the matrix products alone.
  double product_seconds(const TwoRoofs& machine) const;
  bool has_product() const;

  const GraphCase& what() const { return case_; }
  Shape result_shape() const { return graph_.result_shape(); }
  const Compiled& compiled(Way way = Way::compiled) const { return compiled_.at(way); }
  std::span<const float* const> inputs() const { return inputs_; }

  /// Of the graph that others are held to, compiled. \return (result_shape())
  std::vector<float> compared_result() const;

 private:
  void run(Way way);
  void check(const Graph& first_rows);

  GraphCase case_;
  std::filesystem::path cache_;
  Graph graph_;
  std::map<Way, Eager> eager_;
  std::map<Way, Compiled> compiled_;
  std::vector<Buffer> memory_;  ///< the inputs, then the result
  std::vector<const float*> inputs_;
};

}  // namespace hf::compilers

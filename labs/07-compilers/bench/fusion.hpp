/// \file
/// Graphs run in every strategy, and copying beside them: what the step's parts share, and what tests call of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"          // IWYU pragma: export
#include "01-roofline/kernels/stream_runs.hpp"         // IWYU pragma: export
#include "07-compilers/bench/arithmetic.hpp"           // IWYU pragma: export
#include "07-compilers/kernels/compiler/compiled.hpp"  // IWYU pragma: export
#include "07-compilers/kernels/compiler/eager.hpp"     // IWYU pragma: export
#include "07-compilers/kernels/compiler/graph.hpp"     // IWYU pragma: export
#include "07-compilers/kernels/models/graphs.hpp"      // IWYU pragma: export
#include "harness/measure/memory.hpp"                  // IWYU pragma: export
#include "harness/measure/work.hpp"                    // IWYU pragma: export
#include "harness/report/lab.hpp"                      // IWYU pragma: export

namespace hf::compilers {

constexpr int fusion_parts = 8;  ///< of the step: five graphs, sizes, a blur with few taps and one with more

/// A blur in two stages: locality against recomputation.
void measure_blur(Lab& lab);

// ---- When compiling has paid ----

/// A way to run something: what the first call costs more than the others, and what each call takes. Seconds.
struct Cost {
  Estimate first, call;
};

/// Calls after which `first` is won back, where a call takes so much less than otherwise; nothing where it does not.
std::optional<Estimate> break_even_calls(const Cost& compiled, const Estimate& otherwise);

/// Seconds of all calls together, over their number: 1, 2, 5, 10, … up to `most`.
Series seconds_together(const std::string& id, const std::string& label, const Cost& cost, double most);

/// How many times as fast chain_graph() should be in one loop: three copies through four arrays, against one through two.
/// \param fused_gbs, unfused_gbs  of copies over as much memory as two arrays take, and four
double chain_gain_by_copies(double fused_gbs, double unfused_gbs);

// ---- Roofs ----

/// "three passes", or "three passes, one core"
std::string on(Threads threads, const std::string& name);

/// The same on those cores.
std::vector<Variant> on(Threads threads, std::vector<Variant> variants);

/// What a machine can do, with either kind of stores: a byte past the caches may take longer than one through them.
struct TwoRoofs {
  Roofline through_caches, past_caches;
  OpCosts costs = counted_flops;

  /// Least seconds for work that writes in one of the two ways.
  double seconds(const Work& work) const {
    return (work.allocated_bytes > 0 ? through_caches : past_caches).seconds(work);
  }
};

/// Arithmetic; and copying: what any kernel that reads one array and writes another is held against, since it does
/// nothing else.
class Roofs {
 public:
  /// \param bytes  of both arrays together, past all caches
  /// \throws OutOfMemory
  explicit Roofs(std::size_t bytes);

  /// Copying with ordinary and with non-temporal stores.
  std::vector<Variant> copies(Threads threads);
  static std::string id(roofline::Stream stream, Threads threads) { return on(threads, roofline::id(stream)); }

  /// On all cores, copying and arithmetic.
  std::vector<Variant> variants();

  /// GB/s at which bytes cross, those of write-allocate among them.
  Estimate traffic_gbs(const Sampling& sampling, roofline::Stream stream, Threads threads) const;

  const Arithmetic& arithmetic() const { return arithmetic_; }

  /// Arithmetic, and bytes as copying moves them, on all cores.
  TwoRoofs roofs(const Sampling& sampling) const;

 private:
  Team team_;
  Arithmetic arithmetic_;
  const roofline::KernelSet* set_;
  std::size_t bytes_, share_;  ///< of all threads, of one of them
  roofline::StreamMemory memory_;
};

// ---- Graphs ----

/// Ways to run a graph.
enum class Strategy {
  decomposed,  ///< softmax and layer norm as sums, maxima and elementwise operators too, all one by one
  operators,   ///< one by one
  compiled,
  compiled_ordinary,     ///< every store through the caches
  compiled_nontemporal,  ///< what is not read again past them
};

/// "by operators", "compiled", ...
const char* name(Strategy strategy);

/// A graph to be measured.
struct GraphCase {
  std::string id, label;                            ///< "block", "layer norm, linear, GELU, dropout"
  std::function<Graph(std::size_t rows)> graph;     ///< of so many rows of the result
  std::function<Graph(std::size_t rows)> compared;  ///< what others can be held to: without dropout
  std::size_t rows;
  std::vector<Strategy> strategies;
};

/// relu(x) · 0.5 + 1, softmax, a block of a network with its matrix product and without, and attention. \param rows  of their inputs and results
std::vector<GraphCase> all_graph_cases(std::size_t rows);

/// One graph in every strategy.
class GraphRuns {
 public:
  /// \param cache  of what is compiled
  /// \throws OutOfMemory
  /// \throws std::runtime_error where a result is wrong
  GraphRuns(GraphCase which, std::filesystem::path cache);

  std::vector<Variant> variants(Threads threads = Threads::all);
  std::string id(Strategy strategy, Threads threads = Threads::all) const;

  /// What each moves and computes, and the least seconds that a machine needs for it: operator by operator, or, compiled,
  /// all in all.
  Work work(Strategy strategy) const;
  double least_seconds(Strategy strategy, const TwoRoofs& machine) const;

  /// Of the matrix products alone.
  double product_seconds(const TwoRoofs& machine) const;
  bool has_product() const;

  const GraphCase& what() const { return case_; }
  const Graph& graph() const { return graph_; }
  Shape result_shape() const { return graph_.result_shape(); }
  const Compiled& compiled() const { return compiled_.at(Strategy::compiled); }
  std::span<const float* const> inputs() const { return inputs_.pointers(); }

  /// Of the graph that others are held to, compiled. \return (result_shape())
  std::vector<float> compared_result() const;

 private:
  void run(Strategy strategy);
  void check(const Graph& first_rows);

  GraphCase case_;
  std::filesystem::path cache_;
  Graph graph_;
  std::map<Strategy, Eager> eager_;
  std::map<Strategy, Compiled> compiled_;
  GraphInputs inputs_;
  Buffer result_;
};

}  // namespace hf::compilers

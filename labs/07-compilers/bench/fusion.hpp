/// \file
/// Graphs run in every strategy, and copying beside them: what the step's parts share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/sampling.hpp"
#include "harness/threads.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

constexpr int fusion_parts = 8;  ///< of the step: five graphs, sizes, a blur with few taps and one with more

/// What fusion brings over arrays of every size.
void measure_sizes(Lab& lab);

/// A blur in two stages: locality against recomputation.
void measure_blur(Lab& lab);

/// Which cores a variant runs on, as its name says.
enum class Cores { all, one };

/// "three passes", or "three passes, one core"
std::string on(Cores cores, const std::string& name);

/// The same on those cores.
std::vector<Variant> on(Cores cores, std::vector<Variant> variants);

/// Copying: what any kernel that reads one array and writes another is held against, since it does nothing else.
class CopyRuns {
 public:
  /// \param bytes  of both arrays together
  /// \throws OutOfMemory
  explicit CopyRuns(std::size_t bytes);

  /// With ordinary and with non-temporal stores.
  std::vector<Variant> variants(Cores cores);
  static std::string id(roofline::Stream stream, Cores cores) { return on(cores, roofline::id(stream)); }

  /// GB/s at which bytes cross, those of write-allocate among them.
  Estimate traffic_gbs(const Sampling& sampling, roofline::Stream stream, Cores cores) const;

 private:
  double program_bytes(roofline::Stream stream, Cores cores) const;

  Team team_;
  const roofline::KernelSet* set_;
  std::size_t bytes_;
  roofline::StreamMemory memory_;
};

/// What a machine can do, with either kind of stores: a byte past the caches may take longer than one through them.
struct TwoRoofs {
  Roofline through_caches, past_caches;

  /// Least seconds for work that writes in one of the two ways.
  double seconds(const Work& work) const {
    return (work.allocated_bytes > 0 ? through_caches : past_caches).seconds(work);
  }
};

/// Copying, and multiply-adds, on all cores.
class Roofs {
 public:
  /// \param bytes  that are copied, past all caches
  /// \throws OutOfMemory
  explicit Roofs(std::size_t bytes) : copies_(bytes), peak_(peak_variant(Precision::fp32, team_)) {}

  std::vector<Variant> variants();

  /// Arithmetic at its peak, and bytes as copying moves them, with stores through the caches, and past them.
  TwoRoofs roofs(const Sampling& sampling) const;

  CopyRuns& copies() { return copies_; }

 private:
  CopyRuns copies_;
  Team team_;
  PeakVariant peak_;
};

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

  std::vector<Variant> variants(Cores cores = Cores::all);
  std::string id(Strategy strategy, Cores cores = Cores::all) const;

  /// What each moves and computes, and the least seconds that a machine needs for it: operator by operator, or, compiled,
  /// all in all.
  Work work(Strategy strategy) const;
  double least_seconds(Strategy strategy, const TwoRoofs& machine) const;

  /// Of the matrix products alone.
  double product_seconds(const TwoRoofs& machine) const;
  bool has_product() const;

  const GraphCase& what() const { return case_; }
  Shape result_shape() const { return graph_.result_shape(); }
  const Compiled& compiled(Strategy strategy = Strategy::compiled) const { return compiled_.at(strategy); }
  std::span<const float* const> inputs() const { return inputs_; }

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
  std::vector<Buffer> memory_;  ///< the inputs, then the result
  std::vector<const float*> inputs_;
};

}  // namespace hf::compilers

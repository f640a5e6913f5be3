/// \file
/// Runs graphs in every strategy, and copies for comparison. Contains what the parts of the fusion step share and what
/// tests call.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "07-compilers/bench/arithmetic.hpp"           // IWYU pragma: export
#include "07-compilers/kernels/compiler/compiled.hpp"  // IWYU pragma: export
#include "07-compilers/kernels/compiler/eager.hpp"     // IWYU pragma: export
#include "07-compilers/kernels/compiler/graph.hpp"     // IWYU pragma: export
#include "07-compilers/kernels/models/graphs.hpp"      // IWYU pragma: export
#include "harness/measure/memory.hpp"                  // IWYU pragma: export
#include "harness/report/lab.hpp"                      // IWYU pragma: export
#include "kit/pinned.hpp"                              // IWYU pragma: export
#include "kit/random.hpp"                              // IWYU pragma: export
#include "kit/streams/stream_runs.hpp"                 // IWYU pragma: export
#include "kit/streams/stream_set.hpp"                  // IWYU pragma: export
#include "kit/verify.hpp"                              // IWYU pragma: export
#include "kit/work.hpp"                                // IWYU pragma: export

namespace hf::compilers {

constexpr int fusion_parts = 6;  ///< five graphs, and the sizes

// ---- When compiling pays ----

/// The cost of a way to run something, seconds: the extra time of the first call, and the time of each call.
struct Cost {
  Estimate first, call;
};

/// Number of calls after which compiling saves time over calls that take `otherwise`; nullopt if it never does.
std::optional<Estimate> break_even_calls(const Cost& compiled, const Estimate& otherwise);

/// Predicted speedup of chain_graph() in one loop: one copy over two arrays, compared with three copies over four
/// arrays.
/// \param fused_gbs, unfused_gbs  speed of copies within the memory of two arrays, and of four
double chain_gain_by_copies(double fused_gbs, double unfused_gbs);

// ---- Roofs ----

/// Returns "three passes", or "three passes, one core".
std::string on(Threads threads, const std::string& name);

/// Returns the variants on all cores, or on one.
std::vector<Variant> on(Threads threads, std::vector<Variant> variants);

/// The machine's roofline for each kind of store: a byte that bypasses the caches may take longer than one through
/// them.
struct TwoRoofs {
  Roofline through_caches, past_caches;
  OpCosts costs = counted_flops;

  /// Minimum seconds for work that uses one kind of store.
  double seconds(const Work& work) const {
    return (work.allocated_bytes > 0 ? through_caches : past_caches).seconds(work);
  }

  /// The same machine with arithmetic that takes no time.
  TwoRoofs without_arithmetic() const {
    constexpr double at_once = std::numeric_limits<double>::infinity();
    return {{at_once, through_caches.bandwidth_gbs}, {at_once, past_caches.bandwidth_gbs}, costs};
  }
};

/// The peaks of arithmetic and of copying, the upper limit for any kernel that reads one array and writes another.
class Roofs {
 public:
  /// \param bytes  of both arrays together; larger than all caches
  /// \throws OutOfMemory
  explicit Roofs(std::size_t bytes);

  /// Variants that copy with ordinary and with non-temporal stores.
  std::vector<Variant> copies(Threads threads);
  static std::string id(roofline::Stream stream, Threads threads) { return on(threads, roofline::id(stream)); }

  /// Variants of copying and arithmetic on all cores.
  std::vector<Variant> variants();

  /// Memory traffic in GB/s, including write-allocate.
  Estimate traffic_gbs(const Sampling& sampling, roofline::Stream stream, Threads threads) const;

  const Arithmetic& arithmetic() const { return arithmetic_; }

  /// Rooflines from the peaks of arithmetic and copying, on all cores.
  TwoRoofs roofs(const Sampling& sampling) const;

 private:
  Team team_;
  Arithmetic arithmetic_;
  const roofline::StreamSet* set_;
  std::size_t bytes_, share_;  ///< for all threads, and for one of them
  roofline::StreamMemory memory_;
};

// ---- Graphs ----

/// Ways to run a graph.
enum class Strategy {
  decomposed,  ///< operator by operator, with softmax and layer norm split into sums, maxima and elementwise operators
  operators,   ///< operator by operator
  compiled,    ///< results that are not read again bypass the caches, however large these are
  compiled_ordinary,  ///< all stores through the caches
};

/// "by operators", "compiled", ...
const char* name(Strategy strategy);

/// A graph to measure.
struct GraphCase {
  std::string id, label;                            ///< "block", "layer norm, linear, GELU, dropout"
  std::function<Graph(std::size_t rows)> graph;     ///< \param rows  of the result
  std::function<Graph(std::size_t rows)> compared;  ///< without dropout, so that peers' results can be compared
  std::size_t rows;
  std::vector<Strategy> strategies;
};

/// relu(x) · 0.5 + 1, softmax, a network block with and without its matrix product, and attention.
/// \param rows  of their inputs and results
std::vector<GraphCase> all_graph_cases(std::size_t rows);

/// Runs one graph in every strategy.
class GraphRuns {
 public:
  /// \param cache  of compiled programs
  /// \throws OutOfMemory
  /// \throws std::runtime_error if a result is wrong
  GraphRuns(GraphCase which, std::filesystem::path cache);

  std::vector<Variant> variants(Threads threads = Threads::all);
  std::string id(Strategy strategy, Threads threads = Threads::all) const;

  /// Bytes and operations of a strategy, and the minimum seconds that a machine needs for them: summed over operators,
  /// or for the compiled graph as a whole.
  Work work(Strategy strategy) const;
  double least_seconds(Strategy strategy, const TwoRoofs& machine) const;

  /// Minimum seconds of the matrix products alone.
  double product_seconds(const TwoRoofs& machine) const;
  bool has_product() const;

  const GraphCase& what() const { return case_; }
  const Graph& graph() const { return graph_; }
  Shape result_shape() const { return graph_.result_shape(); }
  const Compiled& compiled() const { return compiled_.at(Strategy::compiled); }
  std::span<const float* const> inputs() const { return inputs_.pointers(); }

  /// Runs the graph for comparison with peers, compiled. \return (result_shape())
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

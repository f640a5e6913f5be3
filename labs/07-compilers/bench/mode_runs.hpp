/// \file
/// Eager and compiled over the batch; a shape that is new; models of which only a part is compiled.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "07-compilers/kernels/modes/mode_graphs.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

// ---- Over the batch ----

/// The layer of GPT-2 small.
constexpr std::size_t layer_width = 768, layer_hidden = 3072;

/// A graph of any number of rows, eager and compiled, for several batches. One program serves all batches of more than one row.
class BatchRuns {
 public:
  /// \param graph  of so many rows \param batches  in ascending order
  BatchRuns(std::string name, Graph (*graph)(std::size_t rows), std::vector<std::size_t> batches,
            const std::filesystem::path& cache);

  /// Why something is not compiled; empty where all is.
  std::string remark() const;
  std::vector<std::vector<Variant>> pairs();      ///< eager and compiled, for each batch
  std::string eager(std::size_t batch) const;     ///< the variant's id
  std::string compiled(std::size_t batch) const;  ///< the variant's id
  /// How many times as fast the compiled program should be: each operator, and the program, takes as long as its FLOPs or
  /// its bytes do.
  double predicted_gain(std::size_t batch, const Roofline& machine) const;

 private:
  std::string name_;
  Graph (*graph_)(std::size_t rows);
  std::vector<std::size_t> batches_;
  std::vector<Eager> eagers_;
  std::optional<Compiled> one_row_;
  Compiled any_rows_;
  GraphInputs inputs_;
  Buffer result_;
};

/// Numbers in a row of what is run with several shapes.
constexpr std::size_t changing_width = 1024;

/// How much slower a program for any number of rows is than one for just this number, for between_graph(): the pairwise
/// ratios of their times.
Estimate any_rows_over_exact(std::size_t rows, const std::filesystem::path& cache, const Plan& plan);

// ---- A shape that is new ----

/// Seconds of calls, over their repetitions.
struct NewShape {
  Estimate first, next;
};

/// between_graph(), compiled for so many rows and run; then called twice with another number of rows, for which it is compiled in
/// the first of these calls. Each repetition begins with nothing compiled.
NewShape time_new_shape(std::size_t rows, std::size_t other_rows, int repetitions);

// ---- Only a part ----

/// A model whose parts are compiled, or not, one by one.
class PartialModel {
 public:
  /// Compiles every part, and keeps how long that took.
  explicit PartialModel(std::vector<ModelPart> parts);

  std::size_t parts() const { return parts_.size(); }
  const std::string& name(std::size_t part) const { return parts_[part].name; }
  double compile_seconds(std::size_t part) const;
  std::string remark() const;  ///< why something is not compiled; empty where all is

  /// All parts, of which those are compiled. \return the result of the last
  const float* run(const std::vector<bool>& compiled);
  /// The same. \return seconds of each part
  std::vector<double> profile(const std::vector<bool>& compiled);

 private:
  void run(std::size_t part, bool compiled);

  std::vector<ModelPart> parts_;
  std::vector<Eager> eagers_;
  std::vector<Compiled> compiled_;
  std::vector<double> seconds_;
  std::vector<GraphInputs> inputs_;
  std::vector<Buffer> results_;
};

/// Parts, compiled one after the other: the one that gains most for a second of compiling first.
struct PartialTimes {
  std::vector<std::size_t> order;
  std::vector<Estimate> eager, compiled;  ///< seconds of each part, in the order of the model: nothing compiled, or all
  std::vector<Estimate> passes;           ///< seconds of the whole, with none, one, two… compiled
  std::vector<Estimate> speedups;         ///< of the whole, over none compiled

  /// What Amdahl's law makes of the parts' times: seconds of the whole with so many compiled.
  double predicted(std::size_t compiled_parts) const;
};

PartialTimes time_partial_model(PartialModel& model, const Plan& plan);

}  // namespace hf::compilers

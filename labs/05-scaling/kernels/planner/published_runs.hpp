/// \file
/// Training runs with published speeds, and their plans (data/published_runs.json); and the three constants of the
/// model of a step, fitted to some of these runs and tested on the others.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"

namespace hf::scaling {

/// The quantity in which a source states its speed.
enum class Speed {
  seconds,          ///< per step
  tokens_per_chip,  ///< per second
  tokens,           ///< per second, on all chips
  model_tflops,     ///< per chip, counting TransformerShape::model_flops
  hardware_tflops,  ///< per chip, counting TransformerShape::recomputed_flops
  maxtext_tflops,   ///< per chip: six FLOPs per parameter and token, and half of attention's
};

/// What a run is used for: the constants are fitted to it; they are tested on it; it was added after they were fixed;
/// or it goes beyond them, with 8-bit products or experts, which no fitted or tested run has.
enum class Use { fit, test, added, beyond };

/// Returns "fit", "test", "added" or "beyond".
const char* name_of(Use use);

/// One run.
struct PublishedRun {
  std::string source;  ///< short, as in published_sources()
  Chip chip;
  TransformerShape shape;
  ParallelPlan plan;
  Speed speed = Speed::seconds;
  double value = 0;
  std::string note = "";  ///< what we assumed because the source does not say it; why the model misses, if it does
  double at_first = 0;    ///< seconds predicted when the run was added; 0 for the runs the planner was built with

  /// Returns the seconds of a step, from `value` by the source's own formula.
  double seconds() const;

  /// Runs of two sources are for fitting: K22, with only tensor and pipeline parallelism and no overlap, and MH, with
  /// data parallelism too and everything overlapped. Later runs are `added` or `beyond`; all others are for testing.
  Use use() const;
};

const std::vector<PublishedRun>& published_runs();

/// A publication.
struct Source {
  std::string name;   ///< as in PublishedRun
  std::string key;    ///< in chapters/references.bib
  std::string label;  ///< in figures
  std::string title;  ///< and where in it the runs are
  std::map<std::string, std::string>
      series;  ///< id of its runs' series, by kind of chip: "a100", "h100", "h200" or "tpu"
};
const std::vector<Source>& published_sources();

// ---- The fit ----

/// Returns predicted / published seconds of a step − 1.
double error(const PublishedRun& run, const Constants& constants);

/// Returns the constants that minimise the sum of squared log(predicted / published) over the runs marked for fitting.
Constants fit_constants(const std::vector<PublishedRun>& runs);

/// The errors of predictions against published speeds.
struct Errors {
  std::size_t runs;
  double median;          ///< of the absolute errors
  double within_quarter;  ///< share of runs whose absolute error is at most 0.25
  std::size_t too_fast;   ///< runs that took longer than predicted
};

Errors errors(const std::vector<PublishedRun>& runs, Use use, const Constants& constants);

/// Returns the errors of a guess without a planner: that each run reaches the median MFU of those marked for fitting.
Errors errors_of_guess(const std::vector<PublishedRun>& runs, Use use);

/// Returns the planner's errors for each run added later, as predicted on the day it was added.
Errors errors_at_first(const std::vector<PublishedRun>& runs);

}  // namespace hf::scaling

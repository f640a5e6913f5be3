/// \file
/// Training runs whose speed was published, with the plan they ran (data/published_runs.json); and the three constants of
/// the step's model, found from some of them and judged by the others.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"

namespace hf::scaling {

/// In what a source states its speed.
enum class Speed {
  seconds,          ///< of a step
  tokens_per_chip,  ///< and second
  tokens,           ///< and second, of all chips
  model_tflops,     ///< of a chip, of TransformerShape::model_flops
  hardware_tflops,  ///< of a chip, of TransformerShape::recomputed_flops
  maxtext_tflops,   ///< of a chip: six for each parameter and token, and half of attention's FLOPs
};

/// Whether the constants were fitted on a run, are tested on it, or were fixed before anybody here had seen it; the last
/// also for what no run that was fitted or tested has: products of 8-bit numbers, and experts.
enum class Use { fit, test, added, beyond };

/// "fit", "test", "added" or "beyond".
const char* name_of(Use use);

/// One run.
struct PublishedRun {
  std::string source;  ///< short, as in published_sources()
  Chip chip;
  TransformerShape shape;
  ParallelPlan plan;
  Speed speed = Speed::seconds;
  double value = 0;
  std::string note = "";  ///< what the source does not say and was assumed; why the model misses where it does
  double at_first = 0;    ///< seconds that the planner said when the run was added; 0 for those it was built with

  /// Seconds of a step, from the value by the source's own formula.
  double seconds() const;

  /// Fitted on two sources: K22, where nothing overlaps and tensors and pipelines are cut alone, and MH, where everything
  /// overlaps and data are cut too. Those that joined later are apart; all others are for testing.
  Use use() const;
};

const std::vector<PublishedRun>& published_runs();

/// What a short name stands for.
struct Source {
  std::string name;   ///< as in PublishedRun
  std::string key;    ///< in chapters/references.bib
  std::string label;  ///< as a figure names it
  std::string title;  ///< with the place where the runs were read
  std::map<std::string, std::string>
      series;  ///< by kind of chip, "a100", "h100", "h200" or "tpu": what its runs are called
};
const std::vector<Source>& published_sources();

// ---- The fit ----

/// Predicted over published seconds of a step, less one.
double error(const PublishedRun& run, const Constants& constants);

/// The constants with the least sum of squared logarithms of predicted over published, over the runs marked for fitting.
Constants fit_constants(const std::vector<PublishedRun>& runs);

/// How far predictions are from what was published.
struct Errors {
  std::size_t runs;
  double median;          ///< of the absolute errors
  double within_quarter;  ///< share of runs whose absolute error is at most 0.25
};

/// The largest run of each model of each source: runs that differ in their number of chips alone, and hardly in their
/// seconds, count once.
std::vector<PublishedRun> largest_of_each(const std::vector<PublishedRun>& runs);

Errors errors(const std::vector<PublishedRun>& runs, Use use, const Constants& constants);

/// Of the runs that were added later: how far off the planner was on the day of each.
Errors errors_at_first(const std::vector<PublishedRun>& runs);

/// The same for a guess: each run reaches the MFU that is the median of the fitted runs' own.
Errors errors_of_guess(const std::vector<PublishedRun>& runs, Use use);

/// For a better one: all keep their arithmetic equally busy, so that a run which computes everything again has three
/// quarters of the MFU of one that computes nothing again.
Errors errors_of_hardware_guess(const std::vector<PublishedRun>& runs, Use use);

/// The run on the most chips. \pre there are runs
const PublishedRun& largest_run(const std::vector<PublishedRun>& runs);

/// The run with the largest absolute error. \pre there are runs of that use
const PublishedRun& farthest_run(const std::vector<PublishedRun>& runs, Use use, const Constants& constants);

}  // namespace hf::scaling

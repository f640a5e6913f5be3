/// \file
/// Training runs whose speed was published, with the plan they ran.
#pragma once

#include <string>
#include <vector>

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

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
  Speed speed;
  double value;
  std::string note;     ///< what the source does not say and was assumed; why the model misses where it does
  double at_first = 0;  ///< seconds that the planner said when the run was added; 0 for those it was built with

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
};
const std::vector<Source>& published_sources();

}  // namespace hf::scaling

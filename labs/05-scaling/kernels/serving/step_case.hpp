/// \file
/// Steps of a server that are really run: the same transformer, prompt and answers at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/kernels/serving/step_model.hpp"
#include "harness/work.hpp"

namespace hf::scaling {

/// A step that is run: a chunk of a prompt after so many tokens that were read before, and a token for each of some answers,
/// all with the same context.
struct StepCase {
  std::size_t chunk = 0, before = 0, decodes = 0, context = 0;

  std::string label() const;  ///< "64 of a prompt, 128 before; 16 answers, 32 before each"
  StepLoad load() const;
};

/// Prompts alone and answers alone, from which the rates are found: few, and far apart.
std::vector<StepCase> pure_steps(const workload::TransformerShape& shape, bool quick);

/// A chunk and answers in one step, drawn at random, which the fit never sees.
std::vector<StepCase> mixed_steps(const workload::TransformerShape& shape, bool quick);

/// The step that does what the load says, its chunks as one and its answers all alike.
StepCase step_like(const StepLoad& load);

/// Runs steps, all on the same keys and values.
class StepBench {
 public:
  /// \throws OutOfMemory
  explicit StepBench(const workload::TransformerShape& shape);

  /// \pre at most half the model's context in a chunk, 32 answers, and a quarter of the context before each
  void run(const StepCase& step);

  /// What the step is asked to do, by its accounts; runs it.
  Work work(const StepCase& step);

  const workload::TransformerShape& shape() const { return model_.shape(); }

 private:
  workload::Transformer model_;
  workload::KvCache prompt_cache_, answer_cache_;
  workload::Activations activations_;
  std::vector<int> tokens_;
  workload::Ledger ledger_;
};

}  // namespace hf::scaling

/// \file
/// The same graph called in every way there is: what of a call is arithmetic, and what is calling.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "07-compilers/bench/torch_race.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "07-compilers/kernels/compiler/graph.hpp"
#include "harness/lab.hpp"
#include "harness/peaks.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/threads.hpp"

namespace hf::compilers {

/// A graph with random inputs, to be run one operator at a time and compiled.
class ModelCall {
 public:
  /// Runs it both ways. \throws std::runtime_error, one line, where a result is wrong
  ModelCall(std::string name, const Graph& graph);

  const std::string& name() const { return name_; }
  const Graph& graph() const { return eager_.graph(); }
  std::size_t loops() const { return compiled_.loops(); }
  bool is_compiled() const { return compiled_.is_compiled(); }
  const std::string& remark() const { return compiled_.remark(); }

  void run_eager() { eager_.run(pointers_, result_.data()); }
  void run_compiled() { compiled_.run(pointers_, result_.data()); }

  // "eager NAME", "compiled NAME", on all cores. This must outlive them.
  Variant eager();
  Variant compiled();

  /// Enters the same graph into a race with PyTorch, eager.
  void enter(TorchRace& race) const;

  /// Enters it as torch.nn.Linear, eager and compiled with these settings. \pre it is a linear_graph()
  void enter_as_linear(TorchRace& race, const std::vector<std::string>& settings) const;

 private:
  std::string name_;
  std::vector<std::vector<float>> inputs_;
  std::vector<const float*> pointers_;
  std::vector<float> result_;
  Eager eager_;
  Compiled compiled_;
};

/// PyTorch's way from a call in Python to an operator's first instruction, one program for each step, each of which does
/// all that those before it do: "python" (calls a function that does nothing), "dispatcher" (an operator that looks at
/// two tensors and says whether their sizes are the same), "operator" (a Linear of one number), "module" (the same
/// through torch.nn).
void enter_steps_of_a_call(TorchRace& race);

/// A linear layer in every way there is, and models from one row at a time to many, compiled, and in PyTorch eager.
class CallRuns {
 public:
  /// \throws std::runtime_error, one line, where a result is wrong
  /// \throws OutOfMemory
  CallRuns(Lab& lab, std::size_t linear_batch, const std::vector<std::size_t>& model_batches);

  /// Seconds of "eager linear 32", "compiled model 1", "torch eager model hollow", …; of "peak" and "read", the arithmetic and
  /// the weights of a model by themselves; and of our own steps of a call: "operator" (of one number, called at once),
  /// "eager launched" and "compiled launched" (the hollow linear layer, and a loop on all cores that does nothing).
  Sampling sample(const Plan& plan);

  const TorchRace& race() const { return race_; }
  const ModelCall& model() const { return *models_.front(); }

  /// Seconds of a model's arithmetic at the peak, or of reading its weights, whichever is longer.
  double arithmetic_seconds(const Sampling& sampling, std::size_t batch) const;

 private:
  std::vector<Variant> steps_of_a_call();

  TorchRace race_;
  Team team_;
  PeakVariant peak_;
  SharedArray weights_;
  std::unique_ptr<ModelCall> hollow_linear_, hollow_model_;
  std::unique_ptr<ModelCall> linear_;
  std::vector<std::unique_ptr<ModelCall>> models_;
};

}  // namespace hf::compilers

/// \file
/// Steps of a server, timed on this machine, and what a simulated server makes of them under load.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/serving/serving.hpp"
#include "05-scaling/kernels/serving/step_model.hpp"
#include "harness/lab.hpp"
#include "harness/work.hpp"

namespace hf::scaling {

// ---- Steps on this machine ----

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

/// A step, what it was asked to do by its accounts, and how long it took.
struct TimedStep {
  StepCase step;
  Work work;
  Estimate seconds;
};

/// Interleaved, in the present step of the lab, of which it leaves a part.
std::vector<TimedStep> time_steps(const Lab& lab, StepBench& bench, const std::vector<StepCase>& steps);

/// As the fit wants them: their medians.
std::vector<MeasuredStep> measured_steps(const std::vector<TimedStep>& steps);

/// |predicted / measured − 1| of each.
std::vector<double> step_errors(const std::vector<TimedStep>& steps, const StepSeconds& predicted);

// ---- A server under load ----

/// Who asks, and what serves them, scaled to how long a text the model can hold.
struct Scenario {
  Demand demand;         ///< at the rate 1
  std::size_t requests;  ///< of a run
  Limits limits;
  int chunked_tokens;  ///< of a step where prompts are cut
  AlphaBeta wire;      ///< between two machines
  double cache_bytes;  ///< of a token's keys and values
};
Scenario scenario_of(const workload::TransformerShape& shape, bool quick);

/// How many machines that write keep one busy that reads: seconds of decoding for each second of prefill, when requests
/// never run out.
double writers_per_reader(const Scenario& scenario, const StepSeconds& seconds);

/// A way to serve: a policy on one machine, or several machines.
struct ServingWay {
  std::string id, label;
  double machines;
  std::function<Served(const std::vector<Request>&)> serve;
};

/// "static", "whole" and "chunked" on one machine; and "apart", one that reads and so many that write. They keep a
/// reference to `seconds`.
std::vector<ServingWay> ways_to_serve(const Scenario& scenario, std::size_t writers, const StepSeconds& seconds);

/// What each machine does when requests never run out.
struct Capacity {
  double requests_per_s, tokens_per_s;
};
Capacity capacity(const ServingWay& way, const Scenario& scenario);

/// What those who ask see, at so many requests per second and machine: seconds.
struct Latency {
  double tokens_per_s;             ///< of answers, of one machine
  double gap_median, gap_p99;      ///< between two tokens of an answer
  double first_median, first_p99;  ///< from the question to the first token
};
Latency latency(const ServingWay& way, const Scenario& scenario, double rate);

// ---- The simulation against this machine ----

/// The same few requests, short ones, served by chunks: on the clock of the model, and some times on that of this machine,
/// which runs every step.
struct Replay {
  Served simulated;
  std::vector<Served> real;
};

/// As many requests as the time that is left in the step of the lab allows, twice as often as they can be served.
Replay replay(const Lab& lab, StepBench& bench, const Scenario& scenario, const StepSeconds& seconds);

}  // namespace hf::scaling

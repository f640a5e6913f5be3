/// \file
/// A server of a language model. What one step takes: predicted from a roofline with nothing fitted, and from six rates
/// that are fitted to measured steps; both say it for steps that were never measured. Steps that are really run. And the
/// server, simulated step by step: requests arrive, wait, have their prompts read and their answers written, as one of
/// three policies decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "common/ranks/alpha_beta.hpp"
#include "harness/measure/work.hpp"

namespace hf::scaling {

// ---- What a step takes ----

/// What a step is asked to do: some prompts, or chunks of them, are read, and some answers get a token each.
struct StepLoad {
  double prompt_tokens = 0;  ///< read
  double chunks = 0;         ///< prompts that they belong to
  double prompt_pairs = 0;   ///< of each chunk its tokens times the positions up to its end, summed
  double decodes = 0;        ///< answers that get a token
  double cached = 0;         ///< tokens before those, in all, that attention looks back on

  double rows() const { return prompt_tokens + decodes; }  ///< that pass through the layers
  double outputs() const { return chunks + decodes; }      ///< that pass through the last product, to the vocabulary
};

/// Up to so many rows, chapter 00's products stream the weights; from there on, a library packs them first.
constexpr double streamed_rows = 32;

/// Seconds of a step, as a sum: nothing that reads memory is assumed to hide behind arithmetic.
struct StepModel {
  using Rates = std::array<double, 6>;

  workload::TransformerShape shape;
  Rates
      rates;  ///< seconds for a weight, and for a weight and a row, while weights are streamed; the same where they are
              ///< packed; for a FLOP of the attention in prompts; for a byte of the KV cache

  double operator()(const StepLoad& load) const;

  /// How often a step does what each rate stands for: its seconds are the product of these and the rates.
  static Rates counts(const workload::TransformerShape& shape, const StepLoad& load);
};

/// A step and how long it took.
struct MeasuredStep {
  StepLoad load;
  double seconds;  ///< more than 0
};

/// Finds the rates, none below 0, by least squares of the relative error. \pre there are as many steps as rates
StepModel fit_steps(const workload::TransformerShape& shape, std::span<const MeasuredStep> steps);

/// FLOPs and bytes of a step, each weight and each key and value read once: for the prediction that needs no measured step.
/// Layers, last product, attention of prompts and attention of answers one after the other, each at its roof.
double roofline_seconds(const workload::TransformerShape& shape, const StepLoad& load, const Roofline& roofs);

// ---- Steps that are run: the same transformer, prompt and answers at a time ----

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

// ---- The server ----

/// One who asks. The first token of the answer comes with the last of the prompt.
struct Request {
  double arrival;      ///< seconds
  int prompt, output;  ///< tokens, at least 1 each
};

/// Whole numbers whose logarithm is uniform: many short texts, few long ones.
struct Lengths {
  int shortest, longest;
  int at(double share) const;  ///< \param share  in [0, 1), of the requests that are shorter
};

struct Demand {
  double rate;  ///< requests per second; infinity for all at once
  Lengths prompt, output;
};

/// A Poisson process: independent requests, the time between two exponential. The same seed gives the same requests, and
/// another rate the same ones closer together.
/// \param seed  below 2^24
std::vector<Request> poisson_requests(const Demand& demand, std::size_t count, std::uint64_t seed);

enum class Policy {
  static_batches,  ///< whoever waits becomes a batch, and nobody else until the last of it has ended
  prefill_first,   ///< anyone joins between two steps (Orca); prompts are read at once while answers wait (vLLM)
  chunked          ///< each step writes a token of every answer, and what is left of it reads prompts (Sarathi-Serve)
};

struct Limits {
  int slots;         ///< requests that are served at the same time
  int cache_tokens;  ///< of the KV cache; a request reserves what it will need in the end
  int step_tokens;   ///< of prompts in a step, if more than one; where prompts are cut, of all that is in a step
};

using StepSeconds = std::function<double(const StepLoad&)>;

/// What came of it.
struct Served {
  std::vector<double> first_token;  ///< of each request, seconds from its arrival to its first token
  std::vector<double> last_token;   ///< of each request, seconds from its arrival to its last token
  std::vector<double> gaps;         ///< between two tokens of an answer, seconds, of all answers
  std::vector<StepLoad> steps;      ///< in their order, machine by machine
  double seconds = 0;               ///< from 0 until the last request has ended
  double in_system = 0;             ///< the requests that were there, integrated over time: request-seconds

  double tokens() const { return static_cast<double>(first_token.size() + gaps.size()); }
  double tokens_per_s() const { return tokens() / seconds; }
};

/// \param requests  in the order of their arrival. \pre the KV cache holds each, and a step has a slot and a token
Served serve(const std::vector<Request>& requests, Policy policy, const Limits& limits, const StepSeconds& seconds);

/// One machine reads prompts, others write answers (Splitwise, DistServe). In between a prompt's KV cache goes over the
/// reader's wire, one after the other, to the writers in turn.
/// \param limits  of each machine
/// \param cache_bytes  of a token's keys and values
Served serve_apart(const std::vector<Request>& requests, std::size_t writers, const Limits& limits,
                   const StepSeconds& seconds, const AlphaBeta& wire, double cache_bytes);

/// The least number that at least this share of all are not above. \pre numbers is not empty
double percentile(std::vector<double> numbers, double share);

// ---- Under load: who asks, in how many ways it can be served, and what those who ask see of it ----

/// A rate at which requests never run out, per second.
constexpr double never_out = std::numeric_limits<double>::infinity();

/// Who asks, and what serves them, scaled to how long a text the model can hold.
struct Scenario {
  Demand demand;         ///< at the rate 1
  std::size_t requests;  ///< of a run
  Limits limits;
  int chunked_tokens;  ///< of a step where prompts are cut
  AlphaBeta wire;      ///< between two machines
  double cache_bytes;  ///< of a token's keys and values
};
/// \param quick  fewer requests
Scenario scenario_of(const workload::TransformerShape& shape, bool quick);

/// How many machines that write keep one busy that reads: seconds of decoding for each second of prefill, when requests
/// never run out.
double writers_per_reader(const Scenario& scenario, const StepSeconds& seconds);

/// A policy on one machine, or several machines.
struct ServingStrategy {
  const char *id, *label;
  double machines;
  std::function<Served(const std::vector<Request>&)> serve;
};

/// "static", "whole" and "chunked" on one machine; and "apart", one that reads and so many that write. They keep a
/// reference to `seconds`.
std::vector<ServingStrategy> serving_strategies(const Scenario& scenario, std::size_t writers,
                                                const StepSeconds& seconds);

/// What each machine does when requests never run out.
struct Capacity {
  double requests_per_s, tokens_per_s;
};
Capacity capacity(const ServingStrategy& strategy, const Scenario& scenario);

/// What those who ask see, at so many requests per second and machine: seconds.
struct Latency {
  double tokens_per_s;         ///< of answers, of one machine
  double gap_median, gap_p99;  ///< between two tokens of an answer
  double first_p99;            ///< from the question to the first token
};
Latency latency(const ServingStrategy& strategy, const Scenario& scenario, double rate);

}  // namespace hf::scaling

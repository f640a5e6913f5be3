/// \file
/// A server of a language model: models that predict the time of a step, one from a roofline with nothing fitted, one
/// from six rates fitted to measured steps; steps that really run; and the server, simulated step by step: requests
/// arrive and wait, their prompts are read and their answers written, in an order set by one of three policies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kit/ranks/alpha_beta.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/work.hpp"

namespace hf::scaling {

// ---- The time of a step ----

/// The load of a step: it reads some prompts, or chunks of prompts, and adds one token to each of some answers.
struct StepLoad {
  double prompt_tokens = 0;  ///< read
  double chunks = 0;         ///< prompts that these tokens belong to
  double prompt_pairs = 0;   ///< tokens times positions up to the chunk's end, summed over the chunks
  double decodes = 0;        ///< answers that get a token
  double cached = 0;         ///< earlier tokens that attention looks back on, summed over these answers

  double rows() const { return prompt_tokens + decodes; }  ///< that pass through the layers
  double outputs() const { return chunks + decodes; }      ///< that pass through the last product, to the vocabulary
};

/// Up to this many rows, chapter 00's products stream the weights; for more rows, a library packs them first.
constexpr double streamed_rows = 32;

/// Predicts the seconds of a step as a sum, assuming that no memory access hides behind arithmetic.
struct StepModel {
  using Rates = std::array<double, 6>;

  workload::TransformerShape shape;
  Rates
      rates;  ///< seconds per weight, and per weight and row, with streamed weights; the same two with packed weights;
              ///< per FLOP of attention in prompts; per byte of the KV cache

  double operator()(const StepLoad& load) const;

  /// Returns how often each rate applies to a step; the inner product of counts and rates is its seconds.
  static Rates counts(const workload::TransformerShape& shape, const StepLoad& load);
};

/// A step and how long it took.
struct MeasuredStep {
  StepLoad load;
  double seconds;  ///< more than 0
};

/// Fits the rates, none below 0, by least squares of the relative error. \pre there are as many steps as rates
StepModel fit_steps(const workload::TransformerShape& shape, std::span<const MeasuredStep> steps);

/// Predicts a step's seconds without any measured step: each weight, key and value is read once; the layers, the last
/// product, the attention of prompts and that of answers run one after the other, each at its roof.
double roofline_seconds(const workload::TransformerShape& shape, const StepLoad& load, const Roofline& roofs);

// ---- Steps that really run: the same transformer, on prompt and answers at once ----

/// A step to run: a chunk of a prompt, of which `before` tokens have been read, and one token for each of `decodes`
/// answers, all with the same context.
struct StepCase {
  std::size_t chunk = 0, before = 0, decodes = 0, context = 0;

  std::string label() const;  ///< "64 tokens of a prompt after 128; 16 answers, each after 32"
  StepLoad load() const;
};

/// Returns steps with only a prompt or only answers, for fitting the rates: few, with widely spaced sizes.
std::vector<StepCase> pure_steps(const workload::TransformerShape& shape, bool quick);

/// Returns random steps with both a chunk and answers, which the fit never sees.
std::vector<StepCase> mixed_steps(const workload::TransformerShape& shape, bool quick);

/// Returns a step with the given load, its chunks merged into one and its answers all alike.
StepCase step_like(const StepLoad& load);

/// Runs steps, all on the same keys and values.
class StepBench {
 public:
  /// \throws OutOfMemory
  explicit StepBench(const workload::TransformerShape& shape);

  /// \pre the chunk has at most half the model's context; at most 32 answers, with at most a quarter of it before each
  void run(const StepCase& step);

  /// Runs the step and returns its work, as its ledger counts it.
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

/// A request. The step that reads the last of the prompt also writes the first token of the answer.
struct Request {
  double arrival;      ///< seconds
  int prompt, output;  ///< tokens, at least 1 each
};

/// Integers whose logarithm is uniformly distributed: many short texts, few long ones.
struct Lengths {
  int shortest, longest;
  int at(double share) const;  ///< \param share  of the requests that are shorter, in [0, 1)
};

struct Demand {
  double rate;  ///< requests per second; infinity for all at once
  Lengths prompt, output;
};

/// Returns requests of a Poisson process: independent, with exponentially distributed times between them. The same seed
/// gives the same requests, which a higher rate moves closer together.
/// \param seed  below 2^24
std::vector<Request> poisson_requests(const Demand& demand, std::size_t count, std::uint64_t seed);

enum class Policy {
  static_batches,  ///< waiting requests form a batch; no other joins until the last of them has ended
  prefill_first,   ///< requests join between steps (Orca); prompts are read at once while answers wait (vLLM)
  chunked          ///< each step writes a token of every answer and fills up with parts of prompts (Sarathi-Serve)
};

struct Limits {
  int slots;         ///< requests served at the same time
  int cache_tokens;  ///< capacity of the KV cache; a request reserves all that it will need
  int step_tokens;   ///< most tokens of several prompts in a step; if chunked, most of prompts and answers
};

using StepSeconds = std::function<double(const StepLoad&)>;

/// The result of a simulation.
struct Served {
  std::vector<double> first_token;  ///< of each request, seconds from its arrival to its first token
  std::vector<double> last_token;   ///< of each request, seconds from its arrival to its last token
  std::vector<double> gaps;         ///< between two tokens of an answer, seconds, of all answers
  std::vector<StepLoad> steps;      ///< in order, machine by machine
  double seconds = 0;               ///< from 0 until the last request has ended
  double in_system = 0;             ///< number of requests in the system, integrated over time: request-seconds

  double tokens() const { return static_cast<double>(first_token.size() + gaps.size()); }
  double tokens_per_s() const { return tokens() / seconds; }
};

/// Simulates a server.
/// \param requests  in order of arrival
/// \pre the KV cache holds each request, and a step has at least one slot and one token
Served serve(const std::vector<Request>& requests, Policy policy, const Limits& limits, const StepSeconds& seconds);

/// Simulates one machine that reads prompts and others that write answers (Splitwise, DistServe). In between, each
/// prompt's KV cache goes over the reader's wire, one at a time, to the writers in rotation.
/// \param limits  of each machine
/// \param cache_bytes  of a token's keys and values
Served serve_apart(const std::vector<Request>& requests, std::size_t writers, const Limits& limits,
                   const StepSeconds& seconds, const AlphaBeta& wire, double cache_bytes);

/// Returns the least of the numbers that is not exceeded by at least this share of them. \pre numbers is not empty
double percentile(std::vector<double> numbers, double share);

// ---- Under load: the requests, ways to serve them, and the waits that users see ----

/// The rate at which requests never run out: all arrive at once.
constexpr double never_out = std::numeric_limits<double>::infinity();

/// The requests and the server, scaled to the model's context.
struct Scenario {
  Demand demand;         ///< at rate 1
  std::size_t requests;  ///< per run
  Limits limits;
  int chunked_tokens;  ///< Limits::step_tokens of chunked steps
  AlphaBeta wire;      ///< between two machines
  double cache_bytes;  ///< of a token's keys and values
};
/// \param quick  fewer requests
Scenario scenario_of(const workload::TransformerShape& shape, bool quick);

/// Returns how many writing machines keep up with one reading machine: seconds of decoding per second of prefill when
/// requests never run out.
double writers_per_reader(const Scenario& scenario, const StepSeconds& seconds);

/// A way to serve requests, on one machine or several.
struct ServingStrategy {
  const char *id, *label;
  double machines;
  std::function<Served(const std::vector<Request>&)> serve;
};

/// Returns "static", "whole" and "chunked" on one machine; and "apart", with one reading machine and `writers` writing
/// ones. They keep a reference to `seconds`.
std::vector<ServingStrategy> serving_strategies(const Scenario& scenario, std::size_t writers,
                                                const StepSeconds& seconds);

/// Throughput per machine when requests never run out.
struct Capacity {
  double requests_per_s, tokens_per_s;
};
Capacity capacity(const ServingStrategy& strategy, const Scenario& scenario);

/// The users' view at `rate` requests per second and machine; times in seconds.
struct Latency {
  double tokens_per_s;  ///< of answers, per machine
  double gap_p99;       ///< between two tokens of an answer
  double first_p99;     ///< from the question to the first token
};
Latency latency(const ServingStrategy& strategy, const Scenario& scenario, double rate);

}  // namespace hf::scaling

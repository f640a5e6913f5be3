/// \file
/// A server of a language model, simulated step by step: requests arrive, wait, have their prompts read and their answers
/// written, as one of three policies decides. How long a step takes is asked of a model of the machine (step_model.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/serving/step_model.hpp"
#include "common/ranks/alpha_beta.hpp"

namespace hf::scaling {

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

/// \param requests  in the order of their arrival
/// \throws std::invalid_argument for a request that the KV cache can never hold, or without a slot or tokens in a step
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
  double tokens_per_s;             ///< of answers, of one machine
  double gap_median, gap_p99;      ///< between two tokens of an answer
  double first_median, first_p99;  ///< from the question to the first token
};
Latency latency(const ServingStrategy& strategy, const Scenario& scenario, double rate);
}  // namespace hf::scaling

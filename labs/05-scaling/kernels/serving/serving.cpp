#include "05-scaling/kernels/serving/serving.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/measure/shown_as.hpp"
#include "kit/random.hpp"
#include "kit/ranks/alpha_beta.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::scaling {
namespace {

/// Returns a uniform random number in [0, 1).
double uniform(std::uint64_t sequence, std::uint64_t index) {
  return static_cast<double>(random_word(sequence, index) >> 11) * 0x1p-53;
}

/// A request on a machine.
struct Job {
  Request request;  ///< arrival: at this machine
  int read = 0;     ///< tokens of the prompt that are in the KV cache
  int written = 0;
  double first = 0, last = 0;  ///< when these tokens were written, seconds

  int unread() const { return request.prompt - read; }
  bool ended() const { return written == request.output; }
  int cached() const { return request.prompt + written - 1; }  ///< after the prompt has been read
  int reserved() const { return request.prompt + request.output; }
};

/// A job's share of a step: some tokens of its prompt, or, if 0, the next token of its answer.
struct Part {
  Job* job;
  int prompt_tokens;
};

StepLoad load_of(const std::vector<Part>& parts) {
  StepLoad load;
  for (const auto& [job, tokens] : parts) {
    if (tokens == 0) {
      ++load.decodes;
      load.cached += job->cached();
    } else {
      ++load.chunks;
      load.prompt_tokens += tokens;
      load.prompt_pairs += static_cast<double>(tokens) * (job->read + tokens);
    }
  }
  return load;
}

/// One machine and its clock.
class Server {
 public:
  /// \param served  receives what this machine does; the caller adds the times of each request
  Server(std::vector<Job>& jobs, Policy policy, const Limits& limits, const StepSeconds& seconds, Served& served)
      : jobs_(jobs), policy_(policy), limits_(limits), seconds_(seconds), served_(served) {}

  void run() {
    while (ended_ < jobs_.size()) {
      admit();
      const std::vector<Part> parts = next_step();
      if (parts.empty()) {
        wait_until(jobs_[arrived_].request.arrival);
      } else {
        take(parts);
      }
    }
    served_.seconds = std::max(served_.seconds, now_);
  }

 private:
  /// Admits waiting requests in order of arrival.
  void admit() {
    if (policy_ == Policy::static_batches && !running_.empty()) return;
    while (admitted_ < arrived_ && static_cast<int>(running_.size()) < limits_.slots) {
      Job& next = jobs_[admitted_];
      if (reserved_ + next.reserved() > limits_.cache_tokens) return;
      reserved_ += next.reserved();
      running_.push_back(&next);
      ++admitted_;
    }
  }

  std::vector<Part> next_step() const {
    std::vector<Part> step;
    if (policy_ == Policy::chunked) {
      add_decodes(step);
      int room = limits_.step_tokens - static_cast<int>(step.size());
      for (Job* job : running_) {
        const int tokens = std::min(job->unread(), room);
        if (tokens > 0) step.push_back({job, tokens});
        room -= std::max(tokens, 0);
      }
    } else {
      int room = limits_.step_tokens;
      for (Job* job : running_) {
        if (job->unread() == 0) continue;
        if (job->unread() > room && !step.empty()) break;
        step.push_back({job, job->unread()});
        room -= job->unread();
      }
      if (step.empty()) add_decodes(step);
    }
    return step;
  }

  /// In a static batch, answers that have ended are computed along with the others until the whole batch has ended.
  void add_decodes(std::vector<Part>& step) const {
    for (Job* job : running_) {
      if (job->unread() == 0) step.push_back({job, 0});
    }
  }

  void take(const std::vector<Part>& parts) {
    served_.steps.push_back(load_of(parts));
    wait_until(now_ + seconds_(served_.steps.back()));
    for (const auto& [job, tokens] : parts) {
      job->read += tokens;
      if (job->unread() == 0 && !job->ended()) write_token(*job);
    }
    const bool all_ended = std::all_of(running_.begin(), running_.end(), [](const Job* job) { return job->ended(); });
    if (policy_ != Policy::static_batches || all_ended) let_go();
  }

  void write_token(Job& job) {
    if (job.written == 0) job.first = now_;
    if (job.written > 0) served_.gaps.push_back(now_ - job.last);
    job.last = now_;
    ++job.written;
    if (job.ended()) ++ended_;
  }

  void let_go() {
    std::erase_if(running_, [&](const Job* job) {
      if (job->ended()) reserved_ -= job->reserved();
      return job->ended();
    });
  }

  /// Advances the clock and integrates the number of requests in the system.
  void wait_until(double time) {
    const auto move = [&](double to) {
      served_.in_system += static_cast<double>(arrived_ - ended_) * (to - now_);
      now_ = to;
    };
    for (; arrived_ < jobs_.size() && jobs_[arrived_].request.arrival <= time; ++arrived_) {
      move(jobs_[arrived_].request.arrival);
    }
    move(time);
  }

  std::vector<Job>& jobs_;
  const Policy policy_;
  const Limits limits_;
  const StepSeconds& seconds_;
  Served& served_;
  std::vector<Job*> running_;
  std::size_t arrived_ = 0, admitted_ = 0, ended_ = 0;
  int reserved_ = 0;  ///< tokens of the KV cache
  double now_ = 0;
};

std::vector<Job> jobs_of(const std::vector<Request>& requests) {
  std::vector<Job> jobs;
  for (const Request& request : requests) jobs.push_back({request});
  return jobs;
}

}  // namespace

int Lengths::at(double share) const {
  const double ratio = (longest + 1.0) / shortest;
  return std::min(static_cast<int>(shortest * std::pow(ratio, share)), longest);
}

std::vector<Request> poisson_requests(const Demand& demand, std::size_t count, std::uint64_t seed) {
  std::vector<Request> requests;
  double time = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    time -= std::log1p(-uniform(seed, 3 * i)) / demand.rate;
    requests.push_back({time, demand.prompt.at(uniform(seed, 3 * i + 1)), demand.output.at(uniform(seed, 3 * i + 2))});
  }
  return requests;
}

Served serve(const std::vector<Request>& requests, Policy policy, const Limits& limits, const StepSeconds& seconds) {
  std::vector<Job> jobs = jobs_of(requests);
  Served served;
  Server(jobs, policy, limits, seconds, served).run();
  for (const Job& job : jobs) {
    served.first_token.push_back(job.first - job.request.arrival);
    served.last_token.push_back(job.last - job.request.arrival);
  }
  return served;
}

Served serve_apart(const std::vector<Request>& requests, std::size_t writers, const Limits& limits,
                   const StepSeconds& seconds, const AlphaBeta& wire, double cache_bytes) {
  // For the user, a request ends with its first token.
  std::vector<Job> reading = jobs_of(requests);
  for (Job& job : reading) job.request.output = 1;
  Served served;
  Server(reading, Policy::prefill_first, limits, seconds, served).run();

  double wire_free = 0;
  std::vector<std::vector<Job>> writing(writers);
  std::vector<std::vector<std::size_t>> origins(writers);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [arrival, prompt, output] = requests[i];
    const double first = reading[i].first;
    served.first_token.push_back(first - arrival);
    served.last_token.push_back(first - arrival);
    if (output == 1) continue;
    wire_free = std::max(wire_free, first) + wire.seconds(1, cache_bytes * prompt);
    served.in_system += wire_free - first;
    writing[i % writers].push_back({{wire_free, prompt, output}, prompt, 1, first, first});
    origins[i % writers].push_back(i);
  }
  for (std::size_t w = 0; w < writers; ++w) {
    Server(writing[w], Policy::prefill_first, limits, seconds, served).run();
    for (std::size_t j = 0; j < writing[w].size(); ++j) {
      served.last_token[origins[w][j]] = writing[w][j].last - requests[origins[w][j]].arrival;
    }
  }
  return served;
}

double percentile(std::vector<double> numbers, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(numbers.size())));
  const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(numbers.begin(), at, numbers.end());
  return *at;
}

// ---- Under load ----

namespace {

constexpr std::uint64_t request_sequence = 2;  // of random numbers

std::vector<Request> requests_at(const Scenario& scenario, double rate) {
  Demand demand = scenario.demand;
  demand.rate = rate;
  return poisson_requests(demand, scenario.requests, request_sequence);
}

}  // namespace

Scenario scenario_of(const workload::TransformerShape& shape, bool quick) {
  const int context = static_cast<int>(shape.context);
  const Lengths prompts = {context / 32, context / 2}, outputs = {context / 64, context / 4};
  const Limits limits = {32, 8 * context, context / 2};
  const AlphaBeta ten_gigabit = {50e-6, 1 / 1.25e9};
  return {{1, prompts, outputs}, quick ? std::size_t{1000} : std::size_t{6000},     limits, context / 8,
          ten_gigabit,           static_cast<double>(shape.cache_bytes_per_token())};
}

double writers_per_reader(const Scenario& scenario, const StepSeconds& seconds) {
  const Served all = serve(requests_at(scenario, never_out), Policy::prefill_first, scenario.limits, seconds);
  double reading = 0, writing = 0;
  for (const StepLoad& load : all.steps) (load.chunks > 0 ? reading : writing) += seconds(load);
  return writing / reading;
}

std::vector<ServingStrategy> serving_strategies(const Scenario& scenario, std::size_t writers,
                                                const StepSeconds& seconds) {
  Limits cut = scenario.limits;
  cut.step_tokens = scenario.chunked_tokens;
  const auto one = [&seconds](Policy policy, const Limits& limits) {
    return [&seconds, policy, limits](const std::vector<Request>& all) { return serve(all, policy, limits, seconds); };
  };
  const auto apart = [&seconds, scenario, writers](const std::vector<Request>& all) {
    return serve_apart(all, writers, scenario.limits, seconds, scenario.wire, scenario.cache_bytes);
  };
  return {{"static", "static batches", 1, one(Policy::static_batches, scenario.limits)},
          {"whole", "whole prompts", 1, one(Policy::prefill_first, scenario.limits)},
          {"chunked", "chunked prefill", 1, one(Policy::chunked, cut)},
          {"apart", shown_as("prompts on a separate machine"), 1.0 + static_cast<double>(writers), apart}};
}

Capacity capacity(const ServingStrategy& strategy, const Scenario& scenario) {
  const Served all = strategy.serve(requests_at(scenario, never_out));
  return {static_cast<double>(scenario.requests) / all.seconds / strategy.machines,
          all.tokens_per_s() / strategy.machines};
}

Latency latency(const ServingStrategy& strategy, const Scenario& scenario, double rate) {
  const Served served = strategy.serve(requests_at(scenario, rate * strategy.machines));
  return {served.tokens_per_s() / strategy.machines, percentile(served.gaps, 0.99),
          percentile(served.first_token, 0.99)};
}
}  // namespace hf::scaling

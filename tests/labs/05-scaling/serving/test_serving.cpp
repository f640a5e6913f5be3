// The simulated server compared with laws of any queue, and with a queue whose answer is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "05-scaling/kernels/serving/serving.hpp"
#include "kit/ranks/alpha_beta.hpp"

namespace hf::scaling {
namespace {

constexpr double at_once = std::numeric_limits<double>::infinity();
constexpr Lengths prompts = {32, 512}, outputs = {16, 256};
constexpr Limits limits = {32, 16384, 512};
constexpr AlphaBeta wire = {1e-4, 1e-9};
constexpr double cache_bytes = 1000;
constexpr Policy policies[] = {Policy::static_batches, Policy::prefill_first, Policy::chunked};

/// A machine that reads weights, computes rows, and reads caches.
double some_seconds(const StepLoad& load) { return 0.01 + 4e-4 * load.rows() + 2e-6 * load.cached; }

std::vector<Request> some_requests(double rate, std::size_t count = 300, std::uint64_t seed = 1) {
  return poisson_requests({rate, prompts, outputs}, count, seed);
}

/// A run of each policy, and of separate machines for prompts and for answers.
std::vector<Served> all_runs(const std::vector<Request>& requests) {
  std::vector<Served> runs;
  for (const Policy policy : policies) runs.push_back(serve(requests, policy, limits, some_seconds));
  for (const std::size_t writers : {1, 2, 3}) {
    runs.push_back(serve_apart(requests, writers, limits, some_seconds, wire, cache_bytes));
  }
  return runs;
}

double sum(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

TEST_CASE("requests come as often as they should, with lengths between their limits, the same for a seed") {
  const std::size_t count = 20'000;
  const std::vector<Request> requests = some_requests(5, count);
  CHECK(requests.back().arrival == doctest::Approx(count / 5.0).epsilon(0.02));
  double squares = 0, logarithms = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double gap = requests[i].arrival - (i == 0 ? 0 : requests[i - 1].arrival);
    REQUIRE(gap >= 0);
    squares += gap * gap;
    REQUIRE(requests[i].prompt >= 32);
    REQUIRE(requests[i].prompt <= 512);
    REQUIRE(requests[i].output >= 16);
    REQUIRE(requests[i].output <= 256);
    logarithms += std::log(requests[i].prompt);
  }
  CHECK(squares / count == doctest::Approx(2.0 / 25).epsilon(0.05));  // of an exponential distribution: 2 / rate²
  CHECK(logarithms / count == doctest::Approx((std::log(32) + std::log(513)) / 2).epsilon(0.01));

  const std::vector<Request> again = some_requests(5, count), faster = some_requests(10, count),
                             others = some_requests(5, count, 2);
  CHECK(again.back().arrival == requests.back().arrival);
  CHECK(faster.back().arrival == doctest::Approx(requests.back().arrival / 2));
  CHECK(faster[17].prompt == requests[17].prompt);
  CHECK(others.back().arrival != requests.back().arrival);
  CHECK(some_requests(at_once, 10).back().arrival == 0);
}

TEST_CASE("lengths: the shortest at 0, the longest just below 1, and nothing else when they are equal") {
  CHECK(prompts.at(0) == 32);
  CHECK(prompts.at(1 - 0x1p-53) == 512);
  CHECK(Lengths{7, 7}.at(0) == 7);
  CHECK(Lengths{7, 7}.at(1 - 0x1p-53) == 7);
}

TEST_CASE("every request ends, every token is counted, and no prompt is read twice") {
  for (const double rate : {0.5, 3.0, 20.0, at_once}) {
    const std::vector<Request> requests = some_requests(rate);
    double prompt_tokens = 0, written = 0;
    for (const Request& request : requests) prompt_tokens += request.prompt, written += request.output;
    for (const Served& run : all_runs(requests)) {
      CHECK(run.first_token.size() == requests.size());
      CHECK(run.last_token.size() == requests.size());
      CHECK(run.tokens() == written);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        REQUIRE(run.first_token[i] > 0);
        REQUIRE(run.last_token[i] >= run.first_token[i]);
      }
      // The gaps of an answer add up to the time between its first token and its last.
      CHECK(sum(run.gaps) == doctest::Approx(sum(run.last_token) - sum(run.first_token)));
    }
    for (const Policy policy : policies) {
      const Served run = serve(requests, policy, limits, some_seconds);
      double read = 0;
      for (const StepLoad& load : run.steps) read += load.prompt_tokens;
      CHECK(read == prompt_tokens);
    }
  }
}

TEST_CASE("Little's law: the mean number in the system is the rate times the mean time") {
  for (const double rate : {0.5, 3.0, 6.0}) {
    for (const Served& run : all_runs(some_requests(rate))) {
      const double number = run.in_system / run.seconds, of_all = static_cast<double>(run.last_token.size());
      CHECK(number == doctest::Approx(of_all / run.seconds * (sum(run.last_token) / of_all)).epsilon(1e-9));
    }
  }
}

TEST_CASE("one request takes the sum of its steps, which can be told by hand") {
  const std::vector<Request> one = {{2, 100, 4}};
  const auto decode = [](double cached) { return some_seconds({0, 0, 0, 1, cached}); };
  const double answer = decode(100) + decode(101) + decode(102);
  const double whole = some_seconds({100, 1, 100 * 100, 0, 0});
  for (const Policy policy : {Policy::static_batches, Policy::prefill_first}) {
    const Served run = serve(one, policy, limits, some_seconds);
    CHECK(run.first_token.front() == doctest::Approx(whole));
    CHECK(run.last_token.front() == doctest::Approx(whole + answer));
    CHECK(run.seconds == doctest::Approx(2 + whole + answer));
    CHECK(run.steps.size() == 4);
  }
  const double chunks = 3 * some_seconds({30, 1, 0, 0, 0}) + some_seconds({10, 1, 0, 0, 0});
  const Served cut = serve(one, Policy::chunked, {32, 16384, 30}, some_seconds);
  CHECK(cut.first_token.front() == doctest::Approx(chunks));
  CHECK(cut.last_token.front() == doctest::Approx(chunks + answer));
  CHECK(cut.steps[1].prompt_pairs == 30 * 60);
  const Served two = serve_apart(one, 1, limits, some_seconds, wire, cache_bytes);
  CHECK(two.first_token.front() == doctest::Approx(whole));
  CHECK(two.last_token.front() == doctest::Approx(whole + 1e-4 + 100 * cache_bytes * 1e-9 + answer));
}

TEST_CASE("a machine that takes one request at a time, all alike, is the queue of Pollaczek and Khinchine") {
  for (const double load : {0.3, 0.6, 0.8}) {
    CAPTURE(load);
    const double service = 1;  // one step reads the prompt and writes the only token
    const std::vector<Request> requests = poisson_requests({load / service, {8, 8}, {1, 1}}, 400'000, 3);
    const Served run = serve(requests, Policy::prefill_first, {1, 100, 8}, [&](const StepLoad&) { return service; });
    const double mean = sum(run.last_token) / static_cast<double>(requests.size());
    CHECK(mean == doctest::Approx(service + load * service / (2 * (1 - load))).epsilon(0.02));
  }
}

TEST_CASE("no step holds more than its limits, and chunks fill the step") {
  for (const Policy policy : policies) {
    const Served run = serve(some_requests(at_once), policy, {8, 2000, 64}, some_seconds);
    for (const StepLoad& load : run.steps) {
      CHECK(load.decodes + (policy == Policy::chunked ? load.chunks : 0) <= 8);
      CHECK(load.cached <= 2000);
      if (policy == Policy::chunked) {
        CHECK(load.rows() <= 64);
      } else {
        CHECK((load.prompt_tokens == 0 || load.decodes == 0));  // answers wait while prompts are read
        CHECK((load.prompt_tokens <= 64 || load.chunks == 1));  // a long prompt goes alone
      }
    }
    CHECK(std::any_of(run.steps.begin(), run.steps.end(), [](const StepLoad& load) { return load.decodes > 4; }));
  }
}

TEST_CASE("with chunks no answer waits longer than one full step") {
  const auto by_rows = [](const StepLoad& load) { return 0.01 + 1e-3 * load.rows(); };
  const std::vector<Request> requests = some_requests(2);
  const Served cut = serve(requests, Policy::chunked, {32, 16384, 64}, by_rows);
  CHECK(*std::max_element(cut.gaps.begin(), cut.gaps.end()) <= 0.01 + 64e-3 + 1e-9);
  const Served whole = serve(requests, Policy::prefill_first, limits, by_rows);
  CHECK(*std::max_element(whole.gaps.begin(), whole.gaps.end()) > 0.2);
}

TEST_CASE("nobody joins a static batch, and its rows are computed until its last answer ends") {
  const std::vector<Request> requests = {{0, 10, 2}, {0, 10, 5}, {0.001, 10, 2}};
  const auto second = [](const StepLoad&) { return 1.0; };
  const Served run = serve(requests, Policy::static_batches, limits, second);
  CHECK(run.last_token[0] == 2);
  CHECK(run.last_token[1] == 5);
  CHECK(run.first_token[2] == doctest::Approx(6 - 0.001));
  CHECK(run.steps[4].decodes == 2);
  const Served joined = serve(requests, Policy::prefill_first, limits, second);
  CHECK(joined.first_token[2] == doctest::Approx(2 - 0.001));
}

TEST_CASE("on machines of their own, answers never wait for a prompt, and a slow wire is waited for") {
  const std::vector<Request> requests = some_requests(3);
  const Served apart = serve_apart(requests, 2, limits, some_seconds, wire, cache_bytes);
  CHECK(std::none_of(apart.steps.begin(), apart.steps.end(),
                     [](const StepLoad& load) { return load.chunks > 0 && load.decodes > 0; }));
  CHECK(percentile(apart.gaps, 0.99) <
        percentile(serve(requests, Policy::prefill_first, limits, some_seconds).gaps, 0.99));
  const AlphaBeta slow = {1, 0};
  const Served waiting = serve_apart(
      {{0, 10, 2}, {0, 10, 2}}, 2, limits, [](const StepLoad&) { return 1.0; }, slow, 1);
  CHECK(waiting.first_token[1] == 1);
  CHECK(waiting.last_token[0] == 3);
  CHECK(waiting.last_token[1] == 4);  // the second cache waits for the wire
}

TEST_CASE("chunks leave room for themselves, whatever the number of answers") {
  // As many answers as a step has tokens: the prompts after them wait, and are read when one has ended.
  const std::vector<Request> requests = some_requests(at_once, 50);
  const Served run = serve(requests, Policy::chunked, {32, 16384, 32}, some_seconds);
  CHECK(run.last_token.size() == 50);
}

TEST_CASE("percentiles are numbers that were there") {
  CHECK(percentile({3, 1, 2}, 0.5) == 2);
  CHECK(percentile({3, 1, 2}, 0.99) == 3);
  CHECK(percentile({3, 1, 2}, 0) == 1);
  CHECK(percentile({5}, 0.99) == 5);
  std::vector<double> hundred(100);
  std::iota(hundred.begin(), hundred.end(), 1);
  CHECK(percentile(hundred, 0.99) == 99);
}

}  // namespace
}  // namespace hf::scaling

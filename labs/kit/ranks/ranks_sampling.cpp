#include "kit/ranks/ranks_sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/measure/clock.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/random.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport.hpp"

namespace hf {
namespace {

/// The order of one round, the same on all ranks.
std::vector<std::size_t> shuffled(std::size_t count, int round) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = random_below(1, static_cast<std::uint64_t>(round) * count + i, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

/// Seconds per call on the slowest rank.
double sample_once(Member& me, const RankVariant& variant, int calls) {
  if (variant.prepare) variant.prepare();
  meet(me.ranks);
  const std::int64_t start = now_ns();
  for (int call = 0; call < calls; ++call) variant.run();
  return greatest_of_all(me.ranks, static_cast<double>(now_ns() - start) * 1e-9) / calls;
}

}  // namespace

void meet(Transport& ranks) {
  const int n = ranks.size(), me = ranks.rank();
  for (int apart = 1; apart < n; apart *= 2) {  // dissemination: each step doubles the ranks known to each rank
    float out = 0, in = 0;
    ranks.exchange((me + apart) % n, {&out, 1}, (me + n - apart) % n, {&in, 1});
  }
}

double greatest_of_all(Transport& ranks, double number) {
  const int n = ranks.size(), me = ranks.rank();
  double greatest = number;
  for (int step = 1; step < n; ++step) {  // each rank sends to each; the bits of a double travel as two floats
    float out[2], in[2];
    const auto bits = std::bit_cast<std::uint64_t>(number);
    out[0] = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32));
    out[1] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    ranks.exchange((me + step) % n, out, (me + n - step) % n, in);
    const std::uint64_t high = std::bit_cast<std::uint32_t>(in[0]), low = std::bit_cast<std::uint32_t>(in[1]);
    greatest = std::max(greatest, std::bit_cast<double>(high << 32 | low));
  }
  return greatest;
}

int enough_calls(Member& me, const RankVariant& variant, double seconds) {
  constexpr int most = 100000;
  int calls = 1;
  for (;;) {
    me.tick();
    const double taken = sample_once(me, variant, calls) * calls;
    if (taken >= seconds || calls == most) return calls;
    // Grow towards the goal with a margin, but not far on the evidence of a time too short to trust.
    const double growth = taken > 0 ? std::clamp(1.2 * seconds / taken, 1.1, 10.0) : 10;
    calls = static_cast<int>(std::min<double>(most, std::ceil(calls * growth)));
  }
}

Sampling sample_on_all(Member& me, const std::vector<RankVariant>& variants, const RankPlan& plan) {
  if (variants.empty() || plan.rounds < 1) {
    throw std::invalid_argument("sample_on_all: expected at least one variant and one round");
  }
  const std::int64_t start = now_ns();
  std::vector<std::vector<double>> samples(variants.size());
  for (int round = 0; round < plan.rounds; ++round) {
    const double spent = greatest_of_all(me.ranks, static_cast<double>(now_ns() - start) * 1e-9);
    const double next_round = round > 0 ? spent / round : 0;
    if (round >= plan.minimum_rounds && spent + next_round > plan.budget_seconds) break;
    for (const std::size_t index : shuffled(variants.size(), plan.first_round + round)) {
      me.tick();
      samples[index].push_back(sample_once(me, variants[index], variants[index].calls));
    }
  }
  Sampling result;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    result.ids.push_back(variants[i].id);
    result.seconds.push_back(estimate(std::move(samples[i])));
  }
  return result;
}

}  // namespace hf

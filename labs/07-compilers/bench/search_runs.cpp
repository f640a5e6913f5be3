#include "07-compilers/bench/search_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/kernels/search/candidate.hpp"
#include "07-compilers/kernels/search/space.hpp"
#include "common/product.hpp"
#include "common/random.hpp"
#include "harness/clock.hpp"
#include "harness/keep.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {
namespace {

Buffer matrix(std::size_t rows, std::size_t columns) { return {rows * columns * sizeof(float), Pages::huge}; }

float* floats(const Buffer& buffer) { return buffer.as<float>().data(); }

}  // namespace

CandidateRuns::CandidateRuns(const ProductShape& shape)
    : shape_(shape), a_(matrix(shape.m, shape.k)), b_(matrix(shape.k, shape.n)), c_(matrix(shape.m, shape.n)) {
  fill_random(a_.as<float>(), 1);
  fill_random(b_.as<float>(), 2);
}

void CandidateRuns::run(const Candidate& candidate) const {
  multiply(candidate, shape_, floats(a_), floats(b_), floats(c_));
}

void CandidateRuns::check(const Candidate& candidate) const {
  constexpr std::size_t places = 24;
  std::ranges::fill(c_.as<float>(), std::numeric_limits<float>::quiet_NaN());
  run(candidate);
  if (worst_product_error(shape_.m, shape_.n, shape_.k, floats(a_), floats(b_), floats(c_), places) <= 1) return;
  throw std::runtime_error("the product " + shape_.text() + " with a tile of " +
                           std::to_string(candidate.schedule.tile_rows) + " rows and " +
                           std::to_string(candidate.vectors) + " vectors is wrong; nothing was timed");
}

Variant CandidateRuns::variant(const std::string& id, const Candidate& candidate) const {
  check(candidate);
  return timed(id, [this, candidate] { run(candidate); });
}

std::size_t SearchTable::best() const {
  return static_cast<std::size_t>(std::ranges::min_element(medians) - medians.begin());
}

namespace {

double seconds_of(const CandidateRuns& runs, const Candidate& candidate, std::int64_t calls) {
  const std::int64_t start = now_ns();
  for (std::int64_t call = 0; call < calls; ++call) {
    runs.run(candidate);
    clobber();
  }
  return static_cast<double>(now_ns() - start) * 1e-9 / static_cast<double>(calls);
}

double median_of(std::vector<double> values) { return estimate(std::move(values)).median; }

}  // namespace

SearchTable measure_all(const SearchSpace& space, const CandidateRuns& runs, double budget_seconds,
                        const std::function<void()>& tick) {
  constexpr double sample_seconds = 3e-5;
  constexpr int fewest_rounds = 3, most_rounds = 9;
  std::vector<std::size_t> order(space.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const std::size_t index : order) {
    runs.check(space.candidate(index));
    tick();
  }
  SearchTable table;
  table.seconds.resize(space.size());
  std::mt19937 random(1);
  const std::int64_t start = now_ns();
  const auto elapsed = [&] { return static_cast<double>(now_ns() - start) * 1e-9; };
  for (int round = 0; round < most_rounds; ++round) {
    if (round >= fewest_rounds && elapsed() * (round + 1) / round > budget_seconds) break;
    std::ranges::shuffle(order, random);
    for (const std::size_t index : order) {
      const Candidate candidate = space.candidate(index);
      const double warm = seconds_of(runs, candidate, 1);  // of what the candidate before it left in the caches
      const double once = round == 0 ? warm : table.seconds[index].front();
      const auto calls = static_cast<std::int64_t>(std::ceil(sample_seconds / std::max(once, 1e-7)));
      table.seconds[index].push_back(seconds_of(runs, candidate, calls));
      tick();
    }
  }
  for (const std::vector<double>& seconds : table.seconds) table.medians.push_back(median_of(seconds));
  return table;
}

namespace {

/// The fastest, by what `seconds` says.
template <class Seconds>
std::vector<std::size_t> fastest(std::size_t candidates, std::size_t count, const Seconds& seconds) {
  std::vector<std::size_t> all(candidates);
  std::iota(all.begin(), all.end(), std::size_t{0});
  count = std::min(count, candidates);
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(count), {}, seconds);
  all.resize(count);
  return all;
}

}  // namespace

Tuned confirm(const SearchSpace& space, const SearchTable& table, const CandidateRuns& runs, const Plan& plan) {
  constexpr std::size_t finalists = 5;
  const Candidate hand = space.candidate(space.hand());
  std::vector<std::size_t> indices =
      fastest(space.size(), finalists, [&](std::size_t candidate) { return table.medians[candidate]; });
  std::erase(indices, space.hand());
  std::vector<Variant> variants = {runs.variant("hand", hand)};
  for (const std::size_t index : indices)
    variants.push_back(runs.variant(std::to_string(index), space.candidate(index)));
  const Sampling sampling = sample_interleaved(variants, plan);
  std::size_t rival = 1;
  for (std::size_t v = 2; v < variants.size(); ++v) {
    if (sampling.seconds[v].median < sampling.seconds[rival].median) rival = v;
  }
  const Estimate gain = sampling.ratio("hand", variants[rival].id);
  const double noise = bootstrap_deviation(times(gain, 1 / gain.median).samples);
  const bool is_hand = gain.median - 1 < 2 * noise;
  const Sampling again = sample_interleaved({variants[0], variants[rival]}, plan);
  return {is_hand ? hand : space.candidate(indices[rival - 1]), is_hand, again.ratio("hand", variants[rival].id)};
}

double seconds_in_others(const SearchTable& table, std::size_t candidate, std::size_t round) {
  std::vector<double> others = table.seconds[candidate];
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(round));
  return median_of(std::move(others));
}

Curse look_at_curse(const SearchTable& table, std::size_t first) {
  std::vector<double> over_others;
  for (std::size_t round = 0; round < table.rounds(); ++round) {
    const auto seconds = [&](std::size_t candidate) { return table.seconds[candidate][round]; };
    const std::size_t winner = fastest(table.seconds.size(), 1, seconds).front();
    over_others.push_back(seconds_in_others(table, winner, round) / seconds(winner));
  }
  return {estimate(std::move(over_others)),
          fastest(table.seconds.size(), first, [&](std::size_t candidate) { return table.seconds[candidate][0]; })};
}

}  // namespace hf::compilers

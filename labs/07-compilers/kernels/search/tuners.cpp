#include "07-compilers/kernels/search/tuners.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "07-compilers/kernels/search/candidate.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::compilers {

Trials::Trials(std::size_t candidates, std::size_t most, std::function<double(std::size_t)> measure)
    : most_(std::min(most, candidates)), measure_(std::move(measure)), seconds_(candidates) {}

void Trials::attempt(std::size_t candidate) {
  if (done() || has_tried(candidate)) return;
  seconds_[candidate] = measure_(candidate);
  tried_.push_back(candidate);
  best_.push_back(best_.empty() || seconds_[candidate] < seconds_[best_.back()] ? candidate : best_.back());
}

namespace {

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<std::size_t> in_random_order(std::size_t count, std::mt19937& random) {
  std::vector<std::size_t> order = numbers_below(count);
  std::ranges::shuffle(order, random);
  return order;
}

/// Returns the `count` fastest of some candidates, in order.
template <class Seconds>
std::vector<std::size_t> fastest_of(std::vector<std::size_t> candidates, std::size_t count, const Seconds& seconds) {
  count = std::min(count, candidates.size());
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count), {}, seconds);
  candidates.resize(count);
  return candidates;
}

std::size_t child_of(std::size_t mother, std::size_t father, const SearchSpace& space, std::mt19937& random) {
  // Each choice is one parent's; one in a few is random.
  const std::vector<std::size_t>& counts = space.dimensions();
  const std::vector<std::size_t> other = space.choices(father);
  std::vector<std::size_t> choices = space.choices(mother);
  for (std::size_t d = 0; d < counts.size(); ++d) {
    if (random() % 2 == 0) choices[d] = other[d];
    if (random() % counts.size() == 0) choices[d] = random() % counts[d];
  }
  return space.index(choices);
}

}  // namespace

void search_at_random(Trials& trials, const SearchSpace& space, std::mt19937& random) {
  for (const std::size_t candidate : in_random_order(space.size(), random)) trials.attempt(candidate);
}

void search_by_evolution(Trials& trials, const SearchSpace& space, std::mt19937& random) {
  constexpr std::size_t population = 16, patience = 32;
  const std::vector<std::size_t> strangers = in_random_order(space.size(), random);
  std::size_t next = 0;
  while (trials.tried().size() < population && !trials.done()) trials.attempt(strangers[next++]);
  while (!trials.done()) {
    const auto seconds = [&](std::size_t candidate) { return trials.seconds(candidate); };
    const std::vector<std::size_t> parents = fastest_of(trials.tried(), population, seconds);
    const std::size_t before = trials.tried().size();
    for (std::size_t birth = 0; birth < patience && trials.tried().size() == before; ++birth) {
      const std::size_t mother = parents[random() % parents.size()], father = parents[random() % parents.size()];
      trials.attempt(child_of(mother, father, space, random));
    }
    while (trials.tried().size() == before) trials.attempt(strangers[next++]);  // none of the children was new
  }
}

void search_by_model(Trials& trials, const std::vector<double>& predicted, std::mt19937& random) {
  std::vector<std::size_t> order = in_random_order(predicted.size(), random);
  std::ranges::stable_sort(order, {}, [&](std::size_t candidate) { return predicted[candidate]; });
  for (const std::size_t candidate : order) trials.attempt(candidate);
}

namespace {

/// Returns the numbers of trials at which a curve has points: a few for each doubling.
std::vector<std::size_t> points_of_curve(std::size_t candidates) {
  std::vector<std::size_t> points;
  for (double at = 1; at < as_double(candidates); at *= std::sqrt(2)) {
    const auto trials = static_cast<std::size_t>(std::lround(at));
    if (points.empty() || trials > points.back()) points.push_back(trials);
  }
  points.push_back(candidates);
  return points;
}

/// Returns a few of many numbers, spread evenly over the sorted values, to keep the record short: their quantiles are
/// almost those of all.
Estimate thinned(std::vector<double> values) {
  constexpr std::size_t kept = 15;
  std::ranges::sort(values);
  if (values.size() <= kept) return estimate(std::move(values));
  std::vector<double> some;
  for (std::size_t i = 0; i < kept; ++i) some.push_back(values[(2 * i + 1) * values.size() / (2 * kept)]);
  return estimate(std::move(some));
}

/// Returns, for each number of trials, the relative time of the candidate that seemed the fastest then.
std::vector<double> found_by(const SearchTable& table, const Search& search, std::mt19937& random) {
  const auto sample = [&](std::size_t candidate) { return table.seconds[candidate][random() % table.rounds()]; };
  Trials trials(table.seconds.size(), table.seconds.size(), sample);
  search(trials, random);
  const double least = table.medians[table.best()];
  std::vector<double> over_best;
  for (const std::size_t candidate : trials.best()) over_best.push_back(table.medians[candidate] / least);
  return over_best;
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order = numbers_below(values.size());
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = (as_double(first) + as_double(last) - 1) / 2;
  }
  return ranks;
}

}  // namespace

std::size_t SearchTable::best() const {
  return static_cast<std::size_t>(std::ranges::min_element(medians) - medians.begin());
}

Replay replay(const SearchTable& table, const Search& search, std::size_t seeds) {
  constexpr double near = 1.05;
  const std::size_t candidates = table.seconds.size(), tenth = std::max<std::size_t>(candidates / 10, 1);
  std::vector<std::vector<double>> found;  // [seed][trial]
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
    found.push_back(found_by(table, search, random));
  }
  const auto after = [&](std::size_t trials) {  // of each seed
    std::vector<double> values;
    for (const std::vector<double>& over_best : found) values.push_back(over_best[trials - 1]);
    return values;
  };
  Replay result = {.trials = points_of_curve(candidates)};
  for (const std::size_t trials : result.trials) result.over_best.push_back(thinned(after(trials)));
  result.gap_at_10_percent = transform(thinned(after(tenth)), [](double over_best) { return over_best - 1; });
  for (std::size_t trials = 1; trials <= candidates && !result.trials_to_5_percent; ++trials) {
    if (estimate(after(trials)).median <= near) result.trials_to_5_percent = trials;
  }
  return result;
}

double expected_at_random(const SearchTable& table, std::size_t trials) {
  std::vector<double> sorted = table.medians;
  std::ranges::sort(sorted);
  const double quantile = 1 - std::exp2(-1 / as_double(trials));
  return sorted[static_cast<std::size_t>(quantile * as_double(sorted.size()))] / sorted.front();
}

std::vector<std::size_t> fastest(const std::vector<double>& seconds, std::size_t count) {
  return fastest_of(numbers_below(seconds.size()), count, [&](std::size_t candidate) { return seconds[candidate]; });
}

double seconds_in_others(const SearchTable& table, std::size_t candidate, std::size_t round) {
  std::vector<double> others = table.seconds[candidate];
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(round));
  return estimate(std::move(others)).median;
}

Curse look_at_curse(const SearchTable& table, std::size_t first) {
  const auto in_round = [&](std::size_t round) {
    std::vector<double> seconds;
    for (const std::vector<double>& rounds : table.seconds) seconds.push_back(rounds[round]);
    return seconds;
  };
  std::vector<double> over_others;
  for (std::size_t round = 0; round < table.rounds(); ++round) {
    const std::vector<double> seconds = in_round(round);
    const std::size_t winner = fastest(seconds, 1).front();
    over_others.push_back(seconds_in_others(table, winner, round) / seconds[winner]);
  }
  return {estimate(std::move(over_others)), fastest(in_round(0), first)};
}

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> a = ranks_of(x), b = ranks_of(y);
  const double mean = (as_double(a.size()) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace hf::compilers

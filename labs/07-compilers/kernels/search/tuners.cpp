#include "07-compilers/kernels/search/tuners.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "07-compilers/kernels/search/space.hpp"

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

std::vector<std::size_t> in_random_order(std::size_t count, std::mt19937& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  return order;
}

/// The fastest that have been tried.
std::vector<std::size_t> fittest(const Trials& trials, std::size_t count) {
  std::vector<std::size_t> all = trials.tried();
  count = std::min(count, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(count), {},
                            [&](std::size_t candidate) { return trials.seconds(candidate); });
  all.resize(count);
  return all;
}

std::size_t child_of(std::size_t mother, std::size_t father, const SearchSpace& space, std::mt19937& random) {
  // Each choice is that of one parent; one in a few is drawn anew.
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
    const std::vector<std::size_t> parents = fittest(trials, population);
    const std::size_t before = trials.tried().size();
    for (std::size_t birth = 0; birth < patience && trials.tried().size() == before; ++birth) {
      const std::size_t mother = parents[random() % parents.size()], father = parents[random() % parents.size()];
      trials.attempt(child_of(mother, father, space, random));
    }
    while (trials.tried().size() == before) trials.attempt(strangers[next++]);  // the family is all alike
  }
}

void search_by_model(Trials& trials, const std::vector<double>& predicted, std::mt19937& random) {
  std::vector<std::size_t> order = in_random_order(predicted.size(), random);
  std::ranges::stable_sort(order, {}, [&](std::size_t candidate) { return predicted[candidate]; });
  for (const std::size_t candidate : order) trials.attempt(candidate);
}

}  // namespace hf::compilers

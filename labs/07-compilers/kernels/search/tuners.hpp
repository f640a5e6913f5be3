/// \file
/// Ways to look for the fastest candidate without trying all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "07-compilers/kernels/search/space.hpp"

namespace hf::compilers {

/// Tries candidates, each at most once, and remembers the best.
class Trials {
 public:
  /// \param measure  the seconds that a candidate takes, with whatever noise there is
  /// \param most  so many trials, and no more than there are candidates
  Trials(std::size_t candidates, std::size_t most, std::function<double(std::size_t candidate)> measure);

  bool done() const { return tried_.size() == most_; }
  bool has_tried(std::size_t candidate) const { return seconds_[candidate] > 0; }

  /// Measures a candidate, unless it has been tried or no trial is left.
  void attempt(std::size_t candidate);

  /// Of a candidate that has been tried.
  double seconds(std::size_t candidate) const { return seconds_[candidate]; }

  /// In the order of the trials.
  const std::vector<std::size_t>& tried() const { return tried_; }

  /// The candidate that seemed the fastest after each trial.
  const std::vector<std::size_t>& best() const { return best_; }

 private:
  std::size_t most_;
  std::function<double(std::size_t)> measure_;
  std::vector<double> seconds_;  ///< 0 where it has not been tried
  std::vector<std::size_t> tried_, best_;
};

/// One after another, in random order.
void search_at_random(Trials& trials, const SearchSpace& space, std::mt19937& random);

/// In random order at first; then children of two of the best so far, which take each choice from one of them, and now and
/// then another one.
void search_by_evolution(Trials& trials, const SearchSpace& space, std::mt19937& random);

/// Those first of which a model expects most. \param predicted  seconds, of every candidate; equals in random order
void search_by_model(Trials& trials, const std::vector<double>& predicted, std::mt19937& random);

}  // namespace hf::compilers

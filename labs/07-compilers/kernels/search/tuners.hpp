/// \file
/// Ways to look for the fastest candidate without trying all of them, and how well each does.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "07-compilers/kernels/search/candidate.hpp"
#include "harness/measure/statistics.hpp"

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

  double seconds(std::size_t candidate) const { return seconds_[candidate]; }  ///< of one that has been tried
  const std::vector<std::size_t>& tried() const { return tried_; }             ///< in the order of the trials
  const std::vector<std::size_t>& best() const { return best_; }  ///< what seemed the fastest after each trial

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

// ---- Replayed many times on a space of which every candidate has been measured ----

/// Every candidate of a space, each measured once in each of several rounds.
struct SearchTable {
  std::vector<std::vector<double>> seconds;  ///< [candidate][round]
  std::vector<double> medians;               ///< over the rounds

  std::size_t rounds() const { return seconds.front().size(); }
  std::size_t best() const;  ///< the candidate with the least median
};

using Search = std::function<void(Trials& trials, std::mt19937& random)>;

/// What a search has found after so many trials, over many seeds. Each trial sees one of the samples of a candidate, with its
/// noise; what was found is judged by the median of all its samples, over that of the best candidate. A search that tries all
/// of them is misled by noise too, and is held to the same.
struct Replay {
  std::vector<std::size_t> trials = {};
  std::vector<Estimate> over_best = {};
  Estimate gap_at_10_percent = {};  ///< time of what a tenth of the trials found, over the best, minus 1
  /// Trials after which half of the searches have found a candidate that takes at most 5 % longer than the best; nothing where
  /// even all trials do not.
  std::optional<std::size_t> trials_to_5_percent = {};
};

Replay replay(const SearchTable& table, const Search& search, std::size_t seeds);

/// What one should find at random without noise: after n trials, the median over seeds is the candidate that 1 − 2^(−1/n)
/// of all are faster than.
double expected_at_random(const SearchTable& table, std::size_t trials);

/// The fastest so many, in order.
std::vector<std::size_t> fastest(const std::vector<double>& seconds, std::size_t count);

/// What one round promises, and what the other rounds keep.
struct Curse {
  Estimate over_others;            ///< for each round: its fastest candidate, time in the others over time in this one
  std::vector<std::size_t> first;  ///< the fastest of the first round, in order
};

Curse look_at_curse(const SearchTable& table, std::size_t first);

/// Median over the rounds but one.
double seconds_in_others(const SearchTable& table, std::size_t candidate, std::size_t round);

/// How well one order agrees with another: Spearman's rank correlation, from −1 to 1. Equals share their ranks.
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace hf::compilers

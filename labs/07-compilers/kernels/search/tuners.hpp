/// \file
/// Searches for the fastest candidate without trying all of them, and how well each search does.
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
  /// \param measure  measures the seconds of a candidate, including noise
  /// \param most  largest number of trials, limited to the number of candidates
  Trials(std::size_t candidates, std::size_t most, std::function<double(std::size_t candidate)> measure);

  bool done() const { return tried_.size() == most_; }
  bool has_tried(std::size_t candidate) const { return seconds_[candidate] > 0; }

  /// Measures a candidate unless it has been tried or no trial is left.
  void attempt(std::size_t candidate);

  double seconds(std::size_t candidate) const { return seconds_[candidate]; }  ///< \pre has_tried(candidate)
  const std::vector<std::size_t>& tried() const { return tried_; }             ///< in the order of the trials
  const std::vector<std::size_t>& best() const { return best_; }               ///< after each trial, the fastest so far

 private:
  std::size_t most_;
  std::function<double(std::size_t)> measure_;
  std::vector<double> seconds_;  ///< 0 for candidates not tried yet
  std::vector<std::size_t> tried_, best_;
};

/// Tries candidates in random order.
void search_at_random(Trials& trials, const SearchSpace& space, std::mt19937& random);

/// Tries candidates in random order at first, then children of two of the best so far: a child takes each choice from
/// one of its parents, and now and then a random one.
void search_by_evolution(Trials& trials, const SearchSpace& space, std::mt19937& random);

/// Tries candidates by increasing predicted time. \param predicted  seconds, of every candidate; equals in random order
void search_by_model(Trials& trials, const std::vector<double>& predicted, std::mt19937& random);

// ---- Replayed many times on a space of which every candidate has been measured ----

/// The times of every candidate of a space, each measured once in each round.
struct SearchTable {
  std::vector<std::vector<double>> seconds;  ///< [candidate][round]
  std::vector<double> medians;               ///< over the rounds

  std::size_t rounds() const { return seconds.front().size(); }
  std::size_t best() const;  ///< the candidate with the least median
};

using Search = std::function<void(Trials& trials, std::mt19937& random)>;

/// What a search has found after each number of trials, over many seeds. Each trial sees one sample of a candidate,
/// noise included. The candidate found is then judged by the median of all its samples, divided by that of the best
/// candidate; so noise can mislead even a search that tries all of them.
struct Replay {
  std::vector<std::size_t> trials = {};
  std::vector<Estimate> over_best = {};
  Estimate gap_at_10_percent = {};  ///< relative time of the candidate found in 10% of the trials, minus 1
  /// Trials after which half of the searches have found a candidate that takes at most 5% longer than the best; empty
  /// if even all trials do not suffice.
  std::optional<std::size_t> trials_to_5_percent = {};
};

Replay replay(const SearchTable& table, const Search& search, std::size_t seeds);

/// Returns the relative time that random search should find without noise. After n trials, the median over seeds is the
/// candidate that 1 − 2^(−1/n) of all candidates are faster than.
double expected_at_random(const SearchTable& table, std::size_t trials);

/// Returns the `count` fastest candidates, in order.
std::vector<std::size_t> fastest(const std::vector<double>& seconds, std::size_t count);

/// The winner's curse: the fastest candidate of one round is usually slower in the others.
struct Curse {
  Estimate over_others;            ///< for each round: the time of its fastest candidate in the others over that in it
  std::vector<std::size_t> first;  ///< the fastest of the first round, in order
};

Curse look_at_curse(const SearchTable& table, std::size_t first);

/// Returns the median over all rounds except `round`.
double seconds_in_others(const SearchTable& table, std::size_t candidate, std::size_t round);

/// Returns Spearman's rank correlation, from −1 to 1. Equal values share their ranks.
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace hf::compilers

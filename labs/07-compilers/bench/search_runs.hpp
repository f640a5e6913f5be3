/// \file
/// Candidates by the clock: all of a space, and those that won once more.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "07-compilers/kernels/search/candidate.hpp"
#include "07-compilers/kernels/search/space.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::compilers {

/// Random operands of one shape, on which candidates are run.
class CandidateRuns {
 public:
  explicit CandidateRuns(const ProductShape& shape);

  const ProductShape& shape() const { return shape_; }
  void run(const Candidate& candidate) const;

  /// Runs a candidate and holds what it gives against the reference, in a few places.
  /// \throws std::runtime_error  for a wrong product
  void check(const Candidate& candidate) const;

  /// check(), and a variant to be sampled, which needs these runs.
  Variant variant(const std::string& id, const Candidate& candidate) const;

 private:
  ProductShape shape_;
  Buffer a_, b_, c_;
};

/// Every candidate of a space, each measured once in each of several rounds.
struct SearchTable {
  std::vector<std::vector<double>> seconds;  ///< [candidate][round]
  std::vector<double> medians;               ///< over the rounds

  std::size_t rounds() const { return seconds.front().size(); }
  std::size_t best() const;  ///< the candidate with the least median
};

/// Measures all, in a new random order in each round: three rounds, and up to nine as long as the time lasts.
/// \param tick  called between samples
SearchTable measure_all(const SearchSpace& space, const CandidateRuns& runs, double budget_seconds,
                        const std::function<void()>& tick);

/// What became of the candidates that seemed the fastest.
struct Tuned {
  Candidate candidate;  ///< the one to use: the one chosen by hand, unless another one is faster beyond the noise
  bool is_hand;
  Estimate rival_over_hand;  ///< speed of the fastest other one over that of the one chosen by hand, measured once more
};

/// The fastest of a table and the one chosen by hand are measured against each other; then, anew, whichever of the others came
/// first against the one by hand: the fastest of many is one that was lucky too, and only a fresh measurement does not know
/// that. The one by hand stays unless the first of these measurements sees it beaten by twice its noise.
/// \param plan  of each of the two
Tuned confirm(const SearchSpace& space, const SearchTable& table, const CandidateRuns& runs, const Plan& plan);

/// What one round promises, and what the other rounds keep.
struct Curse {
  Estimate over_others;            ///< for each round: its fastest candidate, time in the others over time in this one
  std::vector<std::size_t> first;  ///< the fastest of the first round, in order
};

Curse look_at_curse(const SearchTable& table, std::size_t first);

/// Median over the rounds but one.
double seconds_in_others(const SearchTable& table, std::size_t candidate, std::size_t round);

}  // namespace hf::compilers

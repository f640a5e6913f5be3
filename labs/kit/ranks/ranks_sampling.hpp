/// \file
/// Times code that all ranks run together: samples in interleaved rounds, as in harness/measure/sampling.hpp, with the
/// same result on every rank.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "harness/measure/sampling.hpp"
#include "kit/ranks/ranks.hpp"
#include "kit/ranks/transport.hpp"

namespace hf {

/// A barrier: returns when all ranks have called it.
void meet(Transport& ranks);

/// The maximum of all ranks' numbers, on every rank.
double greatest_of_all(Transport& ranks, double number);

/// Code to be timed and compared. All ranks list the same variants in the same order.
struct RankVariant {
  std::string id;
  std::function<void()> prepare;  ///< before each sample, untimed; may be empty
  std::function<void()> run;      ///< timed on every rank, after meet()
  int calls = 1;                  ///< calls of `run` in one sample, if one is too short to be timed
};

/// How much to sample.
struct RankPlan {
  int rounds = 31;                                                  ///< samples of each variant
  int minimum_rounds = 5;                                           ///< taken even when the budget is spent
  double budget_seconds = std::numeric_limits<double>::infinity();  ///< stop early rather than take longer
  int first_round = 0;  ///< number of the first round, which determines the order of its variants
};

/// Warms up, and returns how many calls in a row take at least `seconds`; 1 if one call does.
int enough_calls(Member& me, const RankVariant& variant, double seconds);

/// Samples all variants in interleaved rounds, each in a new random order. A sample is the time per call, in seconds,
/// of the slowest rank.
/// \throws std::invalid_argument without variants or rounds
Sampling sample_on_all(Member& me, const std::vector<RankVariant>& variants, const RankPlan& plan);

}  // namespace hf

/// \file
/// Timing what all ranks do together: samples in interleaved rounds, as in harness/measure/sampling.hpp, with the same result on
/// every rank.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/ranks/ranks.hpp"
#include "common/ranks/transport.hpp"
#include "harness/measure/sampling.hpp"

namespace hf {

/// Returns when all ranks have come here.
void meet(Transport& ranks);

/// The greatest of all ranks' numbers, on every rank.
double greatest_of_all(Transport& ranks, double number);

/// One of the things that are compared. All ranks name the same ones, in the same order.
struct RankVariant {
  std::string id;
  std::function<void()> prepare;  ///< before each sample, untimed; may be empty
  std::function<void()> run;      ///< what is timed, on every rank, from a meeting of all
  int calls = 1;                  ///< of `run` in a row in one sample, where one is too short to be timed
};

/// How much to sample.
struct RankPlan {
  int rounds = 31;                                                  ///< samples of each variant
  int minimum_rounds = 5;                                           ///< taken even when the budget is spent
  double budget_seconds = std::numeric_limits<double>::infinity();  ///< stop early rather than take longer
  int first_round = 0;  ///< of a longer race: each round has an order of its own
};

/// So many calls in a row that a sample takes at least `seconds`; 1 for what takes longer by itself. Warms up, too.
int enough_calls(Member& me, const RankVariant& variant, double seconds);

/// Samples all variants in interleaved rounds, each in a new random order. A sample is the time of the rank that took
/// longest, seconds for a call.
/// \throws std::invalid_argument without variants or rounds
Sampling sample_on_all(Member& me, const std::vector<RankVariant>& variants, const RankPlan& plan);

}  // namespace hf

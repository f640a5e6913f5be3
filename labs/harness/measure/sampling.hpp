/// \file
/// Times variants to compare them: calibrated samples in interleaved rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock.hpp"       // IWYU pragma: export
#include "keep.hpp"        // IWYU pragma: export
#include "statistics.hpp"  // IWYU pragma: export
#include "threads.hpp"     // IWYU pragma: export

namespace hf {

/// Code to be timed and compared with other variants.
struct Variant {
  std::string id;
  /// Runs the code `calls` times in a row and returns the seconds taken. See timed().
  std::function<double(std::int64_t calls)> seconds;
};

/// A variant that runs \p code (callable without arguments) on this thread.
template <class Code>
Variant timed(std::string id, Code code) {
  return {std::move(id), [code = std::move(code)](std::int64_t calls) mutable {
            const std::int64_t start = now_ns();
            for (std::int64_t call = 0; call < calls; ++call) {
              code();
              clobber();
            }
            return static_cast<double>(now_ns() - start) * 1e-9;
          }};
}

/// A variant that runs `code(thread)` on every thread of a team at the same time; the seconds are from the first start
/// to the last finish. The team must outlive the variant.
template <class Code>
Variant timed(std::string id, Team& team, Code code) {
  return {std::move(id), [&team, code = std::move(code)](std::int64_t calls) {
            return team.run([&](int thread) {
              for (std::int64_t call = 0; call < calls; ++call) {
                code(thread);
                clobber();
              }
            });
          }};
}

/// How much to sample.
struct Plan {
  int rounds = 31;               ///< samples of each variant
  int minimum_rounds = 5;        ///< taken even when the budget is spent
  double sample_seconds = 1e-3;  ///< one sample takes at least this, and at least 1000 clock resolutions
  double warm_seconds = 2e-4;    ///< untimed run before every sample: at least one call; none if 0
  double budget_seconds = std::numeric_limits<double>::infinity();  ///< stop early rather than take longer
  std::function<void()> between_samples = {};  ///< called before each warm-up: moves the progress bar
  std::function<void()> before_sample =
      {};  ///< called next, before the warm-up, untimed: brings the machine into the state to be timed
};

/// The result of sampling: seconds per call, one sample of each variant per round. If the machine switches between two
/// states, the median of a kernel may belong to one state and that of its roof to the other. ratio() therefore compares
/// within each round, and in_one_state() keeps the rounds of one state.
struct Sampling {
  std::vector<std::string> ids;
  std::vector<Estimate> seconds;  ///< in the order of ids; sample i of every variant was taken in round i

  /// \throws std::out_of_range for an id that was not sampled
  const Estimate& of(std::string_view id) const;

  /// Pairwise ratio of the times of two variants, round by round: above 1 if \p numerator is slower.
  Estimate ratio(std::string_view numerator, std::string_view denominator) const;

  /// Keeps the rounds in which the machine was in one state, judged by one variant: the state with most of its
  /// samples. Keeps all rounds if the variant shows one state.
  Sampling in_one_state(std::string_view id) const;
};

/// Samples all variants in interleaved rounds, each round in a new random order. First finds how many calls of each
/// variant make a sample long enough. Runs each variant untimed before its sample, since a shared cache evicts
/// idle data.
/// \throws Interrupted
/// \throws std::invalid_argument without variants or rounds
Sampling sample_interleaved(const std::vector<Variant>& variants, const Plan& plan);

/// sample_interleaved() for one variant.
Estimate sample(const Variant& variant, const Plan& plan);

/// A/A test: samples a variant against itself. A smaller difference between variants counts as a tie.
/// \return the 95th percentile of the relative difference that chance alone produces
double noise_floor(const Variant& variant, const Plan& plan);

}  // namespace hf

/// \file
/// How much time a lab takes, and what it does with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sampling.hpp"
#include "statistics.hpp"
#include "steady_memory.hpp"

namespace hf {

enum class Budget { quick, full };

/// How long a step takes in a budget, seconds.
double seconds_in(Budget budget, double quick_seconds, double full_seconds);

/// How much is left of so many seconds that began then (now_ns()); not below 0.
double seconds_left_of(double seconds, std::int64_t start_ns);

/// 31 rounds, or 11 when quick, cut short rather than take longer than one of so many equal parts of the time.
Plan plan_within(Budget budget, double seconds, int parts = 1);

/// How long a lab looks whether memory is rationed.
BurstSearch burst_search(Budget budget);

/// The rounds in which the machine was in one state, as each of these variants saw it (Sampling::in_one_state). \p left_out is
/// called where rounds are, with the variant, its samples, and how many of them are kept.
Sampling in_one_state(Sampling sampling, const std::vector<std::string>& ids,
                      const std::function<void(const std::string&, const Estimate&, std::size_t)>& left_out);

}  // namespace hf

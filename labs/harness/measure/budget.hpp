/// \file
/// How much time a lab has, and how it is divided.
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

/// Seconds that a step takes in a budget.
double seconds_in(Budget budget, double quick_seconds, double full_seconds);

/// What is left of \p seconds that began at \p start_ns (now_ns()); at least 0.
double seconds_left_of(double seconds, std::int64_t start_ns);

/// Plans 31 rounds (11 when quick), fewer if they would take longer than \p seconds / \p parts.
Plan plan_within(Budget budget, double seconds, int parts = 1);

/// How long a lab checks whether memory is rationed.
BurstSearch burst_search(Budget budget);

/// Keeps the rounds in which the machine was in one state, judged by each of these variants (Sampling::in_one_state).
/// Calls \p left_out for each variant that had two states, with its samples and the number of rounds kept.
Sampling in_one_state(Sampling sampling, const std::vector<std::string>& ids,
                      const std::function<void(const std::string&, const Estimate&, std::size_t)>& left_out);

}  // namespace hf

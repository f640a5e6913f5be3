#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "check.hpp"

namespace hf {

/// Where `record` (consistent with itself) says what no machine can do: more speed than the measured peak, latency
/// that falls as the working set grows, a farther level with more bandwidth, a ratio that is not that of its parts.
///
/// Honest records are noisy, so numbers are compared as intervals [low, high], which must disagree by more than a
/// slack: 10 % for arithmetic (speeds, clocks, ratios within one run), 25 % for memory (where pages lie in a cache
/// that others share moves it this much); plus the record's own noise floor, counted up to 50 %; plus 25 % where
/// the run was quick or not quiet. In a virtual machine, memory is shared with guests that it does not see, however quiet it
/// is itself: there memory is given 75 % more. Where the run was not quiet, or in a virtual machine, others may have held up
/// all the samples of one size, so one size of a series may be slower than larger ones. An emulated machine has no
/// physics to hold it to.
std::vector<Problem> check_physics(const nlohmann::json& record);

}  // namespace hf

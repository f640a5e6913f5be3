#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check.hpp"

namespace hf {

/// Whether `observed` satisfies `bound`, one of ">= N", "<= N", "> N", "< N": a claim's verdict.
bool satisfies(double observed, const std::string& bound);

/// Numbers in `record` (of the right shape) that are not finite: NaN and infinities, which only a record in memory has.
std::vector<Problem> not_finite(const nlohmann::json& record);

/// Where `record` (of the right shape, finite) disagrees with itself: ids that repeat, low ≤ median ≤ high, quantiles
/// that do not follow from their samples (to a relative error of 1e-4, for records that print fewer digits), points
/// without samples, order or label, units that do not fit the id, verdicts that disagree with their numbers, a key
/// that is not the hash of its inputs, a date that is none.
std::vector<Problem> check_consistency(const nlohmann::json& record);

}  // namespace hf

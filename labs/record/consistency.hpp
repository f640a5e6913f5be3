/// \file
/// Whether a record agrees with itself.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check.hpp"

namespace hf {

/// The unit that a value called `id` must have by the end of its id, as in "GB/s" for bandwidth_dram_gbs; empty where
/// `unit` will do.
std::string promised_unit(const std::string& id, const std::string& unit);

/// Whether a number in `unit` is more than zero wherever it was measured: a speed, a time, a power.
bool is_positive_unit(const std::string& unit);

/// Numbers in `record` (of the right shape) that are not finite: NaN and infinities, which only a record in memory has.
std::vector<Problem> not_finite(const nlohmann::json& record);

/// Where `record` (of the right shape, finite) disagrees with itself: ids that repeat, low ≤ median ≤ high, quantiles
/// that do not follow from their samples (to a relative error of 1e-4, for records that print fewer digits), points
/// without samples, order or label, laws that are missing, units that do not fit the id, a key
/// that is not the hash of its inputs, a date that is none.
std::vector<Problem> check_consistency(const nlohmann::json& record);

}  // namespace hf

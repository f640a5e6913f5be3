/// \file
/// The shape of a record.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "check.hpp"

namespace hf {

/// The version of records that are written now; older ones are still read.
constexpr int kSchemaVersion = 3;

/// schema.json as it was when this was compiled.
const nlohmann::json& record_schema();

/// Where `record` departs from schema.json.
std::vector<Problem> check_schema(const nlohmann::json& record);

}  // namespace hf

/// \file
/// The shape of a record (schema.json), and what it says of ids and units.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "record.hpp"

namespace hf {

/// The current version of records.
constexpr int kSchemaVersion = 4;

/// True if a value or a series may have this id, or a number this unit, according to schema.json.
bool well_formed_id(const std::string& id);
bool known_unit(const std::string& unit);

/// The places where `record` violates schema.json.
std::vector<Problem> check_schema(const nlohmann::json& record);

/// The unit that the end of `id` requires, such as "GB/s" for bandwidth_dram_gbs; empty if `unit` is acceptable.
std::string promised_unit(const std::string& id, const std::string& unit);

/// True if measured numbers in `unit` must be above zero: a speed, a time, a power.
bool is_positive_unit(const std::string& unit);

/// The reason to refuse the name of a machine's folder below figures/records, which becomes part of addresses and file
/// names: one line, empty for a good name.
std::string refused_folder(const std::filesystem::path& folder);

}  // namespace hf

/// \file
/// A record as gnuplot reads it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace hf {

/// What gnuplot reads of a checked record, file name → content: SERIES.tsv for each series (tab-separated columns
/// x, median, low, high, label; a line that begins with # names them; NaN where a record has no interval), and
/// values.gp, which assigns value_ID, value_ID_low, value_ID_high, have_SERIES, machine_cpu and lab_title.
std::map<std::string, std::string> tables(const nlohmann::json& record);

}  // namespace hf

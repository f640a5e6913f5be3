/// \file
/// A record as text: as it stands in a file, and as gnuplot reads it.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hf {

/// `record` as it stands in a file, ending with a newline: each point, value and input on a line of its own, so that
/// a difference between two records is as long as what changed.
std::string record_text(const nlohmann::json& record);

/// What gnuplot reads of a checked record, file name → content: SERIES.tsv for each series (tab-separated columns
/// x, median, low, high, label; a line that begins with # names them; NaN where a record has no interval), and
/// values.gp, which assigns value_ID, value_ID_low, value_ID_high, have_SERIES, machine_cpu and lab_title.
std::map<std::string, std::string> tables(const nlohmann::json& record);

}  // namespace hf

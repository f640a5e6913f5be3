/// \file
/// Writes a record as text: for its file, and for gnuplot.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hf {

/// `record` as the text of its file, ending with a newline: each point, value and input is on its own line, so that the
/// diff of two records shows only their changes.
std::string record_text(const nlohmann::json& record);

/// A checked record's files for gnuplot, file name → content: SERIES.tsv for each series (tab-separated columns x,
/// median, low, high, label; a line that begins with # names them; NaN if a record has no interval), and values.gp,
/// which assigns value_ID, value_ID_low, value_ID_high, have_SERIES (its label), series_ids (all of them, in the
/// record's order), machine_cpu and lab_title.
std::map<std::string, std::string> tables(const nlohmann::json& record);

}  // namespace hf

/// \file
/// A record as it stands in a file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hf {

/// `record` as it stands in a file, ending with a newline: each point, value and input on a line of its own, so that
/// a difference between two records is as long as what changed.
std::string record_text(const nlohmann::json& record);

}  // namespace hf

/// \file
/// How pages, claims and laws call a number of a record.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace hf {

/// A series is a column of a table, and each of its points a row. What a point is called: its label, or else its x, in lower
/// case with _ for whatever is no letter and no digit. The same in site/hardware_first/records.py.
std::string row_of(const nlohmann::json& point);

/// A number with its unit.
struct Number {
  double median;
  std::string unit;
};

/// The number that is called `address` in `record` (of the right shape): the value of that id, or a point of a series, as
/// in "gemv_speedup[q4_0]"; nothing where there is none.
std::optional<Number> number_at(const nlohmann::json& record, std::string_view address);

}  // namespace hf

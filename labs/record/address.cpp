#include "address.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace hf {
namespace {

using Json = nlohmann::json;

std::string name_of(const Json& point) {
  if (point.contains("label")) return point["label"];
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", point.at("x").get<double>());
  return text.data();
}

}  // namespace

std::string row_of(const Json& point) {
  std::string row;
  bool gap = false;
  for (char c : name_of(point)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (fits && gap && !row.empty()) row += '_';
    if (fits) row += c;
    gap = !fits;
  }
  return row;
}

std::optional<Number> number_at(const Json& record, std::string_view address) {
  for (const Json& value : record.at("values")) {
    if (value.at("id") == address) return Number{value.at("value"), value.at("unit")};
  }
  const auto bracket = address.find('[');
  if (bracket == std::string_view::npos || !address.ends_with(']')) return std::nullopt;
  const std::string_view row = address.substr(bracket + 1, address.size() - bracket - 2);
  for (const Json& series : record.at("series")) {
    if (series.at("id") != address.substr(0, bracket)) continue;
    for (const Json& point : series.at("points")) {
      if (row_of(point) == row) return Number{point.at("median"), series.at("/y/unit"_json_pointer)};
    }
  }
  return std::nullopt;
}

}  // namespace hf

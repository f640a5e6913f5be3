#include "diff.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "claims.hpp"
#include "record.hpp"

namespace hf {
namespace {

using Numbers = std::map<std::string, Number>;

Numbers values_of(const Json& record) {
  Numbers numbers;
  for (const Json& value : record.at("values")) {
    numbers[value.at("id")] = {interval(value, "value"), value.at("unit"), value.at("kind")};
  }
  return numbers;
}

// The name of a point within its series: its label, or x, which may be written 4096 or 4096.0.
std::string place(const Json& point) {
  if (point.contains("label")) return point.at("label");
  return digits(point.at("x").get<double>(), 12);
}

Numbers points_of(const Json& series) {
  Numbers numbers;
  for (const Json& point : series.at("points")) {
    numbers[place(point)] = {interval(point, "median"), series.at("y").at("unit"), series.at("kind")};
  }
  return numbers;
}

bool apart(const Number& a, const Number& b, double noise_floor) {
  const bool rises = a.interval.median < b.interval.median;
  const Interval& lower = rises ? a.interval : b.interval;
  const Interval& upper = rises ? b.interval : a.interval;
  return a.unit != b.unit || upper.low - lower.high > noise_floor * std::min(std::abs(upper.low), std::abs(lower.high));
}

// The members of a list of a record, by id.
std::map<std::string, const Json*> by_id(const Json& record, const char* list) {
  std::map<std::string, const Json*> members;
  for (const Json& member : record.at(list)) members[member.at("id")] = &member;
  return members;
}

std::vector<Move> moved(const Numbers& before, const Numbers& after, const std::string& prefix, double floor) {
  std::vector<Move> changes;
  for (const auto& [name, old_number] : before) {
    const auto now = after.find(name);
    if (now == after.end() || !apart(old_number, now->second, floor)) continue;
    const std::string unit =
        old_number.unit == now->second.unit ? old_number.unit : old_number.unit + " → " + now->second.unit;
    changes.push_back({prefix + name, unit, old_number.interval.median, now->second.interval.median});
  }
  return changes;
}

// Adds the names that are in exactly one of two maps.
template <typename Members>
void only_in_one(const Members& before, const Members& after, const std::string& kind,
                 std::vector<std::string>& lines) {
  for (const auto& [name, ignored] : before) {
    if (!after.contains(name)) lines.push_back(kind + name + " only before");
  }
  for (const auto& [name, ignored] : after) {
    if (!before.contains(name)) lines.push_back(kind + name + " only after");
  }
}

std::vector<Flip> flipped(const Json& before, const Json& after, const std::vector<Claim>& claims) {
  std::vector<Flip> flips;
  for (const Claim& claim : claims) {
    const auto then = decide(claim, before), now = decide(claim, after);
    if (!then || !now || then->answer == now->answer) continue;
    flips.push_back({claim.id, then->answer, now->answer, then->observed.interval.median, now->observed.interval.median,
                     claim.bound});
  }
  return flips;
}

double noise_floor(const Json& record) { return record.at("run").at("noise_floor").get<double>(); }

}  // namespace

Difference difference(const Json& before, const Json& after, const std::vector<Claim>& claims) {
  const double floor = std::max(noise_floor(before), noise_floor(after));
  Difference result;
  result.flips = flipped(before, after, claims);

  const Numbers old_values = values_of(before);
  const Numbers new_values = values_of(after);
  result.values = moved(old_values, new_values, "", floor);
  only_in_one(old_values, new_values, "value ", result.missing);

  const auto old_series = by_id(before, "series");
  const auto new_series = by_id(after, "series");
  only_in_one(old_series, new_series, "series ", result.missing);
  for (const auto& [id, series] : old_series) {
    const auto now = new_series.find(id);
    if (now == new_series.end()) continue;
    const Numbers old_points = points_of(*series);
    const Numbers new_points = points_of(*now->second);
    const auto changes = moved(old_points, new_points, id + " at ", floor);
    result.points.insert(result.points.end(), changes.begin(), changes.end());
    only_in_one(old_points, new_points, "point " + id + " at ", result.missing);
  }
  return result;
}

}  // namespace hf

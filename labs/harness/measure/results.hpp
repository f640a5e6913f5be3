/// \file
/// What a lab finds out: series and values.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "statistics.hpp"  // IWYU pragma: export

namespace hf {

/// Where a number comes from; each kind is drawn differently everywhere.
enum class Kind { measured, modelled, simulated, quoted };

struct Axis {
  std::string name;
  std::string unit;  ///< one of the schema's units: "B", "GB/s", "ns", "FLOP/byte", "1"…
};

/// One point of a series. Made by the constructors below, so that the median always follows from the samples kept.
struct Point {
  /// A measured point: at most 31 samples are kept, six digits each, and median, low, high follow from what is kept.
  Point(double x, const Estimate& y, std::string label = "");
  /// A point without spread: modelled, simulated or quoted.
  Point(double x, double y, std::string label = "");

  double x;
  Estimate y;
  std::string label;  ///< where x alone does not name the point
};

struct Series {
  std::string id;     ///< [a-z][a-z0-9_]*
  std::string label;  ///< as it stands beside the line in a figure
  Kind kind = Kind::measured;
  Axis x, y;
  std::vector<Point> points = {};
  std::string source = "";  ///< citation key, when quoted
};

/// One number, with spread when it was measured repeatedly.
struct Value {
  Value(std::string id, const Estimate& value, std::string unit, std::string label = "");
  Value(std::string id, double value, std::string unit, Kind kind = Kind::modelled, std::string label = "",
        std::string source = "");

  std::string id;
  Estimate value;
  std::string unit;
  Kind kind;
  std::string label;
  std::string source;
};

nlohmann::json to_json(const Series& series);
nlohmann::json to_json(const Value& value);

}  // namespace hf

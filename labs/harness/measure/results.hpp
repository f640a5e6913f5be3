/// \file
/// A lab's results: series and values.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "statistics.hpp"  // IWYU pragma: export

namespace hf {

/// Where a number comes from; figures and tables show each kind differently.
enum class Kind { measured, modelled, simulated, quoted };

struct Axis {
  std::string name;
  std::string unit;  ///< one of the schema's units: "B", "GB/s", "ns", "FLOP/byte", "1"…
};

/// One point of a series. Its constructors compute the median from the samples that are kept.
struct Point {
  /// A measured point: keeps at most 31 samples of six digits each, and computes median, low and high from them.
  Point(double x, const Estimate& y, std::string label = "");
  /// A point without spread: modelled, simulated or quoted.
  Point(double x, double y, std::string label = "");

  double x;
  Estimate y;
  std::string label;  ///< needed if x alone does not identify the point
};

struct Series {
  std::string id;     ///< [a-z][a-z0-9_]*
  std::string label;  ///< shown beside the line in a figure
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

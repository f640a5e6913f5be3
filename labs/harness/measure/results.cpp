#include "results.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hf {
namespace {

constexpr std::size_t samples_kept = 31;
constexpr int digits_kept = 6;

/// Keeps records small: at most 31 samples, evenly spread over their sorted order if there are more. The estimate is
/// computed from the kept samples, so that a reader of the record can verify it.
Estimate kept(const Estimate& from) {
  std::vector<double> samples = from.samples;
  if (samples.size() > samples_kept) {
    std::sort(samples.begin(), samples.end());
    const std::size_t last = samples.size() - 1, steps = samples_kept - 1;
    for (std::size_t i = 0; i <= steps; ++i) samples[i] = samples[(i * last + steps / 2) / steps];
    samples.resize(samples_kept);
  }
  for (double& sample : samples) sample = round_significant(sample, digits_kept);
  return estimate(std::move(samples));
}

Estimate exact(double value) {
  const double rounded = round_significant(value, digits_kept);
  return {rounded, rounded, rounded, {}, {}};
}

const char* text(Kind kind) {
  switch (kind) {
    case Kind::measured: return "measured";
    case Kind::modelled: return "modelled";
    case Kind::simulated: return "simulated";
    case Kind::quoted: return "quoted";
  }
  return "";
}

nlohmann::json to_json(const Mode& mode) {
  return {{"median", round_significant(mode.median, digits_kept + 3)},
          {"share", round_significant(mode.share, digits_kept)}};
}

/// Adds low, high and samples if there are samples, and the modes if there are two.
void put_spread(nlohmann::json& object, const Estimate& estimate) {
  if (estimate.samples.empty()) return;
  object["low"] = round_significant(estimate.low, digits_kept + 3);
  object["high"] = round_significant(estimate.high, digits_kept + 3);
  object["samples"] = estimate.samples;
  if (estimate.modes) object["modes"] = {to_json(estimate.modes->low), to_json(estimate.modes->high)};
}

nlohmann::json to_json(const Axis& axis) { return {{"name", axis.name}, {"unit", axis.unit}}; }

}  // namespace

Point::Point(double x, const Estimate& y, std::string label)
    : x(round_significant(x, 2 * digits_kept)), y(kept(y)), label(std::move(label)) {}

Point::Point(double x, double y, std::string label)
    : x(round_significant(x, 2 * digits_kept)), y(exact(y)), label(std::move(label)) {}

Value::Value(std::string id, const Estimate& value, std::string unit, std::string label)
    : id(std::move(id)), value(kept(value)), unit(std::move(unit)), kind(Kind::measured), label(std::move(label)) {}

Value::Value(std::string id, double value, std::string unit, Kind kind, std::string label, std::string source)
    : id(std::move(id)),
      value(exact(value)),
      unit(std::move(unit)),
      kind(kind),
      label(std::move(label)),
      source(std::move(source)) {}

nlohmann::json to_json(const Series& series) {
  nlohmann::json json = {{"id", series.id},        {"label", series.label},  {"kind", text(series.kind)},
                         {"x", to_json(series.x)}, {"y", to_json(series.y)}, {"points", nlohmann::json::array()}};
  if (!series.source.empty()) json["source"] = series.source;
  for (const Point& point : series.points) {
    nlohmann::json object = {{"x", point.x}, {"median", round_significant(point.y.median, digits_kept + 3)}};
    put_spread(object, point.y);
    if (!point.label.empty()) object["label"] = point.label;
    json["points"].push_back(std::move(object));
  }
  return json;
}

nlohmann::json to_json(const Value& value) {
  nlohmann::json json = {{"id", value.id},
                         {"value", round_significant(value.value.median, digits_kept + 3)},
                         {"unit", value.unit},
                         {"kind", text(value.kind)}};
  put_spread(json, value.value);
  if (!value.label.empty()) json["label"] = value.label;
  if (!value.source.empty()) json["source"] = value.source;
  return json;
}

}  // namespace hf

#include "reading.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "law.hpp"
#include "record.hpp"

namespace hf {
namespace {

void widen(Json& number) {
  const auto samples = number.find("samples");
  if (samples == number.end() || samples->size() < 2 || samples->size() >= kFewSamples) return;
  const auto [least, greatest] = std::minmax_element(samples->begin(), samples->end());
  const Json low = *least, high = *greatest;
  number["low"] = low;
  number["high"] = high;
  number["few"] = true;
}

double rounded(double number) { return std::strtod(digits(number).c_str(), nullptr); }

// The kind of a computed value: measured if any of its parts was, else simulated if any was, else modelled.
std::string weightier(const std::string& kind, const std::string& other) {
  return kind == "measured" || other == "quoted" || (kind == "simulated" && other != "measured") ? kind : other;
}

// The product of intervals in a definition. Its parts were measured separately, so their errors are taken as
// independent: the logarithms of their ratios add as the root of the sum of squares.
class Product {
 public:
  void take(const Interval& part, bool divides) {
    const double fall = part.low == part.median ? 0 : std::log(part.median / part.low);
    const double rise = part.high == part.median ? 0 : std::log(part.high / part.median);
    median_ = divides ? median_ / part.median : median_ * part.median;
    below_ = std::hypot(below_, divides ? rise : fall);
    above_ = std::hypot(above_, divides ? fall : rise);
  }

  Interval interval() const { return {median_ * std::exp(-below_), median_, median_ * std::exp(above_)}; }

 private:
  double median_ = 1, below_ = 0, above_ = 0;
};

// The value of a definition; nothing if the record has no value for a part, or a part with samples may be zero.
std::optional<Json> defined(const Law& definition, const Json& record) {
  std::string kind = "modelled";
  Product product;
  for (const Law::Factor& factor : definition.product) {
    const auto found = factor.id.empty() ? Number{{factor.number, factor.number, factor.number}, "1", "modelled"}
                                         : number_at(record, factor.id);
    if (!found || (!(found->interval.low > 0) && (factor.divides || found->interval.low < found->interval.high))) {
      return std::nullopt;
    }
    kind = weightier(kind, found->kind);
    product.take(found->interval, factor.divides);
  }
  const Interval number = product.interval();
  Json value = {{"id", definition.subject},
                {"value", rounded(number.median)},
                {"unit", definition.units.front()},
                {"kind", kind},
                {"definition", definition.right_side()}};
  if (number.low < number.high) {
    value["low"] = rounded(number.low);
    value["high"] = rounded(number.high);
  }
  return value;
}

// Whether the record itself derives the value in another way, so that its number means something else than today's.
bool derived_otherwise(const Law& definition, const Json& record) {
  const std::string subject = definition.subject + " = ", today = subject + definition.right_side();
  const auto laws = record.value("laws", std::vector<std::string>());
  return std::ranges::any_of(laws, [&](const std::string& law) {
    return law.starts_with(subject) && law != today && !law.starts_with(today + " in ");
  });
}

}  // namespace

Json as_read(Json record, const std::vector<Law>& definitions) {
  for (Json& value : record["values"]) widen(value);
  for (Json& series : record["series"]) {
    for (Json& point : series["points"]) widen(point);
  }
  Json& values = record["values"];
  for (const Law& definition : definitions) {
    auto value = defined(definition, record);
    const auto is_it = [&](const Json& each) { return each.at("id") == definition.subject; };
    const auto recorded = std::find_if(values.begin(), values.end(), is_it);
    if (!value) {
      const bool derived = recorded != values.end() && !recorded->contains("samples");
      if (derived && derived_otherwise(definition, record)) values.erase(recorded);
    } else if (recorded == values.end()) {
      values.push_back(std::move(*value));
    } else if (!recorded->contains("samples")) {
      recorded->update(*value);
    }
  }
  return record;
}

Json as_read(Json record, const std::filesystem::path& labs) {
  const std::string lab = record.at("/lab/id"_json_pointer);
  return as_read(std::move(record), load_definitions(labs, lab));
}

}  // namespace hf

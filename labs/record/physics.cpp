#include "physics.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace hf {
namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

constexpr double kArithmeticSlack = 0.10;
constexpr double kMemorySlack = 0.25;
constexpr double kOtherGuestsSlack = 0.75;
constexpr double kMostNoise = 0.50;
constexpr double kRestlessSlack = 0.25;

std::string digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

// The median of a measured number, and the interval that 90 % of its samples are in.
struct Interval {
  double low, median, high;
};

Interval interval(const Json& number, const char* median) {
  const double middle = number.at(median).get<double>();
  return {number.value("low", middle), middle, number.value("high", middle)};
}

class Physics {
 public:
  explicit Physics(const Json& record) {
    const Json& run = record.at("run");
    noise_ = std::min(run.at("noise_floor").get<double>(), kMostNoise);
    const bool quiet = run.at("quiet").get<bool>();
    if (run.at("budget") == "quick" || !quiet) noise_ += kRestlessSlack;
    const bool virtualised = record.at("machine").at("virtualised").get<bool>();
    if (virtualised) memory_slack_ += kOtherGuestsSlack;
    forgiven_ = quiet && !virtualised ? 0 : 1;
    const Json& values = record.at("values");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& id = values[i].at("id").get_ref<const std::string&>();
      values_[id] = {interval(values[i], "value"), Pointer("/values") / i / "value", values[i].at("unit")};
    }
    const Json& series = record.at("series");
    for (std::size_t i = 0; i < series.size(); ++i) series_[series[i].at("id")] = {&series[i], Pointer("/series") / i};
  }

  std::vector<Problem> problems() {
    speeds_are_within_peaks();
    for (const char* id : {"latency", "latency_4k", "plateaus_latency"}) never_falls(id);
    never_rises("plateaus_bandwidth");
    levels_are_in_order();
    ratios_follow();
    return problems_;
  }

 private:
  struct Value {
    Interval number;
    Pointer at;
    std::string unit;
  };
  struct Series {
    const Json* json;
    Pointer at;
  };

  void report(const Pointer& at, const std::string& expected) {
    problems_.push_back({at.to_string(), "expected " + expected, "run the lab again on a quiet machine"});
  }

  const Value* value(const std::string& id) const {
    const auto found = values_.find(id);
    return found == values_.end() ? nullptr : &found->second;
  }

  // `smaller` is above `larger` by more than noise explains.
  bool exceeds(const Interval& smaller, const Interval& larger, double slack) const {
    return smaller.low > larger.high * (1 + slack + noise_);
  }

  void points_are_within(const std::string& series_id, const std::string& peak_id) {
    const auto series = series_.find(series_id);
    const Value* peak = value(peak_id);
    if (series == series_.end() || !peak || series->second.json->at("/y/unit"_json_pointer) != peak->unit) return;
    const Json& points = series->second.json->at("points");
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!exceeds(interval(points[i], "median"), peak->number, kArithmeticSlack)) continue;
      report(series->second.at / "points" / i / "median",
             "at most " + peak_id + ", " + digits(peak->number.median) + " " + peak->unit);
    }
  }

  // Each number is held to the peak of its own precision and threads; any other speed to the highest peak.
  void speeds_are_within_peaks() {
    points_are_within("kernels", "peak_fp32_gflops");
    points_are_within("kernels_predicted", "peak_fp32_gflops");
    for (const std::string rung : {"naive", "loop_order", "blocked", "register_tile", "packed", "best"}) {
      points_are_within("rung_" + rung, "peak_fp32_gflops");
    }
    points_are_within("rung_best_all", "peak_fp32_all_gflops");
    for (const std::string precision : {"fp32", "fp32_all", "fp64", "fp64_all"}) {
      points_are_within("peaks_" + precision, "peak_" + precision + "_gflops");
    }
    const auto is_peak = [](const std::string& id) { return id.starts_with("peak_") && id.ends_with("_gflops"); };
    const Value* highest = nullptr;
    for (const auto& [id, each] : values_) {
      if (is_peak(id) && (!highest || each.number.high > highest->number.high)) highest = &each;
    }
    for (const auto& [id, each] : values_) {
      if (!highest || each.unit != "GFLOP/s" || !exceeds(each.number, highest->number, kArithmeticSlack)) continue;
      report(each.at, "at most the highest peak, " + digits(highest->number.median) + " GFLOP/s");
    }
  }

  // A larger working set is at best as fast: no later interval lies wholly below an earlier one.
  void never_falls(const std::string& id) {
    compare_with_extreme(
        id, "latency that does not fall as the working set grows: at least ",
        [this](const Interval& now, const Interval& before) { return exceeds(before, now, memory_slack_); },
        [](const Interval& a, const Interval& b) { return a.low > b.low; });
  }

  void never_rises(const std::string& id) {
    compare_with_extreme(
        id, "bandwidth that does not rise as the working set grows: at most ",
        [this](const Interval& now, const Interval& before) { return exceeds(now, before, memory_slack_); },
        [](const Interval& a, const Interval& b) { return a.high < b.high; });
  }

  // Holds each point of a series against the most extreme before it, or the one after that, where one is forgiven.
  template <typename Violates, typename MoreExtreme>
  void compare_with_extreme(const std::string& id, const std::string& expected, Violates violates,
                            MoreExtreme more_extreme) {
    const auto series = series_.find(id);
    if (series == series_.end()) return;
    const auto& [json, at] = series->second;
    std::vector<Interval> extremes;  // the most extreme first
    for (std::size_t i = 0; i < json->at("points").size(); ++i) {
      const Interval now = interval(json->at("points")[i], "median");
      if (extremes.size() > forgiven_ && violates(now, extremes[forgiven_])) {
        report(at / "points" / i / "median",
               expected + digits(extremes[forgiven_].median) + ", not " + digits(now.median));
      }
      extremes.insert(std::upper_bound(extremes.begin(), extremes.end(), now, more_extreme), now);
      extremes.resize(std::min(extremes.size(), forgiven_ + 1));
    }
  }

  void is_at_most(const std::string& small_id, const std::string& large_id) {
    const Value* small = value(small_id);
    const Value* large = value(large_id);
    if (!small || !large || !exceeds(small->number, large->number, memory_slack_)) return;
    report(small->at, "at most " + large_id + ", " + digits(large->number.median) + " " + large->unit);
  }

  // Farther from the core is never faster.
  void levels_are_in_order() {
    is_at_most("bandwidth_l2_gbs", "bandwidth_l1_gbs");
    is_at_most("bandwidth_dram_gbs", "bandwidth_l1_gbs");
    is_at_most("bandwidth_dram_gbs", "bandwidth_l2_gbs");
    is_at_most("latency_l1_ns", "latency_l2_ns");
    is_at_most("latency_l1_ns", "latency_dram_ns");
    is_at_most("latency_l2_ns", "latency_dram_ns");
  }

  // result = factor × left × right, or factor × left / right. Ratios may come from pairs of samples, so the result
  // is held to the range that the parts' intervals allow.
  struct Relation {
    const char* result;
    double factor;
    const char* left;
    char operation;
    const char* right;
  };

  void ratios_follow() {
    static constexpr std::array kRelations = {
        Relation{"ridge_flop_per_byte", 1, "peak_fp32_gflops", '/', "bandwidth_dram_gbs"},
        Relation{"ridge_all_flop_per_byte", 1, "peak_fp32_all_gflops", '/', "bandwidth_dram_all_gbs"},
        Relation{"flops_per_float_loaded", 4, "peak_fp32_gflops", '/', "bandwidth_dram_gbs"},
        Relation{"flops_per_dram_miss", 1, "peak_fp32_gflops", '*', "latency_dram_ns"},
        Relation{"simd_over_scalar_fp32", 1, "peak_fp32_gflops", '/', "peak_fp32_scalar_gflops"},
        Relation{"vector_add_peak_share", 1, "vector_add_dram_gflops", '/', "peak_fp32_gflops"},
        Relation{"bandwidth_l1_over_dram", 1, "bandwidth_l1_gbs", '/', "bandwidth_dram_gbs"},
        Relation{"latency_dram_over_l1", 1, "latency_dram_ns", '/', "latency_l1_ns"},
        Relation{"latency_l1_cycles", 1, "latency_l1_ns", '*', "clock_ghz"},
        Relation{"latency_dram_cycles", 1, "latency_dram_ns", '*', "clock_ghz"}};
    for (const Relation& relation : kRelations) follows(relation);
  }

  void follows(const Relation& relation) {
    const Value* result = value(relation.result);
    const Value* left = value(relation.left);
    const Value* right = value(relation.right);
    if (!result || !left || !right || !(right->number.low > 0)) return;
    const auto combined = [&](double a, double b) {
      return relation.factor * (relation.operation == '*' ? a * b : a / b);
    };
    const Interval& b = right->number;
    const bool product = relation.operation == '*';
    const Interval expected = {combined(left->number.low, product ? b.low : b.high),
                               combined(left->number.median, b.median),
                               combined(left->number.high, product ? b.high : b.low)};
    const Interval& actual = result->number;
    if (!exceeds(actual, expected, kArithmeticSlack) && !exceeds(expected, actual, kArithmeticSlack)) return;
    const std::string factor = relation.factor == 1 ? "" : digits(relation.factor) + " * ";
    report(result->at, "about " + digits(expected.median) + ", " + factor + relation.left + " " + relation.operation +
                           " " + relation.right + ", not " + digits(actual.median));
  }

  double noise_ = 0;
  double memory_slack_ = kMemorySlack;
  std::size_t forgiven_ = 0;  // how many sizes another process may have slowed down without end
  std::map<std::string, Value> values_;
  std::map<std::string, Series> series_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check_physics(const Json& record) {
  // How fast an emulator runs a loop depends on how it translated it: a kernel may well outrun the peak.
  if (record.at("machine").value("emulated", false)) return {};
  return Physics(record).problems();
}

}  // namespace hf

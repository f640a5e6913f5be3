// How long should each operation of a network take under PyTorch, and how long does it take?
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "08-your-model/bench/roofs.hpp"
#include "08-your-model/bench/steps.hpp"
#include "08-your-model/peers/model_tool.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/blas.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"

namespace hf::your_model {
namespace {

const Axis milliseconds = {"time", "ms"}, microseconds = {"time", "us"};

struct Network {
  const char *id, *label;
  std::string file() const { return std::string("networks/") + id + ".py"; }
};

constexpr Network networks[] = {{"perceptron", "perceptron"},
                                {"resnet", "ResNet"},
                                {"gpt2", "GPT-2, a token"},
                                {"grouped_queries", "grouped queries"},
                                {"mixture", "mixture of experts"}};

/// A version of the classifier whose story the chapter tells.
struct Version {
  const char *id, *label;
  int number;
  const char* changed;  ///< the modules that differ from the version before; null if all do

  std::string file() const { return "told/step" + std::to_string(number) + ".py"; }
};

constexpr Version versions[] = {{"written", "as written", 0, ""},        {"activation", "one call", 1, ".activation"},
                                {"layout", "channels last", 2, ".pool"}, {"norms", "norms folded in", 3, ".norm"},
                                {"memory", "memory kept", 4, nullptr},   {"exact", "the exact GELU", 5, ".activation"}};

constexpr double near = 1.5;             // a prediction within this factor is a good one
constexpr double smallest_share = 0.01;  // of a network's time that is worth a mark in a figure

double median_s(const Operation& operation) { return estimate(operation.seconds).median; }

double whole_s(const Report& report) { return estimate(report.whole_s).median; }

double total_s(const Report& report) {
  return std::accumulate(report.operations.begin(), report.operations.end(), 0.0,
                         [](double sum, const Operation& each) { return sum + median_s(each); });
}

double loss_s(const Operation& operation) { return median_s(operation) - operation.predicted_s; }

/// Two series over the same points: what was predicted, and what was measured.
struct Pair {
  Pair(const std::string& id, const std::string& label, const Axis& x, const Axis& y)
      : predicted{id + "_predicted", label + ", predicted", Kind::modelled, x, y},
        measured{id, label, Kind::measured, x, y} {}

  /// Adds a point, in the series' unit.
  void add(double before, const Estimate& after, const std::string& name) {
    const auto at = as_double(measured.points.size());
    predicted.points.emplace_back(at, before, name);
    measured.points.emplace_back(at, after, name);
  }

  void add_to(Lab& lab) {
    lab.add(std::move(predicted));
    lab.add(std::move(measured));
  }

  Series predicted, measured;
};

/// Joins the operations that have the same name in a figure, and sorts them, worst loss first.
std::vector<Operation> joined(const Report& report, std::string (*name)(const Operation&)) {
  std::vector<Operation> result;
  for (const Operation& each : report.operations) {
    const auto same = std::ranges::find(result, name(each), name);
    if (same == result.end()) {
      result.push_back(each);
      continue;
    }
    same->flops += each.flops;
    same->bytes += each.bytes;
    same->predicted_s += each.predicted_s;
    std::ranges::transform(same->seconds, each.seconds, same->seconds.begin(), std::plus());
  }
  std::ranges::stable_sort(result, std::greater(), loss_s);
  return result;
}

std::string with_shapes(const Operation& operation) { return operation.kind + " " + operation.shapes; }
std::string with_module(const Operation& operation) { return operation.kind + ", " + operation.module; }

/// Adds operations, worst loss first, except those that take little of the network's time.
void add_operations(Lab& lab, const std::string& id, const std::string& label, const Report& report,
                    std::string (*name)(const Operation&)) {
  Pair times_us(id, label, {"operation", "1"}, microseconds);
  for (const Operation& each : joined(report, name)) {
    if (median_s(each) < smallest_share * total_s(report)) continue;
    times_us.add(each.predicted_s * 1e6, times(estimate(each.seconds), 1e6), name(each));
  }
  times_us.add_to(lab);
}

/// Adds the places of a network's operations under a roofline, and their shares of its time.
void add_places(Lab& lab, const Network& network, const Report& report) {
  const std::string id = network.id;
  const Axis intensity = {"arithmetic intensity", "FLOP/byte"};
  Series places = {"speeds_" + id, network.label, Kind::measured, intensity, {"speed", "GFLOP/s"}};
  Series shares = {"shares_" + id, network.label, Kind::measured, intensity, {"share of the time", "1"}};
  std::vector<Operation> operations = joined(report, with_shapes);
  std::erase_if(operations, [](const Operation& each) { return each.flops == 0 || each.bytes == 0; });
  std::ranges::stable_sort(operations, {}, [](const Operation& each) { return each.flops / each.bytes; });
  for (const Operation& each : operations) {
    if (median_s(each) < smallest_share * total_s(report)) continue;
    const Estimate seconds = estimate(each.seconds);
    places.points.emplace_back(each.flops / each.bytes, rate(each.flops, seconds), with_shapes(each));
    shares.points.emplace_back(each.flops / each.bytes, times(seconds, 1 / total_s(report)), with_shapes(each));
  }
  lab.add(std::move(places));
  lab.add(std::move(shares));
}

std::string text(const Roofs& roofs) {
  return std::to_string(roofs.threads) + (roofs.threads == 1 ? " thread" : " threads");
}

/// Adds the speed at which GPT-2's shape writes tokens, and the speed that its bytes allow.
void add_tokens(Lab& lab, const Roofs& roofs, const Report& report) {
  const auto per_second = [](double seconds) { return 1 / seconds; };
  double bytes = 0;
  for (const Operation& each : report.operations) bytes += each.bytes;
  lab.add(Value("gpt2_tokens_per_s", transform(estimate(report.whole_s), per_second), "tokens/s"));
  lab.modelled("gpt2_bound_per_s", roofs.memory.read_gbs.back().median * 1e9 / bytes, "tokens/s");
}

/// Sums over the operations of the modules whose names end like this; over all if \p ending is null.
double sum_of(const Report& report, const char* ending, double (*seconds)(const Operation&)) {
  double sum = 0;
  for (const Operation& each : report.operations) {
    if (ending == nullptr || each.module.ends_with(ending)) sum += seconds(each);
  }
  return sum;
}

double predicted_s(const Operation& operation) { return operation.predicted_s; }

/// How many times as long as predicted these modules take.
double over_predicted(const Report& report, const char* ending) {
  return sum_of(report, ending, median_s) / sum_of(report, ending, predicted_s);
}

/// Predicts a network after a change, from the times before it: those of the changed modules give way to what is
/// predicted of the new ones. If everything changed, the difference between the predictions counts.
double predicted_after(const Report& before, const Report& after, const char* changed) {
  const double gone = changed == nullptr ? before.predicted_s() : sum_of(before, changed, median_s);
  return whole_s(before) - gone + sum_of(after, changed, predicted_s);
}

/// Adds what the first version spends its time on, worst loss first.
void add_first_version(Lab& lab, const Report& report) {
  add_operations(lab, "told_operations", "as written", report, with_module);
  double products = 0, all_flops = 0, flops = 0;
  for (const Operation& each : report.operations) {
    const bool is_product = each.kind.find("convolution") != std::string::npos || each.kind == "addmm";
    products += is_product ? median_s(each) : 0;
    flops += is_product ? each.flops : 0;
    all_flops += each.flops;
  }
  lab.derived("told_products_share", products / total_s(report));
  lab.derived("told_products_flop_share", flops / all_flops);
  lab.derived("told_activation_share", sum_of(report, ".activation", median_s) / total_s(report));
  lab.derived("told_pool_over_predicted", over_predicted(report, ".pool"));
}

void add_roofs(Lab& lab, const Roofs& roofs, const std::string& suffix) {
  const std::string label = text(roofs);
  lab.add(Value("peak_fp32" + suffix + "_gflops", roofs.fp32_gflops, "GFLOP/s", "fp32 peak, " + label));
  lab.add(Value("exp" + suffix + "_gops", roofs.exp_gops, "Gop/s", "e^x, " + label));
  lab.add(Value("gelu" + suffix + "_gops", roofs.gelu_gops, "Gop/s", "GELU, " + label));
  Series read = {
      "bandwidth_read" + suffix, "read, " + label, Kind::measured, {"working set", "B"}, {"bandwidth", "GB/s"}};
  for (std::size_t i = 0; i < roofs.memory.bytes.size(); ++i) {
    read.points.emplace_back(as_double(roofs.memory.bytes[i]), roofs.memory.read_gbs[i]);
  }
  if (roofs.threads == 1) {
    lab.add(Value("read_dram_gbs", roofs.memory.read_gbs.back(), "GB/s", "reading memory beyond the caches"));
  }
  lab.add(std::move(read));
}

/// The report of the round whose time is the median.
Report middle_of(std::vector<Report>& rounds) {
  const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::ranges::nth_element(rounds, middle, {}, whole_s);
  return *middle;
}

}  // namespace

double share_within(const Report& report, double factor) {
  double within = 0;
  for (const Operation& each : report.operations) {
    const double measured = median_s(each);
    if (std::max(measured / each.predicted_s, each.predicted_s / measured) <= factor) within += measured;
  }
  return within / total_s(report);
}

void measure_roofs(Lab& lab, Shared& shared) {
  const std::size_t largest = beyond_the_caches(lab.machine());
  for (const int threads : lab.machine().cores > 1 ? std::vector{1, lab.machine().cores} : std::vector{1}) {
    Team team(threads);
    shared.roofs.push_back(measure_roofs(lab.machine(), team, largest, {lab.plan(30), lab.memory_plan(30)}));
    add_roofs(lab, shared.roofs.back(), threads == 1 ? "" : "_all");
  }
  if (library_version("PyTorch") == "none") {
    lab.note("no network was run: python3 cannot import torch; pip install torch");
  } else {
    shared.tool = std::make_unique<ModelTool>(roofs_json(lab.machine(), shared.roofs));
  }
}

void predict_networks(Lab& lab, Shared& shared) {
  if (!shared.tool) return;
  Table table = {"Predicted times, 1 thread", {"network", "ms"}, {}};
  const auto predict = [&](const std::string& file, const char* name) {
    lab.tick();
    table.rows.push_back({name, number_text(shared.tool->predict(file, 1).predicted_s() * 1e3)});
  };
  for (const Network& network : networks) predict(network.file(), network.label);
  for (const Version& version : versions) predict(version.file(), version.label);
  lab.show(table);
}

void measure_networks(Lab& lab, Shared& shared) {
  if (!shared.tool) return;
  double least_share = 1, most_watching = 1;
  std::vector<double> calls;
  for (const Roofs& roofs : shared.roofs) {
    const std::string suffix = roofs.threads == 1 ? "" : "_all", label = text(roofs);
    Pair whole_ms("networks" + suffix, label, {"network", "1"}, milliseconds);
    Series within = {"shares_predicted" + suffix, label, Kind::measured, {"network", "1"}, {"share of the time", "1"}};
    for (const Network& network : networks) {
      lab.tick();
      const Report report = shared.tool->time(network.file(), roofs.threads, lab.quick() ? 0.5 : 3);
      const Estimate whole = estimate(report.whole_s);
      within.points.emplace_back(as_double(within.points.size()), estimate({share_within(report, near)}),
                                 network.label);
      whole_ms.add(report.predicted_s() * 1e3, times(whole, 1e3), network.label);
      calls.push_back(report.call_s * 1e9);
      if (&roofs == &shared.roofs.back() && std::string_view(network.id) == "gpt2") add_tokens(lab, roofs, report);
      if (roofs.threads > 1) continue;
      least_share = std::min(least_share, share_within(report, near));
      most_watching = std::max(most_watching, estimate(report.watched_s).median / whole.median);
      add_operations(lab, std::string("operations_") + network.id, network.label, report, with_shapes);
      add_places(lab, network, report);
    }
    whole_ms.add_to(lab);
    lab.add(std::move(within));
  }
  lab.add(Value("call_ns", estimate(calls), "ns", "a call of an operator of PyTorch"));
  lab.derived("share_predicted_least", least_share);
  lab.derived("watching_cost", most_watching);
}

void measure_told(Lab& lab, Shared& shared) {
  if (!shared.tool) return;
  constexpr std::size_t count = std::size(versions);
  std::vector<std::vector<Report>> rounds(count);
  std::vector<std::vector<double>> seconds(count);
  // Each version is a process of its own, so the versions take turns.
  for (int round = 0; round < (lab.quick() ? 1 : 3); ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      lab.tick();
      rounds[i].push_back(shared.tool->time(versions[i].file(), 1, lab.quick() ? 0.2 : 1));
      seconds[i].push_back(whole_s(rounds[i].back()));
    }
  }
  std::vector<Report> reports;
  for (std::vector<Report>& each : rounds) reports.push_back(middle_of(each));
  add_first_version(lab, reports.front());
  Pair told("told", "a classifier of photographs", {"version", "1"}, milliseconds);
  double worst = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double now = estimate(seconds[i]).median;
    const double predicted =
        i == 0 ? reports[0].predicted_s() : predicted_after(reports[i - 1], reports[i], versions[i].changed);
    told.add(predicted * 1e3, times(estimate(seconds[i]), 1e3), versions[i].label);
    if (i == 0) continue;
    worst = std::max({worst, now / predicted, predicted / now});
    const std::string id = std::string("told_gain_") + versions[i].id;
    lab.modelled(id + "_predicted", estimate(seconds[i - 1]).median / predicted);
    lab.add(Value(id, ratio(seconds[i - 1], seconds[i]), "1"));
  }
  told.add_to(lab);
  lab.add(Value("told_gain", ratio(seconds.front(), seconds.back()), "1"));
  lab.derived("told_missed_most", worst);
  lab.derived("told_tanh_over_predicted", over_predicted(reports[count - 2], ".activation"));
  lab.add(Value("page_ns", estimate({reports.front().page_s * 1e9}), "ns", "a page of new memory"));
}

}  // namespace hf::your_model

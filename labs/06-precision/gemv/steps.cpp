#include "06-precision/gemv/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/formats/formats.hpp"
#include "06-precision/gemv/gemv_runs.hpp"
#include "06-precision/gemv/tile_kernels.hpp"
#include "06-precision/gemv/weight_matrix.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::precision {
namespace {

const Axis bits_axis = {"bits of a weight, scales included", "bits"}, time_axis = {"time for one product", "us"};
const Axis format_axis = {"format", "1"}, speedup_axis = {"speedup over fp32", "1"};

std::string value_id(Format format, const char* what) { return std::string("gemv_") + id(format) + "_" + what; }

double bits_of(const WeightMatrix& matrix) {
  return 8 * as_double(matrix.bytes()) / as_double(matrix.rows() * matrix.columns());
}

const WeightMatrix& matrix_in(const GemvRuns& runs, Format format) {
  return runs.matrices()[static_cast<std::size_t>(format)];
}

/// Over fp32, if only bytes count.
double predicted_speedup(const GemvRuns& runs, Format format) {
  return as_double(matrix_in(runs, Format::fp32).bytes()) / as_double(matrix_in(runs, format).bytes());
}

/// A product takes as long as its bytes do: before anything is timed.
void predict_speedups(Lab& lab, const GemvRuns& runs) {
  Table table = {"Predicted: a product takes as long as its bytes", {"format", "bits", "MiB", "over fp32"}, {}};
  for (const WeightMatrix& matrix : runs.matrices()) {
    table.rows.push_back({label(matrix.format()), number_text(bits_of(matrix)),
                          number_text(as_double(matrix.bytes()) / 0x1p20),
                          number_text(predicted_speedup(runs, matrix.format()))});
  }
  lab.show(table);
  for (const Format format : {Format::q8_0, Format::q4_0})
    lab.modelled(value_id(format, "predicted_speedup"), predicted_speedup(runs, format));
}

/// Times of one thread or of all, and what reading alone makes of their bytes.
struct Curve {
  std::string id, label;
  std::string (*variant)(Format format);
  double read_gbs;
};

/// Adds times and their predictions. \return how far the worst prediction was off
double add_times(Lab& lab, const GemvRuns& runs, const Sampling& sampling, const Curve& curve) {
  Series measured = {curve.id, curve.label, Kind::measured, bits_axis, time_axis};
  Series predicted = {curve.id + "_predicted", curve.label + ", predicted from bytes", Kind::modelled, bits_axis,
                      time_axis};
  double worst = 0;
  for (const WeightMatrix& matrix : runs.matrices()) {
    const Estimate us = times(sampling.of(curve.variant(matrix.format())), 1e6);
    const double expected = as_double(matrix.bytes()) / curve.read_gbs * 1e-3;
    measured.points.emplace_back(bits_of(matrix), us, label(matrix.format()));
    predicted.points.emplace_back(bits_of(matrix), expected, label(matrix.format()));
    worst = std::max(worst, std::abs(expected / us.median - 1));
  }
  const auto by_bits = [](const Point& a, const Point& b) { return a.x < b.x; };
  for (Series* series : {&measured, &predicted}) {
    std::stable_sort(series->points.begin(), series->points.end(), by_bits);
    lab.add(std::move(*series));
  }
  return worst;
}

/// GB/s of one thread.
Estimate gbs_of(const GemvRuns& runs, const Sampling& sampling, Format format) {
  const double bytes = as_double(matrix_in(runs, format).bytes());
  return transform(sampling.of(GemvRuns::one(format)), [bytes](double s) { return bytes / s * 1e-9; });
}

/// Of one thread, over fp32.
Estimate speedup_of(const Sampling& sampling, Format format) {
  return sampling.ratio(GemvRuns::one(Format::fp32), GemvRuns::one(format));
}

void add_speeds(Lab& lab, const GemvRuns& runs, const Sampling& sampling) {
  using enum Format;
  for (const Format format : {fp8_e4m3, q4_0, mxfp8}) {
    lab.add(Value(value_id(format, "gbs"), gbs_of(runs, sampling, format), "GB/s"));
  }
  for (const Format format : {bf16, q8_0, q4_0}) {
    lab.add(Value(value_id(format, "speedup"), speedup_of(sampling, format), "1",
                  std::string(label(format)) + " GEMV over fp32, one thread"));
  }
  const Estimate read = runs.read_gbs(sampling);
  lab.add(Value("gemv_read_gbs", read, "GB/s", "reading alone, one thread"));
  lab.add(Value("gemv_fp32_over_bandwidth", ratio(gbs_of(runs, sampling, fp32).samples, read.samples), "1"));
}

/// Of one thread, format by format, beside what the bytes say.
void add_speedup_series(Lab& lab, const GemvRuns& runs, const Sampling& sampling) {
  Series measured = {"gemv_speedup", "measured", Kind::measured, format_axis, speedup_axis};
  Series predicted = {"gemv_speedup_predicted", "predicted from bytes", Kind::modelled, format_axis, speedup_axis};
  for (const Format format : all_formats) {
    const double x = static_cast<double>(format) + 1;
    measured.points.emplace_back(x, speedup_of(sampling, format), label(format));
    predicted.points.emplace_back(x, predicted_speedup(runs, format), label(format));
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
}

/// How fast the kernels are when memory is not what they wait for.
void add_in_cache(Lab& lab, const std::vector<Estimate>& speeds) {
  using enum Format;
  for (const Format format : {bf16, fp8_e4m3, q4_0, mxfp8}) {
    lab.add(Value(value_id(format, "in_cache_gbs"), speeds[static_cast<std::size_t>(format)], "GB/s"));
  }
  double lowest = INFINITY;
  for (const Estimate& speed : speeds) lowest = std::min(lowest, speed.median);
  lab.derived("gemv_slowest_unpacking_over_read", lowest / lab.value("gemv_read_gbs"));
}

}  // namespace

void measure_gemv(Lab& lab) {
  GemvRuns runs(shape_past_caches(lab.machine(), lab.quick() ? 2 : 4));
  predict_speedups(lab, runs);

  Plan choosing = lab.memory_plan(8);
  choosing.warm_seconds = 0;
  choosing.minimum_rounds = 3;
  lab.add(Value("gemv_q4_0_without_prefetch_speedup", runs.choose_to_ask_ahead(choosing), "1"));
  lab.note(asks_ahead() ? "products with a vector ask for memory ahead of its use, which is faster here"
                        : "products with a vector do not ask for memory ahead of its use, which is faster here");
  const Plan near = lab.plan(8);
  const std::vector<Estimate> in_cache = in_cache_gbs(lab.machine(), near);
  Plan plan = lab.memory_plan();
  plan.warm_seconds = 0;  // the matrix comes from memory each time
  plan.budget_seconds = lab.seconds_left();
  const Sampling sampling = sample_interleaved(runs.variants(), plan);
  add_speeds(lab, runs, sampling);
  add_speedup_series(lab, runs, sampling);
  add_in_cache(lab, in_cache);
  lab.derived(
      "gemv_prediction_error_worst",
      add_times(lab, runs, sampling, {"gemv_time", "one thread", GemvRuns::one, runs.read_gbs(sampling).median}));
  lab.derived("gemv_all_prediction_error_worst",
              add_times(lab, runs, sampling,
                        {"gemv_all_time", "all threads", GemvRuns::all, runs.read_all_gbs(sampling).median}));
}

}  // namespace hf::precision

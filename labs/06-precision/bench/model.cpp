#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "06-precision/bench/decode_runs.hpp"
#include "06-precision/bench/llama_race.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::precision {
namespace {

const Axis format_axis = {"format", "1"}, speed_axis = {"speed", "tokens/s"}, divergence_axis = {"divergence", "nats"};

/// A token takes as long as reading its bytes.
void predict_tokens(Lab& lab, const Decoders& decoders) {
  Table table = {"Predicted: one token reads every weight once", {"format", "MB a token", "tokens, over fp32"}, {}};
  lab.modelled("decode_context", static_cast<double>(decode_context));
  for (Format format : decoders.formats()) {
    const double bytes = decoders.bytes(format), fewer = decoders.bytes(decoders.formats().front()) / bytes;
    if (format == Format::fp32 || format == Format::q4_0)
      lab.modelled(decode_id(format, Cores::all) + "_bytes", bytes, "B");
    if (format == Format::q4_0) lab.modelled("decode_q4_0_speedup_predicted", fewer);
    table.rows.push_back({label(format), number_text(bytes * 1e-6), number_text(fewer)});
  }
  lab.show(table);
}

/// Whether the chapter says, where a claim fails, how near we come to what the bytes allow.
bool is_told(Format format, Cores cores) {
  using enum Format;
  if (format == bf16 || format == mxfp8) return cores == Cores::one;
  return format == fp32 || format == q8_0 || format == q4_0;
}

/// Tokens a second in each format, beside what the bytes and the bandwidth of the same rounds say. How far off the
/// predictions were is added to `errors`.
void add_speeds(Lab& lab, const Decoders& decoders, const ReadRuns& reads, const Sampling& sampling, Cores cores,
                std::vector<double>& errors) {
  const std::string suffix = cores == Cores::all ? "" : "_one";
  const std::string threads = cores == Cores::all ? "all threads" : "one thread";
  Series measured = {"decode_tokens" + suffix, threads, Kind::measured, format_axis, speed_axis};
  Series predicted = {"decode_tokens" + suffix + "_predicted", threads + ", predicted", Kind::modelled, format_axis,
                      speed_axis};
  for (Format format : decoders.formats()) {
    const std::string variant = variant_id(id(format), cores);
    const Estimate speed = transform(sampling.of(variant), [](double s) { return 1 / s; });
    const double expected = reads.gbs(sampling, format, cores).median * 1e9 / decoders.bytes(format);
    const double x = static_cast<double>(format);
    const std::string name = decode_id(format, cores);
    const Estimate over_predicted = sampling.ratio("read " + variant, variant);
    if (is_raced(format)) lab.add(Value(name + "_tokens_per_s", speed, "tokens/s"));
    if (is_told_of_llama(format, cores)) lab.derived(name + "_predicted_tokens_per_s", expected, "tokens/s");
    if (is_told(format, cores)) lab.add(Value(name + "_over_predicted", over_predicted, "1"));
    measured.points.emplace_back(x, speed, label(format));
    predicted.points.emplace_back(x, expected, label(format));
    errors.push_back(std::abs(over_predicted.median - 1));
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
}

}  // namespace

void measure_decode(Lab& lab) {
  const workload::Transformer model(workload::gpt2_small);
  Decoders decoders(lab, model, decode_formats(lab));
  if (decoders.formats().empty()) return;
  predict_tokens(lab, decoders);
  ReadRuns reads(decoders);
  std::vector<Variant> variants = reads.variants();
  for (Variant& variant : decoders.variants()) variants.push_back(std::move(variant));
  LlamaRace race(lab, model, decoders.formats());
  for (Variant& variant : race.variants()) variants.push_back(std::move(variant));
  const Sampling sampling = time_decoding(lab, std::move(variants));
  std::vector<double> errors;
  for (Cores cores : {Cores::all, Cores::one}) add_speeds(lab, decoders, reads, sampling, cores, errors);
  if (lab.has("decode_q4_0_bytes")) lab.add(Value("decode_q4_0_speedup", sampling.ratio("fp32", "q4_0"), "1"));
  lab.derived("decode_prediction_error_worst", *std::max_element(errors.begin(), errors.end()));
  race.add_results(lab, decoders, sampling);
}

namespace {

struct Trade {
  std::string format;
  double divergence, speed;  ///< from fp64, and tokens a second

  /// Whether another is as accurate and as fast, and better in one of the two.
  bool is_beaten_by(const Trade& other) const {
    return other.divergence <= divergence && other.speed >= speed &&
           (other.divergence < divergence || other.speed > speed);
  }
};

/// Of a series that was added; none where its step was not measured.
std::vector<Point> points_of(const Lab& lab, const std::string& id) {
  const std::vector<Series>& all = lab.results().series;
  const auto found = std::ranges::find(all, id, &Series::id);
  return found == all.end() ? std::vector<Point>() : found->points;
}

/// Of all formats that both steps measured, the most accurate first.
std::vector<Trade> trades(const Lab& lab) {
  const std::vector<Point> speeds = points_of(lab, "decode_tokens");
  std::vector<Trade> trades;
  for (const Point& accuracy : points_of(lab, "kl_by_format")) {
    const auto speed = std::ranges::find(speeds, accuracy.label, &Point::label);
    if (speed != speeds.end()) trades.push_back({accuracy.label, accuracy.y.median, speed->y.median});
  }
  std::sort(trades.begin(), trades.end(), [](const Trade& a, const Trade& b) { return a.divergence < b.divergence; });
  return trades;
}

}  // namespace

void add_pareto(Lab& lab) {
  const std::vector<Trade> all = trades(lab);
  Series dots = {"pareto_formats", "formats", Kind::measured, divergence_axis, speed_axis};
  Series line = {"pareto_line", "Pareto line", Kind::measured, divergence_axis, speed_axis};
  for (const Trade& trade : all) {
    const Point point(trade.divergence, estimate({trade.speed}), trade.format);
    dots.points.push_back(point);
    const auto beats = [&](const Trade& other) { return trade.is_beaten_by(other); };
    if (std::none_of(all.begin(), all.end(), beats)) line.points.push_back(point);
  }
  if (all.empty()) return;
  lab.add(std::move(dots));
  lab.add(std::move(line));
}

}  // namespace hf::precision

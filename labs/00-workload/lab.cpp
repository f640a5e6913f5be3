// Chapter 00, the workload. One function for each step, in the order of the chapter:
//
//   measure_triple_loop    how far is the textbook's loop from a tuned library, for the same arithmetic?
//   predict_passes         what do five passes of three networks ask for, and how long should that take?
//   measure_passes         where does their time go, and where do their FLOPs?
//   measure_batches        what does it cost to write for many readers at once?
//   measure_kv_cache       and what to forget what was computed before?
//   decide_claims          which sentences of the chapter hold here?
#include "harness/lab.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "00-workload/checks.hpp"
#include "00-workload/passes.hpp"
#include "00-workload/random_tensor.hpp"
#include "00-workload/rounded.hpp"
#include "00-workload/sizes.hpp"
#include "00-workload/triple_loop.hpp"
#include "harness/blas.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/threads.hpp"

namespace hf::workload {
namespace {

using enum OperatorClass;

/// The classes as the figure shows them: both halves of attention together.
struct Shown {
  const char *id, *label;
  bool (*holds)(OperatorClass);
};
constexpr Shown shown_classes[] = {
    {"gemm", "GEMM", [](OperatorClass c) { return c == gemm; }},
    {"attention", "attention", [](OperatorClass c) { return c == attention_product || c == attention_softmax; }},
    {"reduction", "reductions", [](OperatorClass c) { return c == reduction; }},
    {"elementwise", "elementwise", [](OperatorClass c) { return c == elementwise; }},
    {"copying", "copying", [](OperatorClass c) { return c == copying; }}};

bool is_product(OperatorClass c) { return c == gemm || c == attention_product; }
bool is_any(OperatorClass) { return true; }

void add_derived(Lab& lab, const std::string& id, double value, const std::string& unit = "1") {
  lab.add(Value(id, value, unit, Kind::measured));
}

void add_counted(Lab& lab, const std::string& id, double value, const std::string& unit = "1") {
  lab.add(Value(id, value, unit, Kind::modelled));
}

// ---- The two roofs: how fast all cores together compute, and how fast they read from memory ----

Roofline measure_roofs(Lab& lab) {
  lab.begin("roofs");
  Team all;
  lab.add(
      Value("peak_fp32_all_gflops", peak_gflops(Precision::fp32, all, lab.plan(3)), "GFLOP/s", "fp32 peak, all cores"));
  // Of an array as large as the weights will be: a shared cache may still hold a good part of a smaller one.
  const std::uint64_t weights = sizeof(float) * gpt2_small.parameters();
  const std::size_t bytes =
      std::min<std::uint64_t>(std::max<std::uint64_t>(weights, default_dram_bytes()), available_memory_bytes() / 4);
  lab.add(Value("bandwidth_dram_all_gbs", dram_read_gbs(all, lab.plan(3), bytes), "GB/s", "DRAM bandwidth, all cores"));
  const Roofline roofs = {lab.value("peak_fp32_all_gflops"), lab.value("bandwidth_dram_all_gbs")};
  add_derived(lab, "ridge_all_flop_per_byte", roofs.ridge(), "FLOP/byte");
  return roofs;
}

// ---- The count that does not tell the time ----

constexpr std::size_t matrix = 1024;

/// Random matrices, and some rows of their product.
struct TripleLoop {
  std::vector<float> a = std::vector<float>(matrix * matrix), b = a, c = a;

  TripleLoop() {
    fill_random(a, 1, 1);
    fill_random(b, 2, 1);
  }

  /// Largest error of the first rows of `product`, as a share of what the rounding of a sum of 1024 products allows.
  template <class Number>
  double error_share(const std::vector<Number>& product, std::size_t rows) const {
    double worst = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < matrix; ++j) {
        Rounded sum = 0;
        for (std::size_t k = 0; k < matrix; ++k) sum = sum + Rounded(a[i * matrix + k]) * Rounded(b[k * matrix + j]);
        worst = std::max(worst, sum.error_share(static_cast<float>(product[i * matrix + j])));
      }
    }
    return worst;
  }
};

void demand(double error_share, const std::string& what) {
  if (error_share <= 1) return;
  throw std::runtime_error(what + " is wrong: its error is " + number_text(error_share) +
                           " times what rounding allows; nothing was timed");
}

/// Seconds that a row takes in a product of so many, in a first try.
double seconds_per_row(const std::function<void(std::size_t rows)>& multiply, std::size_t rows) {
  const std::int64_t start = now_ns();
  multiply(rows);
  return static_cast<double>(now_ns() - start) * 1e-9 / static_cast<double>(rows);
}

void measure_python(Lab& lab, const TripleLoop& matrices, const Estimate& library_seconds) {
  const std::string version = python_version();
  const std::size_t rows = lab.quick() ? 3 : 11;
  const auto python = version.empty() ? std::nullopt : triple_loop_in_python(matrices.a, matrices.b, rows, matrix);
  if (!python) return lab.note("no python3 that runs: the triple loop in Python is missing");
  demand(matrices.error_share(python->c, 1), "the triple loop in Python");
  const Estimate per_row = estimate(python->seconds);
  const double rows_of_matrix = matrix;
  lab.add(Value("python_seconds_1024", transform(per_row, [&](double s) { return s * rows_of_matrix; }), "s"));
  // The rows and the library's samples are of different rounds, so this is the ratio of two medians.
  add_derived(lab, "python_over_library_1024", per_row.median * rows_of_matrix / library_seconds.median);
}

/// The product of two 1024 × 1024 matrices on one core: each row of the triple loop takes the same time, so it is timed
/// on a few. \return GFLOP/s of the library
double measure_triple_loop(Lab& lab, Blas& blas) {
  lab.begin("triple loop");
  blas.set_threads(1);
  TripleLoop m;
  const auto naive = [&m](std::size_t rows) { triple_loop(m.a.data(), m.b.data(), m.c.data(), rows, matrix); };
  const auto library = [&m, &blas](std::size_t rows) {
    blas.gemm(Transpose::no, Transpose::no, rows, matrix, matrix, 1, m.a.data(), matrix, m.b.data(), matrix, 0,
              m.c.data(), matrix);
  };
  naive(2);
  demand(m.error_share(m.c, 2), "the triple loop");
  library(2);
  demand(m.error_share(m.c, 2), "the library's product");

  // All rows of the library's product, unless this machine is so slow that a few must do.
  const auto rows_in = [](double seconds, double per_row) {
    return static_cast<std::size_t>(std::clamp(seconds / per_row, 2.0, static_cast<double>(matrix)));
  };
  const std::size_t naive_rows = rows_in(lab.step_seconds() / 25, seconds_per_row(naive, 4));
  const std::size_t library_rows = rows_in(lab.step_seconds() / 5, seconds_per_row(library, 64));
  if (library_rows == matrix) {
    library(matrix);
    demand(m.error_share(m.c, 2), "the library's product");
  }
  Plan plan = lab.plan(2);
  plan.warm_seconds = 0;
  const Sampling times = sample_interleaved(
      {timed("naive", [&] { naive(naive_rows); }), timed("library", [&] { library(library_rows); })}, plan);
  const auto whole = [](const Estimate& seconds, std::size_t rows) {
    const double share = static_cast<double>(rows) / matrix;
    return transform(seconds, [&](double s) { return s / share; });
  };
  const Estimate naive_seconds = whole(times.of("naive"), naive_rows);
  const Estimate library_seconds = whole(times.of("library"), library_rows);
  const auto gflops = [](double s) { return 2.0 * matrix * matrix * matrix / s * 1e-9; };
  lab.add(Value("naive_seconds_1024", naive_seconds, "s"));
  lab.add(Value("library_seconds_1024", library_seconds, "s"));
  lab.add(Value("naive_gflops_1024", transform(naive_seconds, gflops), "GFLOP/s"));
  lab.add(Value("library_gflops_1024", transform(library_seconds, gflops), "GFLOP/s"));
  lab.add(Value("naive_over_library_1024", ratio(naive_seconds.samples, library_seconds.samples), "1"));
  measure_python(lab, m, library_seconds);
  return lab.value("library_gflops_1024");
}

// ---- The networks ----

Sizes choose(Lab& lab, double gflops_of_one_core) {
  const double gflops = gflops_of_one_core * lab.machine().cores;
  const double seconds = lab.quick() ? 4 : 12;  // of one round: some machines take longer than the step says
  const Sizes sizes = choose_sizes(gflops, seconds, available_memory_bytes());
  if (sizes.transformer.parameters() != gpt2_small.parameters()) {
    lab.note(std::string("too little time or memory for GPT-2 small here: the transformer is ") + sizes.name +
             ", and the other networks are smaller too");
  }
  return sizes;
}

void check(Networks& networks) {
  demand(error_share_of_mlp(networks.mlp()), "the MLP");
  demand(error_share_of_resnet(networks.resnet(), 32), "the CNN");
  demand(error_share_of_transformer(networks.transformer()), "the transformer");
  demand(error_share_of_gradients({2, 24, 3, 40, 8}, 5), "the transformer's gradient");
}

double predicted_seconds(const Pass& pass, const Roofline& roofs) {
  double sum = 0;
  for (const OperatorTotal& each : pass.operators) sum += roofs.seconds(each.work);
  return sum;
}

/// Runs every pass once, with no eye on the clock, to see what it is asked to do; and says how long that should take.
void predict_passes(Lab& lab, std::vector<PassRunner>& runners, const Roofline& roofs) {
  Table table = {"Five passes: what is asked, and what the roofs say; nothing has been timed yet",
                 {"pass", "GFLOP", "MB", "FLOP/byte", "predicted ms", "mostly"},
                 {}};
  const Axis which = {"pass", "1"};
  Series series = {"pass_predicted", "predicted", Kind::modelled, which, {"time", "ms"}};
  for (PassRunner& runner : runners) {
    runner.run();
    const Pass& pass = runner.passes().front();
    const Work work = pass.work(is_any);
    const double seconds = predicted_seconds(pass, roofs), n = runner.parts();
    series.points.emplace_back(static_cast<double>(series.points.size()), 1e3 * seconds / n, runner.label());
    table.rows.push_back({runner.label(), number_text(work.flops / n * 1e-9), number_text(work.bytes / n * 1e-6),
                          number_text(work.intensity()), number_text(1e3 * seconds / n), name(roofs.side(work))});
    add_counted(lab, "flops_" + runner.id(), work.flops / n, "FLOP");
    add_counted(lab, "bytes_" + runner.id(), work.bytes / n, "B");
    add_counted(lab, "intensity_" + runner.id(), work.intensity(), "FLOP/byte");
    runner.forget_passes();
  }
  lab.add(std::move(series));
  lab.show(table);
}

/// For every pass that was timed, a number.
template <class Of>
Estimate over_passes(const PassRunner& runner, Of of) {
  std::vector<double> samples;
  for (const Pass& pass : runner.passes()) samples.push_back(of(pass));
  return estimate(std::move(samples));
}

/// The five passes one after the other: what they take, and how much of the machine they use.
void add_passes(Lab& lab, const std::vector<PassRunner>& runners) {
  const Axis which = {"pass", "1"};
  Series time = {"pass_measured", "measured", Kind::measured, which, {"time", "ms"}};
  Series speed = {"pass_speed", "speed", Kind::measured, which, {"speed", "GFLOP/s"}};
  Series share = {"pass_peak_share", "share of the peak", Kind::measured, which, {"share of the peak", "%"}};
  const double peak = lab.value("peak_fp32_all_gflops");
  for (std::size_t i = 0; i < runners.size(); ++i) {
    const PassRunner& runner = runners[i];
    const double x = static_cast<double>(i), flops = runner.passes().front().work(is_any).flops;
    const Estimate gflops = over_passes(runner, [&](const Pass& p) { return flops / p.seconds * 1e-9; });
    const Estimate ms = over_passes(runner, [&](const Pass& p) { return 1e3 * p.seconds / runner.parts(); });
    time.points.emplace_back(x, ms, runner.label());
    speed.points.emplace_back(x, gflops, runner.label());
    share.points.emplace_back(x, transform(gflops, [&](double g) { return 100 * g / peak; }), runner.label());
  }
  lab.add(std::move(time));
  lab.add(std::move(speed));
  lab.add(std::move(share));
}

void add_shares(Lab& lab, const std::vector<PassRunner>& runners) {
  const Axis which = {"pass", "1"};
  for (const Shown& shown : shown_classes) {
    const std::string id = shown.id, label = shown.label;
    Series flops = {"flop_share_" + id, "FLOPs in " + label, Kind::modelled, which, {"share of FLOPs", "%"}};
    Series time = {"time_share_" + id, "time in " + label, Kind::measured, which, {"share of time", "%"}};
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const Pass& any = runners[i].passes().front();
      const double x = static_cast<double>(i);
      flops.points.emplace_back(x, 100 * any.work(shown.holds).flops / any.work(is_any).flops, runners[i].label());
      const auto share = [&](const Pass& pass) {
        return 100 * pass.operator_seconds(shown.holds) / pass.operator_seconds(is_any);
      };
      time.points.emplace_back(x, over_passes(runners[i], share), runners[i].label());
    }
    lab.add(std::move(flops));
    lab.add(std::move(time));
  }
}

void add_share_values(Lab& lab, const PassRunner& runner) {
  const auto add = [&](const std::string& id, bool (*holds)(OperatorClass)) {
    const Pass& any = runner.passes().front();
    add_counted(lab, id + "_flop_share_" + runner.id(), any.work(holds).flops / any.work(is_any).flops);
    lab.add(Value(
        id + "_time_share_" + runner.id(),
        over_passes(runner,
                    [&](const Pass& pass) { return pass.operator_seconds(holds) / pass.operator_seconds(is_any); }),
        "1"));
  };
  for (const Shown& shown : shown_classes) add(shown.id, shown.holds);
  add("matmul", is_product);  // with the products in attention
}

/// Every operator of a pass: its intensity, and its time as predicted and as measured.
void add_operators(Lab& lab, const PassRunner& runner, const Roofline& roofs) {
  const Axis intensity = {"arithmetic intensity", "FLOP/byte"}, time = {"time", "ms"};
  Series predicted = {"operators_" + runner.id() + "_predicted", "predicted", Kind::modelled, intensity, time};
  Series measured = {"operators_" + runner.id(), "measured", Kind::measured, intensity, time};
  Table table = {runner.label() + ", by operator",
                 {"operator", "GFLOP", "FLOP/byte", "predicted ms", "measured ms", "% of time"},
                 {}};
  const double n = runner.parts();
  const double whole = over_passes(runner, [](const Pass& p) { return p.operator_seconds(is_any); }).median;
  for (std::size_t i = 0; i < runner.passes().front().operators.size(); ++i) {
    const OperatorTotal& each = runner.passes().front().operators[i];
    const Estimate ms = over_passes(runner, [&](const Pass& pass) { return 1e3 * pass.operators[i].seconds / n; });
    const double expected = 1e3 * roofs.seconds(each.work) / n;
    predicted.points.emplace_back(each.work.intensity(), expected, each.name);
    measured.points.emplace_back(each.work.intensity(), ms, each.name);
    table.rows.push_back({each.name, number_text(each.work.flops / n * 1e-9), number_text(each.work.intensity()),
                          number_text(expected), number_text(ms.median),
                          number_text(100 * ms.median * 1e-3 * n / whole)});
  }
  lab.add(std::move(predicted));
  lab.add(std::move(measured));
  lab.show(table);
}

/// Speeds of the whole pass.
void add_speeds(Lab& lab, const PassRunner& runner, const Roofline& roofs) {
  const double flops = runner.passes().front().work(is_any).flops;
  const Estimate gflops = over_passes(runner, [&](const Pass& pass) { return flops / pass.seconds * 1e-9; });
  lab.add(Value(runner.id() + "_gflops", gflops, "GFLOP/s"));
  add_derived(lab, runner.id() + "_peak_share", gflops.median / roofs.peak_gflops);
  lab.add(Value(runner.id() + "_ms",
                over_passes(runner, [&](const Pass& pass) { return 1e3 * pass.seconds / runner.parts(); }), "ms"));
}

/// Bytes that a token costs with so many tokens in the cache: every weight but the table of positions, and the cache.
double decode_bytes(const TransformerShape& shape, double cached) {
  return 4.0 * static_cast<double>(shape.parameters() - shape.context * shape.width) +
         static_cast<double>(shape.cache_bytes_per_token()) * cached;
}

void add_decode_speed(Lab& lab, const PassRunner& decode, const Sizes& sizes, const Roofline& roofs) {
  const double cached = static_cast<double>(sizes.prompt) + static_cast<double>(sizes.decoded + 1) / 2;
  const double bytes = decode_bytes(sizes.transformer, cached);
  add_counted(lab, "decode_bytes_per_token", bytes, "B");
  lab.add(Value("decode_predicted_tokens_per_s", roofs.bandwidth_gbs * 1e9 / bytes, "tokens/s"));
  lab.add(Value("decode_tokens_per_s",
                over_passes(decode, [&](const Pass& pass) { return decode.parts() / pass.seconds; }), "tokens/s"));
  add_derived(lab, "decode_over_predicted",
              lab.value("decode_tokens_per_s") / lab.value("decode_predicted_tokens_per_s"));
}

void measure_passes(Lab& lab, Networks& networks, const Sizes& sizes, const Roofline& roofs) {
  std::vector<PassRunner> runners = networks.runners();
  predict_passes(lab, runners, roofs);
  lab.begin("where the time goes");
  std::vector<Variant> variants;
  for (PassRunner& runner : runners) variants.push_back(timed(runner.id(), [&runner] { runner.run(); }));
  const std::span<const float> weights = networks.transformer().weights().all();
  variants.push_back(timed("reading", [weights] { read_all(weights.data(), weights.size()); }));
  Plan plan = lab.plan();
  plan.warm_seconds = 0;  // a pass is long, and has its own accounts
  plan.minimum_rounds = 3;
  const Sampling times = sample_interleaved(variants, plan);
  lab.add(Value("weights_read_ms", transform(times.of("reading"), [](double s) { return 1e3 * s; }), "ms"));
  const double tokens = static_cast<double>(sizes.decoded);
  lab.add(Value("decode_over_reading",
                transform(times.ratio("decode", "reading"), [&](double r) { return r / tokens; }), "1"));

  for (const PassRunner& runner : runners) {
    add_operators(lab, runner, roofs);
    add_speeds(lab, runner, roofs);
    add_share_values(lab, runner);
    if (runner.id() == "decode") add_decode_speed(lab, runner, sizes, roofs);
  }
  add_passes(lab, runners);
  add_shares(lab, runners);
  add_counted(lab, "prefill_over_decode_flops", lab.value("flops_prefill") / lab.value("flops_decode"));
  lab.add(Value("prefill_over_decode_time",
                transform(times.ratio("prefill", "decode"), [&](double r) { return r * tokens; }), "1"));
  const double flops = 1 - lab.value("matmul_flop_share_prefill"), time = 1 - lab.value("matmul_time_share_prefill");
  add_counted(lab, "rest_flop_share_prefill", flops);
  add_derived(lab, "rest_time_share_prefill", time);
  add_derived(lab, "rest_time_over_flop_share_prefill", time / flops);
}

// ---- One token for each of many readers ----

constexpr std::size_t batch_context = 32;  // tokens that each of them has before

struct Decoder {
  KvCache cache;
  Activations activations;
  std::vector<int> tokens;
  Ledger ledger;

  Decoder(const TransformerShape& shape, std::size_t sequences, std::size_t before)
      : cache(shape, sequences, before + 1),
        activations(shape, sequences, 1, before + 1, Activations::Keep::latest_layer),
        tokens(sequences, 1) {}

  void step(const Transformer& model) {
    model.forward({tokens, tokens.size(), cache.capacity() - 1}, cache, activations, ledger);
  }
};

std::vector<std::size_t> batch_sizes(const Lab& lab, const TransformerShape& shape) {
  std::vector<std::size_t> sizes;
  const std::size_t largest = lab.quick() ? 64 : 128;
  for (std::size_t batch = 1; batch <= largest; batch *= 2) {
    const std::size_t bytes = batch * (batch_context + 1) * shape.cache_bytes_per_token();
    if (batch > 1 && bytes > available_memory_bytes() / 4) break;
    sizes.push_back(batch);
  }
  return sizes;
}

/// What the two roofs say of b tokens at a time; and at which b they meet.
void predict_batches(Lab& lab, const Transformer& model, const std::vector<std::size_t>& sizes, const Roofline& roofs) {
  const TransformerShape& shape = model.shape();
  Decoder one(shape, 1, batch_context);
  one.ledger.begin_pass();
  one.step(model);
  const double flops = one.ledger.end_pass().work(is_any).flops;
  const double arithmetic = roofs.peak_gflops * 1e9 / flops;  // tokens/s
  const double weights = decode_bytes(shape, 0), cache = decode_bytes(shape, batch_context + 1) - weights;
  Series by_bytes = {"batch_bytes", "what the bytes allow", Kind::modelled, {"batch", "1"}, {"speed", "tokens/s"}};
  Series by_flops = {
      "batch_flops", "what the arithmetic allows", Kind::modelled, {"batch", "1"}, {"speed", "tokens/s"}};
  for (std::size_t batch : sizes) {
    const double b = static_cast<double>(batch);
    by_bytes.points.emplace_back(b, b * roofs.bandwidth_gbs * 1e9 / (weights + b * cache));
    by_flops.points.emplace_back(b, arithmetic);
  }
  lab.add(std::move(by_bytes));
  lab.add(std::move(by_flops));
  // b / arithmetic = (weights + b · cache) / bandwidth
  const double per_token = roofs.bandwidth_gbs * 1e9 / arithmetic - cache;
  if (per_token > 0) {
    add_counted(lab, "batch_at_ridge_predicted", weights / per_token);
  } else {
    lab.note("the caches of a batch alone keep memory busier than its arithmetic: no batch reaches the ridge");
  }
}

void measure_batches(Lab& lab, const Transformer& model, const Roofline& roofs) {
  const std::vector<std::size_t> sizes = batch_sizes(lab, model.shape());
  predict_batches(lab, model, sizes, roofs);
  lab.begin("batch");
  std::vector<Decoder> decoders;
  decoders.reserve(sizes.size());
  std::vector<Variant> variants;
  for (std::size_t batch : sizes) {
    Decoder& decoder = decoders.emplace_back(model.shape(), batch, batch_context);
    variants.push_back(timed(std::to_string(batch), [&decoder, &model] { decoder.step(model); }));
  }
  Plan plan = lab.plan();
  plan.warm_seconds = 0;
  plan.minimum_rounds = 3;
  const Sampling times = sample_interleaved(variants, plan);

  Series series = {"batch_speed", "measured", Kind::measured, {"batch", "1"}, {"speed", "tokens/s"}};
  Series latency = {"batch_latency", "time for one token each", Kind::measured, {"batch", "1"}, {"time", "ms"}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double b = static_cast<double>(sizes[i]);
    series.points.emplace_back(b, transform(times.seconds[i], [&](double s) { return b / s; }));
    latency.points.emplace_back(b, transform(times.seconds[i], [](double s) { return 1e3 * s; }));
  }
  const std::string largest = std::to_string(sizes.back());
  const double b = static_cast<double>(sizes.back());
  const Estimate gain = transform(times.ratio("1", largest), [&](double r) { return r * b; });
  lab.add(Value("batch_gain", gain, "1", "speed at the largest batch over that at one"));
  lab.add(Value("largest_batch", b, "1"));
  if (sizes.back() >= 16) {
    lab.add(Value("batch_16_gain", transform(times.ratio("1", "16"), [](double r) { return 16 * r; }), "1"));
    lab.add(Value("batch_16_latency", times.ratio("16", "1"), "1"));
  }
  lab.add(Value("batched_tokens_per_s", series.points.back().y, "tokens/s"));
  // Where the line of one token at a time, drawn on, reaches the speed of the largest batch.
  add_derived(lab, "batch_at_ridge_measured", gain.median);
  lab.add(std::move(series));
  lab.add(std::move(latency));
  lab.plot("Tokens per second over batch", {"batch_speed", "batch_bytes", "batch_flops"});
}

// ---- What it costs to forget ----

void add_cache_predictions(Lab& lab, const TransformerShape& shape, const std::vector<std::size_t>& lengths,
                           const std::vector<double>& flops_without, const Roofline& roofs) {
  const Axis axis = {"tokens so far", "1"}, time = {"time for one token", "ms"};
  Series with = {"token_with_cache_predicted", "predicted with the cache", Kind::modelled, axis, time};
  Series without = {"token_without_cache_predicted", "predicted without it", Kind::modelled, axis, time};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double n = static_cast<double>(lengths[i]);
    with.points.emplace_back(n, 1e3 * decode_bytes(shape, n) / (roofs.bandwidth_gbs * 1e9));
    const Work work = {flops_without[i], decode_bytes(shape, 0), 0};
    without.points.emplace_back(n, 1e3 * roofs.seconds(work));
  }
  lab.add(std::move(with));
  lab.add(std::move(without));
}

/// A token after n − 1 others: from the cache, or by running all n through the network again.
void measure_kv_cache(Lab& lab, const Transformer& model, std::span<const int> text, const Roofline& roofs) {
  lab.begin("KV cache");
  const TransformerShape& shape = model.shape();
  const std::size_t longest = std::min<std::size_t>(shape.context, lab.quick() ? 512 : 1024);
  std::vector<std::size_t> lengths;
  for (std::size_t n = std::max<std::size_t>(longest / 16, 2); n <= longest; n *= 2) lengths.push_back(n);

  KvCache cache(shape, 1, longest);
  Activations all(shape, 1, longest, longest, Activations::Keep::latest_layer);
  Activations one(shape, 1, 1, longest, Activations::Keep::latest_layer);
  Ledger ledger;
  std::vector<Variant> variants;
  std::vector<double> flops_without;
  for (std::size_t n : lengths) {
    const Batch last = {text.subspan(n - 1, 1), 1, n - 1}, whole = {text.first(n), 1, 0};
    variants.push_back(timed("with " + std::to_string(n), [&, last] { model.forward(last, cache, one, ledger); }));
    variants.push_back(timed("without " + std::to_string(n), [&, whole] { model.forward(whole, cache, all, ledger); }));
    const double d = static_cast<double>(shape.width), t = static_cast<double>(n);
    const double layers = static_cast<double>(shape.layers);
    flops_without.push_back(2 * layers * t * d * (12 * d + 2 * t) + 2 * d * static_cast<double>(shape.vocabulary));
  }
  add_cache_predictions(lab, shape, lengths, flops_without, roofs);
  Plan plan = lab.plan();
  plan.warm_seconds = 0;
  plan.minimum_rounds = lab.quick() ? 2 : 5;
  const Sampling times = sample_interleaved(variants, plan);

  const Axis axis = {"tokens so far", "1"}, time = {"time for one token", "ms"};
  Series with = {"token_with_cache", "with the cache", Kind::measured, axis, time};
  Series without = {"token_without_cache", "without the cache", Kind::measured, axis, time};
  const auto ms = [](double s) { return 1e3 * s; };
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    with.points.emplace_back(static_cast<double>(lengths[i]), transform(times.seconds[2 * i], ms));
    without.points.emplace_back(static_cast<double>(lengths[i]), transform(times.seconds[2 * i + 1], ms));
  }
  lab.add(std::move(with));
  lab.add(std::move(without));
  const std::size_t n = std::min<std::size_t>(longest, 512);
  const std::string with_n = "with " + std::to_string(n), without_n = "without " + std::to_string(n);
  lab.add(Value("kv_cache_tokens", static_cast<double>(n), "1"));
  lab.add(Value("kv_cache_gain", times.ratio(without_n, with_n), "1"));
  lab.add(Value("token_with_cache_ms", transform(times.of(with_n), ms), "ms"));
  lab.add(Value("token_without_cache_ms", transform(times.of(without_n), ms), "ms"));
  add_counted(lab, "kv_cache_bytes_per_token", static_cast<double>(shape.cache_bytes_per_token()), "B");
  add_counted(lab, "kv_cache_bytes_of_context", static_cast<double>(shape.cache_bytes_per_token() * shape.context),
              "B");
  lab.plot("Time for one token over the tokens before it", {"token_with_cache", "token_without_cache"});
}

// ---- Which sentences hold here? ----

void decide_claims(Lab& lab) {
  const auto claim = [&](const char* id, const char* text, const char* value, const char* bound) {
    lab.add(Claim(id, text, lab.value(value), bound));
  };
  claim("products-have-the-flops",
        "Of the FLOPs with which a transformer reads a prompt, more than 95 in 100 are in matrix products.",
        "matmul_flop_share_prefill", "> 0.95");
  claim("the-rest-takes-more-than-its-share",
        "What is not a matrix product takes at least twice the share of the time that it has of the FLOPs.",
        "rest_time_over_flop_share_prefill", ">= 2");
  claim("count-does-not-tell-time",
        "For the same product of matrices on the same core, the library is at least twenty times as fast as the triple "
        "loop.",
        "naive_over_library_1024", ">= 20");
  claim("prefill-computes", "Reading a prompt reaches at least half of the peak.", "prefill_peak_share", ">= 0.5");
  claim("training-computes", "A training step reaches at least two fifths of the peak.", "training_peak_share",
        ">= 0.4");
  claim("decode-waits", "Writing one token at a time uses less than a tenth of the arithmetic there is.",
        "decode_peak_share", "< 0.1");
  claim("decode-is-reading",
        "Writing a token takes at most half as long again as reading every weight once and doing nothing with it.",
        "decode_over_reading", "<= 1.5");
  claim("cache-pays", "With the KV cache the next token takes less than a fifth of the time.", "kv_cache_gain", "> 5");
  if (lab.results().complete && lab.value("largest_batch") >= 16) {
    claim("batch-pays", "Sixteen readers are served at least three times as fast, in all, as one.", "batch_16_gain",
          ">= 3");
  }
}

void measure_workload(Lab& lab) {
  Blas& blas = Blas::get();  // before any thread is started
  if (!blas.is_library()) lab.note("no OpenBLAS: plain loops on one core stand in for the library");
  const Roofline roofs = measure_roofs(lab);
  const double gflops = measure_triple_loop(lab, blas);

  lab.begin("checking the networks");
  const Sizes sizes = choose(lab, gflops);
  Networks networks(sizes);
  check(networks);
  measure_passes(lab, networks, sizes, roofs);
  networks.forget_training();
  measure_batches(lab, networks.transformer(), roofs);
  measure_kv_cache(lab, networks.transformer(), networks.text(), roofs);
  decide_claims(lab);
}

}  // namespace
}  // namespace hf::workload

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "00-workload",
                            .title = "The workload",
                            .steps = {{"roofs", 0.6, 4},
                                      {"triple loop", 1.6, 8},
                                      {"checking the networks", 3, 4},
                                      {"where the time goes", 4, 34},
                                      {"batch", 2, 14},
                                      {"KV cache", 2, 14}}};
  return hf::run_lab(info, argc, argv, hf::workload::measure_workload);
}

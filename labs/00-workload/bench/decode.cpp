// Generates one token: for many users at once, and with and without the KV cache.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "00-workload/bench/steps.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/roof_runs.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/work.hpp"

namespace hf::workload {
namespace {

const Axis batch_axis = {"batch", "1"}, speed_axis = {"speed", "tokens/s"};
const Axis length_axis = {"tokens so far", "1"}, token_axis = {"time for one token", "ms"};

/// Tokens in the cache of each user of a batch.
constexpr std::size_t batch_context = 32;

/// Generates one token at a time for some users, each with batch_context earlier tokens.
struct Decoder {
  KvCache cache;
  Activations activations;
  std::vector<int> tokens;
  Ledger ledger;

  Decoder(const TransformerShape& shape, std::size_t readers)
      : cache(shape, readers, batch_context + 1),
        activations(shape, readers, 1, batch_context + 1, Activations::Keep::latest_layer),
        tokens(readers, 1) {}

  void step(const Transformer& model) {
    model.forward({tokens, tokens.size(), batch_context}, cache, activations, ledger);
  }
};

/// A plan with few long samples, for code that waits for memory.
Plan plan_of(const Lab& lab, int minimum_rounds) {
  Plan plan = lab.memory_plan();
  plan.warm_seconds = 0;
  plan.sample_seconds = 5e-3;
  plan.minimum_rounds = minimum_rounds;
  return plan;
}

// ---- One token for each of many users ----

/// Returns 1, 2, 4… users, up to the limits of the budget and of memory.
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

/// Returns the FLOPs of one token for one user, counted by running it.
double flops_of_token(const Transformer& model) {
  Decoder one(model.shape(), 1);
  one.ledger.begin_pass();
  one.step(model);
  return one.ledger.end_pass().work([](OperatorClass) { return true; }).flops;
}

/// Times one token for each user, with the roofs. A variant is named by its number of users: "16".
Sampling time_batches(const Lab& lab, const Transformer& model, const std::vector<std::size_t>& sizes,
                      RoofRuns& roofs) {
  std::vector<Decoder> decoders;
  decoders.reserve(sizes.size());
  std::vector<Variant> variants = roofs.variants();
  for (std::size_t readers : sizes) {
    Decoder& decoder = decoders.emplace_back(model.shape(), readers);
    variants.push_back(timed(std::to_string(readers), [&decoder, &model] { decoder.step(model); }));
  }
  return sample_interleaved(variants, plan_of(lab, 3));
}

/// Adds the speeds that the two roofs of the same rounds allow for b tokens at a time, and the b at which they meet.
void add_batch_roofs(Lab& lab, const Transformer& model, const std::vector<std::size_t>& sizes, const Roofline& roofs) {
  const TransformerShape& shape = model.shape();
  const double arithmetic = roofs.peak_gflops * 1e9 / flops_of_token(model), bandwidth = roofs.bandwidth_gbs * 1e9;
  const double weights = shape.decode_bytes(0), cache = shape.decode_bytes(batch_context + 1) - weights;
  Series by_bytes = {"batch_bytes", "what the bytes allow", Kind::modelled, batch_axis, speed_axis};
  Series by_flops = {"batch_flops", "what the arithmetic allows", Kind::modelled, batch_axis, speed_axis};
  for (std::size_t size : sizes) {
    const double b = static_cast<double>(size);
    by_bytes.points.emplace_back(b, b * bandwidth / (weights + b * cache));
    by_flops.points.emplace_back(b, arithmetic);
  }
  lab.add(std::move(by_bytes));
  lab.add(std::move(by_flops));
  // b / arithmetic = (weights + b · cache) / bandwidth
  const double per_token = bandwidth / arithmetic - cache;
  if (per_token <= 0) {
    return lab.note("reading a batch's caches alone takes longer than its arithmetic, so no batch reaches the ridge");
  }
  lab.modelled("batch_at_ridge_predicted", weights / per_token);
}

// ---- The KV cache ----

/// Returns the lengths of text at which the last token is timed: the longest that the model and the budget allow, half
/// of it, and so on.
std::vector<std::size_t> text_lengths(const Lab& lab, const TransformerShape& shape) {
  const std::size_t longest = std::min<std::size_t>(shape.context, lab.quick() ? 512 : 1024);
  std::vector<std::size_t> lengths;
  for (std::size_t n = std::max<std::size_t>(longest / 16, 2); n <= longest; n *= 2) lengths.push_back(n);
  return lengths;
}

/// Times the last of n tokens, with the roofs: "with 512" uses the cache, "without 512" runs all tokens.
Sampling time_kv_cache(const Lab& lab, const Transformer& model, std::span<const int> text,
                       const std::vector<std::size_t>& lengths, RoofRuns& roofs) {
  const TransformerShape& shape = model.shape();
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  KvCache cache(shape, 1, longest);
  Activations all(shape, 1, longest, longest, Activations::Keep::latest_layer);
  Activations one(shape, 1, 1, longest, Activations::Keep::latest_layer);
  Ledger ledger;
  std::vector<Variant> variants = roofs.variants();
  for (std::size_t n : lengths) {
    const std::string tokens = std::to_string(n);
    const Batch last = {text.subspan(n - 1, 1), 1, n - 1}, whole = {text.first(n), 1, 0};
    variants.push_back(timed("with " + tokens, [&, last] { model.forward(last, cache, one, ledger); }));
    variants.push_back(timed("without " + tokens, [&, whole] { model.forward(whole, cache, all, ledger); }));
  }
  return sample_interleaved(variants, plan_of(lab, lab.quick() ? 2 : 5));
}

void add_predicted_tokens(Lab& lab, const TransformerShape& shape, const std::vector<std::size_t>& lengths,
                          const Roofline& roofs) {
  Series with = {"token_with_cache_predicted", "predicted with the cache", Kind::modelled, length_axis, token_axis};
  Series without = {"token_without_cache_predicted", "predicted without it", Kind::modelled, length_axis, token_axis};
  for (std::size_t length : lengths) {
    const double n = static_cast<double>(length);
    with.points.emplace_back(n, 1e3 * shape.decode_bytes(n) / (roofs.bandwidth_gbs * 1e9));
    without.points.emplace_back(n, 1e3 * roofs.seconds({shape.product_flops(length), shape.decode_bytes(0), 0}));
  }
  lab.add(std::move(with));
  lab.add(std::move(without));
}

}  // namespace

void measure_batches(Lab& lab, Shared& shared) {
  const Transformer& model = shared.networks->transformer();
  RoofRuns& runs = *shared.roof_runs;
  const std::vector<std::size_t> sizes = batch_sizes(lab, model.shape());
  const Sampling sampling = lab.in_one_state(time_batches(lab, model, sizes, runs), RoofRuns::ids());
  add_batch_roofs(lab, model, sizes, runs.roofs(sampling));
  lab.add(Value("bandwidth_during_batches_gbs", runs.read_gbs(sampling), "GB/s",
                "DRAM bandwidth, all cores, in the same rounds"));
  Series speed = {"batch_speed", "measured", Kind::measured, batch_axis, speed_axis};
  for (std::size_t size : sizes) {
    const double b = static_cast<double>(size);
    const Estimate& seconds = sampling.of(std::to_string(size));
    speed.points.emplace_back(b, transform(seconds, [b](double s) { return b / s; }));
  }
  const double largest = static_cast<double>(sizes.back());
  const Estimate gain = times(sampling.ratio("1", std::to_string(sizes.back())), largest);
  lab.add(Value("largest_batch", largest, "1"));
  if (sizes.back() >= 16) {
    lab.add(Value("batch_16_gain", times(sampling.ratio("1", "16"), 16), "1"));
    lab.add(Value("batch_16_latency", sampling.ratio("16", "1"), "1"));
  }
  // The batch at which the line through the speed of one token at a time reaches the speed of the largest batch.
  lab.derived("batch_at_ridge_measured", gain.median);
  lab.add(std::move(speed));
}

/// Times a token after n − 1 others: with the cache, or by running all n through the network again.
void measure_kv_cache(Lab& lab, Shared& shared) {
  const Transformer& model = shared.networks->transformer();
  RoofRuns& runs = *shared.roof_runs;
  const TransformerShape& shape = model.shape();
  const std::vector<std::size_t> lengths = text_lengths(lab, shape);
  const Sampling sampling =
      lab.in_one_state(time_kv_cache(lab, model, shared.networks->text(), lengths, runs), RoofRuns::ids());
  add_predicted_tokens(lab, shape, lengths, runs.roofs(sampling));
  Series with = {"token_with_cache", "with the cache", Kind::measured, length_axis, token_axis};
  Series without = {"token_without_cache", "without the cache", Kind::measured, length_axis, token_axis};
  for (std::size_t length : lengths) {
    const std::string n = std::to_string(length);
    with.points.emplace_back(static_cast<double>(length), times(sampling.of("with " + n), 1e3));
    without.points.emplace_back(static_cast<double>(length), times(sampling.of("without " + n), 1e3));
  }
  lab.add(std::move(with));
  lab.add(std::move(without));
  const std::size_t tokens = std::min<std::size_t>(lengths.back(), 512);
  const std::string n = std::to_string(tokens);
  lab.add(Value("kv_cache_tokens", static_cast<double>(tokens), "1"));
  lab.add(Value("token_with_cache_ms", times(sampling.of("with " + n), 1e3), "ms"));
  lab.add(Value("token_without_cache_ms", times(sampling.of("without " + n), 1e3), "ms"));
  const double bytes = static_cast<double>(shape.cache_bytes_per_token());
  lab.modelled("kv_cache_bytes_per_token", bytes, "B");
  lab.modelled("kv_cache_bytes_of_context", bytes * static_cast<double>(shape.context), "B");
}

}  // namespace hf::workload

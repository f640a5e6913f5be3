#include "00-workload/bench/decode_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/roof_runs.hpp"
#include "harness/sampling.hpp"

namespace hf::workload {
namespace {

/// One token at a time for some readers, each with as many tokens before.
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

/// A plan for few long samples of what waits for memory.
Plan plan_of(const Lab& lab, int minimum_rounds) {
  Plan plan = lab.memory_plan();
  plan.warm_seconds = 0;
  plan.sample_seconds = 5e-3;
  plan.minimum_rounds = minimum_rounds;
  return plan;
}

}  // namespace

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

double flops_of_token(const Transformer& model) {
  Decoder one(model.shape(), 1);
  one.ledger.begin_pass();
  one.step(model);
  return one.ledger.end_pass().work([](OperatorClass) { return true; }).flops;
}

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

std::vector<std::size_t> text_lengths(const Lab& lab, const TransformerShape& shape) {
  const std::size_t longest = std::min<std::size_t>(shape.context, lab.quick() ? 512 : 1024);
  std::vector<std::size_t> lengths;
  for (std::size_t n = std::max<std::size_t>(longest / 16, 2); n <= longest; n *= 2) lengths.push_back(n);
  return lengths;
}

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

}  // namespace hf::workload

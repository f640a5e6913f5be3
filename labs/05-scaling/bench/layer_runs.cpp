#include "05-scaling/bench/layer_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/check/layer_reference.hpp"
#include "05-scaling/kernels/chip/layer.hpp"
#include "common/rounded.hpp"
#include "common/verify.hpp"
#include "harness/lab.hpp"
#include "harness/roof_runs.hpp"
#include "harness/sampling.hpp"
#include "harness/shared_array.hpp"
#include "harness/statistics.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

/// Weights, and caches that all runs of a shape share.
struct Stack {
  LayerWeights weights;
  std::unique_ptr<GroupedCache> cache;  ///< null where no run needs one

  Stack(const LayerShape& shape, std::size_t layers, const std::vector<LayerRun>& runs) : weights(shape, layers) {
    std::size_t readers = 0, positions = 0;
    for (const LayerRun& run : runs) {
      if (run.shape.kv_heads != shape.kv_heads || run.positions == 0) continue;
      readers = std::max(readers, run.readers);
      positions = std::max(positions, run.positions);
    }
    if (readers > 0) cache = std::make_unique<GroupedCache>(shape, layers, readers, positions);
  }

  LayerStep step(const LayerRun& run) {
    return run.positions == 0 ? LayerStep(weights, run.readers)
                              : LayerStep(weights, *cache, run.readers, run.positions - 1);
  }
};

void check(const Stack& stack, const LayerRun& run, LayerStep& step) {
  step.run();
  const std::size_t c = run.shape.width, last = run.readers - 1, context = run.positions == 0 ? 0 : run.positions - 1;
  const GroupedCache* cache = run.positions == 0 ? nullptr : stack.cache.get();
  const std::vector<Rounded> right =
      reference_layers(stack.weights, cache, last, context, step.input().subspan(last * c, c));
  verify(worst_error_share(step.output().subspan(last * c, c), right), "the layer for " + run.id());
}

}  // namespace

std::string LayerRun::id() const {
  std::string id = std::to_string(readers) + (readers == 1 ? " reader" : " readers");
  if (positions == 0) return id;
  return id + " of " + std::to_string(positions) + " tokens, " + std::to_string(shape.kv_heads) + " KV heads";
}

double LayerRun::intensity() const {
  const Work a = tokens(), b = attention();
  return (a.flops + b.flops) / (a.bytes + b.bytes);
}

double ridge_batch(const LayerShape& shape, const Roofline& roofs) {
  // b · flops / peak = (weights + b · token) / bandwidth
  const Work one = token_work(shape, 1), two = token_work(shape, 2);
  const double token = two.bytes - one.bytes, weights = one.bytes - token;
  return weights / (one.flops / roofs.ridge() - token);
}

std::size_t layers_past_caches(const LayerShape& shape) {
  const std::size_t bytes = sizeof(float) * shape.parameters();
  return std::clamp<std::size_t>((default_dram_bytes() + bytes - 1) / bytes, 2, 12);
}

LayerTimes time_layers(Lab& lab, const std::vector<LayerRun>& runs) {
  const std::size_t layers = layers_past_caches(runs.front().shape);
  std::map<std::size_t, Stack> stacks;  // by KV heads
  std::vector<LayerStep> steps;
  steps.reserve(runs.size());
  for (const LayerRun& run : runs) {
    Stack& stack = stacks.try_emplace(run.shape.kv_heads, run.shape, layers, runs).first->second;
    check(stack, run, steps.emplace_back(stack.step(run)));
    lab.tick();
  }
  RoofRuns roofs(layers * sizeof(float) * runs.front().shape.parameters());
  std::vector<Variant> variants = roofs.variants();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    variants.push_back(timed(runs[i].id(), [&step = steps[i]] { step.run(); }));
  }
  Plan plan = lab.memory_plan();
  plan.sample_seconds = 5e-3;
  plan.warm_seconds = 0;  // weights and caches come from memory each time
  plan.budget_seconds = lab.seconds_left();
  Sampling sampling = lab.in_one_state(sample_interleaved(variants, plan), RoofRuns::ids());
  std::vector<Estimate> seconds;
  for (const LayerRun& run : runs) {
    seconds.push_back(transform(sampling.of(run.id()), [layers](double s) { return s / static_cast<double>(layers); }));
  }
  const Estimate peak = roofs.peak_gflops(sampling), read = roofs.read_gbs(sampling);
  return {std::move(sampling), std::move(seconds), peak, read};
}

}  // namespace hf::scaling

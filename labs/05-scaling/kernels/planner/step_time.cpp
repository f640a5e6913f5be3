#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "05-scaling/kernels/planner/planner.hpp"

namespace hf::scaling {
namespace {

constexpr double half = 2;  // bytes of bf16

/// One micro-batch on one chip.
struct Step {
  const Chip& chip;
  const TransformerShape& shape;
  const ParallelPlan& plan;
  const Constants& constants;

  double tokens() const { return plan.tokens(); }
  double seconds_for(double bytes) const { return bytes / (chip.bandwidth * constants.memory); }

  /// Returns the seconds of the products with an n_in × n_out matrix: `forward` forward ones, and two backward, for
  /// the gradients of its input and of its weights.
  double matrix(double rows, double n_in, double n_out, int forward, bool fp8) const {
    return forward * product_seconds(chip, {rows, n_out, n_in}, constants, fp8) +
           product_seconds(chip, {rows, n_in, n_out}, constants, fp8) +
           product_seconds(chip, {n_in, n_out, rows}, constants, fp8);
  }

  int forwards() const { return plan.recompute == Recompute::full ? 2 : 1; }
  int elementwise_forwards() const { return plan.recompute == Recompute::selective && plan.flash ? 2 : forwards(); }
  int attention_forwards() const { return plan.recompute == Recompute::none || plan.flash ? forwards() : 2; }

  double layer_products() const {
    const double heads = shape.heads * shape.head_size / plan.tensor;
    const double keys = 2 * std::max(shape.kv_heads / plan.tensor, 1.0) * shape.head_size;
    const double ffn = shape.ffn / plan.tensor;
    const double experts = shape.experts / plan.experts, rows = tokens() * shape.active / experts;
    const int last = plan.stops_early ? 1 : forwards();  // the recomputed result of the last one is unused
    return matrix(tokens(), shape.hidden, heads + keys, forwards(), plan.fp8) +
           matrix(tokens(), heads, shape.hidden, forwards(), plan.fp8) +
           experts * (matrix(rows, shape.hidden, (shape.gated ? 2 : 1) * ffn, forwards(), plan.fp8) +
                      matrix(rows, ffn, shape.hidden, last, plan.fp8));
  }

  /// Two products forward, four backward; fused attention repeats one of them, and skips the masked half.
  double attention() const {
    const double products = 2.0 * attention_forwards() + (plan.flash ? 5 : 4);
    const double flops = 2 * tokens() * plan.sequence * shape.heads * shape.head_size / plan.tensor;
    return plan.flash ? products * flops / 2 / (chip.matmul * flash_share)
                      : products * flops / (chip.matmul * constants.matmul);
  }

  /// Returns the bytes that a layer's element-wise work moves, backward twice as many as forward: each norm reads and
  /// writes once, each residual sum reads two and writes one, rotary embeddings and the activation read and write
  /// theirs. Unfused attention makes six passes over the scores: a product writes, softmax and dropout read and write,
  /// a product reads.
  double layer_bytes() const {
    const double passes = 2 + elementwise_forwards();
    const double cut = plan.sequence_parallel ? plan.tensor : 1;
    const double rotary = 2 * shape.head_size * (shape.heads + shape.kv_heads) / plan.tensor;
    const double activation = (shape.gated ? 3 : 2) * shape.active * shape.ffn / plan.tensor;
    const double sorted = shape.experts > 1 ? 4 * shape.active * shape.hidden / cut : 0;  // by expert, and back
    const double scores = plan.flash ? 0 : 6 * plan.sequence * shape.heads / plan.tensor;
    return half * tokens() *
           (passes * (10 * shape.hidden / cut + rotary + activation + sorted) + (2 + attention_forwards()) * scores);
  }

  /// Two pairs of collectives forward and two backward; half as many if both halves of a layer read the same input.
  double layer_tensor() const {
    const Wire wire = wire_between(chip, 1, plan.tensor, 1);
    const double pairs = (shape.parallel ? 1 : 2) * (1 + forwards());
    const double bytes = half * tokens() * shape.hidden;
    const double seconds = pairs * 2 * ring_seconds(wire, plan.tensor, bytes);
    return plan.overlap_tensor ? (1 - constants.hidden) * seconds : seconds;
  }

  /// Keys and values are gathered forward and backward; their gradients are scattered.
  double layer_context() const {
    const Wire wire = wire_between(chip, plan.tensor, plan.context, 1);
    const double keys = 2 * std::max(shape.kv_heads / plan.tensor, 1.0) * shape.head_size;
    const double seconds = (2 + forwards()) * ring_seconds(wire, plan.context, half * tokens() * plan.context * keys);
    return plan.overlap_tensor ? (1 - constants.hidden) * seconds : seconds;
  }

  /// Each token's row goes to the chips of its experts and back, forward and backward.
  double layer_experts() const {
    if (plan.experts == 1) return 0;
    const Wire wire = wire_between(chip, plan.tensor, plan.experts, 1);
    const double bytes = half * tokens() / plan.tensor * shape.active * shape.hidden;
    const double bandwidth = wire.network ? chip.network : wire.bandwidth;
    const double away = (plan.experts - 1.0) / plan.experts;
    const double seconds = 2 * (1 + forwards()) * (away * bytes / bandwidth + (plan.experts - 1) * wire.latency);
    return plan.overlap_tensor ? (1 - constants.hidden) * seconds : seconds;
  }

  StepTime layer() const {
    return {.arithmetic = layer_products() + attention(),
            .memory = seconds_for(layer_bytes()),
            .tensor = layer_tensor() + layer_context() + layer_experts()};
  }

  /// The last layer and the loss: fp32 logits are written, read twice and turned into gradients.
  StepTime head() const {
    const double vocabulary = shape.vocabulary / plan.tensor;
    return {.arithmetic = matrix(tokens(), shape.hidden, vocabulary, 1, false),
            .memory = seconds_for(20 * tokens() * vocabulary)};
  }

  /// Returns the time of the slowest stage for one micro-batch.
  StepTime stage() const {
    const double most = layers_of_stage(plan, shape);
    const double last = shape.layers - (plan.pipeline - 1) * most + (plan.embedding_as_layer ? 1 : 0);
    const StepTime full = layer() * most, end = layer() * std::max(last, 0.0) + head();
    return full.total() > end.total() ? full : end;
  }

  /// For each piece of a stage, its output goes to the next stage and the gradient comes back.
  double sent_between_stages() const {
    if (plan.pipeline == 1) return 0;
    const Wire wire = wire_between(chip, plan.chips() / plan.pods / plan.pipeline, plan.pipeline, 1);
    const double bytes = half * tokens() * shape.hidden;
    const bool gathers = plan.send_shares && !plan.sequence_parallel;
    const double sent = bytes / (plan.send_shares || plan.sequence_parallel ? plan.tensor : 1);
    const double seconds = wire.latency + sent / std::min(wire.bandwidth, wire.network ? chip.network : chip.link) +
                           (gathers ? ring_seconds(wire_between(chip, 1, plan.tensor, 1), plan.tensor, bytes) : 0);
    return 2.0 * plan.interleave * seconds * (plan.overlap_pipeline ? 1 - constants.hidden : 1);
  }

  /// Returns how much of `seconds` of communication beside `room` seconds of work is not hidden: 1 − hidden of it, or
  /// the part that exceeds `room` if that is more.
  double shown(double seconds, double room) const {
    return plan.overlap_data ? std::max((1 - constants.hidden) * seconds, seconds - room) : seconds;
  }

  /// Returns how much communication of gradients and weights between chips with the same layers is not hidden in a step
  /// with `work` seconds of products and memory. With full sharding, weights are gathered before each layer, forward
  /// and backward, and their gradients scattered after it. Otherwise gradients are summed during the last backward pass
  /// and, if the optimiser's state is sharded, weights are gathered during the next forward pass.
  double replicas(double work) const {
    const int axes = std::max(1, chip.torus_axes - (plan.tensor > 1 ? 1 : 0));
    const int all = plan.sharers(), few = all / plan.experts;  // chips with the same layers, and with the same experts
    const Wire wire = wire_between(chip, plan.tensor, all, axes);
    const Wire far = wire_between(chip, plan.tensor * plan.experts, few, axes);
    const double experts = expert_weights_on_chip(plan, shape), micro_batches = plan.micro_batches();
    const double others = weights_on_chip(plan, shape) - experts;
    const auto ring = [&](double bytes_each, double share) {
      return ring_seconds(wire, all, bytes_each * others * share) +
             (experts > 0 ? ring_seconds(far, few, bytes_each * experts * share) : 0);
    };
    const Wire network = {chip.network, chip.network_latency, true};
    const double between =
        2 * ring_seconds(network, plan.pods, plan.gradient_bytes * updated_weights_on_chip(plan, shape));
    const double forward = work / (2 + forwards()), backward = work - forward;
    if (plan.sharding == Sharding::full) {
      const double layer = 1 / shape.layers, times = micro_batches * shape.layers;
      const double gather = times * ring(half, layer), scatter = times * ring(plan.gradient_bytes, layer);
      return shown(gather, forward) + shown(gather + scatter + between, backward);
    }
    const double last = backward / micro_batches, first = forward / micro_batches;
    const double summed = ring(plan.gradient_bytes, 1);
    if (plan.sharding == Sharding::none) return shown(2 * summed + between, last);
    return shown(summed + between, last) + shown(ring(half, 1), first);
  }

  /// Adam reads gradient, weight and two moments in fp32, and writes all but the gradient; then the weight in bf16.
  double optimizer() const { return seconds_for((7 * 4 + half) * updated_weights_on_chip(plan, shape)); }
};

}  // namespace

Wire wire_between(const Chip& chip, int stride, int size, int axes) {
  if (chip.torus_axes > 0) {
    if (stride * size <= chip.together) return {2 * chip.link * axes, chip.link_latency, false};
    return {chip.network, chip.network_latency, true};
  }
  const int in_node = std::clamp(chip.together / stride, 1, size);
  if (in_node == size) return {chip.link, chip.link_latency, false};
  const double nodes = std::ceil(static_cast<double>(size) / in_node);  // a ring leaves each node once
  const double latency = ((size - nodes) * chip.link_latency + (nodes - 1) * chip.network_latency) / (size - 1);
  return {std::min(chip.link, in_node * chip.network), latency, true};
}

double ring_seconds(const Wire& wire, int n, double bytes) {
  return n <= 1 ? 0 : (n - 1) * (wire.latency + bytes / n / wire.bandwidth);
}

StepTime StepTime::operator+(const StepTime& other) const {
  return {arithmetic + other.arithmetic, memory + other.memory, tensor + other.tensor, network + other.network,
          bubble + other.bubble};
}

StepTime StepTime::operator*(double factor) const {
  return {arithmetic * factor, memory * factor, tensor * factor, network * factor, bubble * factor};
}

const char* what_limits(const StepTime& time) {
  const std::array<std::pair<double, const char*>, 5> parts = {{{time.arithmetic, "arithmetic"},
                                                                {time.memory, "memory"},
                                                                {time.tensor, "tensor links"},
                                                                {time.network, "network"},
                                                                {time.bubble, "bubble"}}};
  return std::max_element(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.first < b.first; })->second;
}

double product_seconds(const Chip& chip, const Product& product, const Constants& constants, bool fp8) {
  const double m = product.m, n = product.n, k = product.k;
  double filled = 1;
  if (chip.units > 0) {
    const auto share = [&](double rows, double columns) {
      const double tiles = std::ceil(m / rows) * std::ceil(n / columns);
      return m * n / (rows * columns) / (std::ceil(tiles / chip.units) * chip.units);
    };
    filled = std::max(share(128, 256), share(256, 128));
  }
  const double arithmetic = 2 * m * n * k / ((fp8 ? chip.matmul8 : chip.matmul) * constants.matmul * filled);
  const double memory = half * (m * k + k * n + m * n) / chip.bandwidth;
  return std::max(arithmetic, memory);
}

double bubble_share(const ParallelPlan& plan) { return (plan.pipeline - 1) / (plan.micro_batches() * plan.interleave); }

StepTime step_time(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan,
                   const Constants& constants) {
  const Step step{chip, shape, plan, constants};
  // [begin: step]
  StepTime micro = step.stage();
  if (plan.pipeline == 1) micro = step.layer() * shape.layers + step.head();
  micro.network = step.sent_between_stages();
  StepTime time = micro * plan.micro_batches();
  time.bubble = time.total() * bubble_share(plan);
  time.network += step.replicas(time.arithmetic + time.memory);
  time.memory += step.optimizer();
  // [end: step]
  return time;
}

double mfu(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan, double seconds) {
  return shape.model_flops(plan.batch, plan.sequence) / (seconds * plan.chips() * chip.peak);
}

}  // namespace hf::scaling

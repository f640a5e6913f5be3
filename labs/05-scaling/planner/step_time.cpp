#include "05-scaling/planner/step_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "05-scaling/planner/chips.hpp"
#include "05-scaling/planner/parallel_plan.hpp"
#include "05-scaling/planner/transformer_shape.hpp"

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

  /// A matrix that turns n_in columns into n_out, forward once or twice, and backward for its input and its weights.
  double matrix(double n_in, double n_out, int forward) const {
    return forward * product_seconds(chip, {tokens(), n_out, n_in}, constants) +
           product_seconds(chip, {tokens(), n_in, n_out}, constants) +
           product_seconds(chip, {n_in, n_out, tokens()}, constants);
  }

  int forwards() const { return plan.recompute == Recompute::full ? 2 : 1; }
  int elementwise_forwards() const { return plan.recompute == Recompute::selective && plan.flash ? 2 : forwards(); }
  int attention_forwards() const { return plan.recompute == Recompute::none || plan.flash ? forwards() : 2; }

  double layer_products() const {
    const double heads = shape.heads * shape.head_size / plan.tensor;
    const double keys = 2 * std::max(shape.kv_heads / plan.tensor, 1.0) * shape.head_size;
    const double ffn = shape.ffn / plan.tensor;
    return matrix(shape.hidden, heads + keys, forwards()) + matrix(heads, shape.hidden, forwards()) +
           matrix(shape.hidden, (shape.gated ? 2 : 1) * ffn, forwards()) + matrix(ffn, shape.hidden, forwards());
  }

  /// Two products forward, four backward; fused attention does one of them again, and leaves out the masked half.
  double attention() const {
    const double products = 2.0 * attention_forwards() + (plan.flash ? 5 : 4);
    const double flops = 2 * tokens() * plan.sequence * shape.heads * shape.head_size / plan.tensor;
    return plan.flash ? products * flops / 2 / (chip.matmul * flash_share)
                      : products * flops / (chip.matmul * constants.matmul);
  }

  /// Bytes that a layer's element-wise work moves, backward twice as many as forward: each norm reads and writes once,
  /// each residual sum reads two and writes one, rotary embeddings and the activation read and write theirs; unfused,
  /// six passes over the scores: a product writes, softmax and dropout read and write, a product reads.
  double layer_bytes() const {
    const double passes = 2 + elementwise_forwards();
    const double cut = plan.sequence_parallel ? plan.tensor : 1;
    const double rotary = 2 * shape.head_size * (shape.heads + shape.kv_heads) / plan.tensor;
    const double activation = (shape.gated ? 3 : 2) * shape.ffn / plan.tensor;
    const double scores = plan.flash ? 0 : 6 * plan.sequence * shape.heads / plan.tensor;
    return half * tokens() *
           (passes * (10 * shape.hidden / cut + rotary + activation) + (2 + attention_forwards()) * scores);
  }

  /// Two pairs of collectives forward and two backward; half as many where both halves of a layer read the same input.
  double layer_tensor() const {
    const Wire wire = wire_between(chip, 1, plan.tensor, 1);
    const double pairs = (shape.parallel ? 1 : 2) * (1 + forwards());
    const double bytes = half * tokens() * shape.hidden;
    const double seconds = pairs * 2 * ring_seconds(wire, plan.tensor, bytes);
    return plan.overlap_tensor ? (1 - constants.hidden) * seconds : seconds;
  }

  /// Keys and values are gathered forward and backward, their gradients scattered.
  double layer_context() const {
    const Wire wire = wire_between(chip, plan.tensor, plan.context, 1);
    const double keys = 2 * std::max(shape.kv_heads / plan.tensor, 1.0) * shape.head_size;
    const double seconds = (2 + forwards()) * ring_seconds(wire, plan.context, half * tokens() * plan.context * keys);
    return plan.overlap_tensor ? (1 - constants.hidden) * seconds : seconds;
  }

  StepTime layer() const {
    return {.arithmetic = layer_products() + attention(),
            .memory = seconds_for(layer_bytes()),
            .tensor = layer_tensor() + layer_context()};
  }

  /// The last layer, and the loss: logits in fp32 are written, read twice and turned into gradients.
  StepTime head() const {
    const double vocabulary = shape.vocabulary / plan.tensor;
    return {.arithmetic = matrix(shape.hidden, vocabulary, 1), .memory = seconds_for(20 * tokens() * vocabulary)};
  }

  /// What the slowest stage does for one micro-batch.
  StepTime stage() const {
    const double most = layers_of_stage(plan, shape);
    const double last = shape.layers - (plan.pipeline - 1) * most + (plan.embedding_as_layer ? 1 : 0);
    const StepTime full = layer() * most, end = layer() * std::max(last, 0.0) + head();
    return full.total() > end.total() ? full : end;
  }

  /// A stage's output to the next one, and its gradient back, for each piece of the stage.
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

  /// Gradients and weights between chips that hold the same layers, for the whole step.
  double replicas() const {
    const int axes = std::max(1, chip.torus_axes - (plan.tensor > 1 ? 1 : 0));
    const Wire wire = wire_between(chip, plan.tensor, plan.sharers(), axes);
    const double weights = weights_on_chip(plan, shape);
    const auto ring = [&](double bytes_each, double elements) {
      return ring_seconds(wire, plan.sharers(), bytes_each * elements);
    };
    double seconds = 0;
    if (plan.sharding == Sharding::full) {  // each layer's weights twice for each micro-batch, then its gradients
      const double layer = weights / shape.layers;
      seconds = plan.micro_batches() * shape.layers * (2 * ring(half, layer) + ring(plan.gradient_bytes, layer));
    } else {
      const double back = plan.sharding == Sharding::optimizer ? half : plan.gradient_bytes;
      seconds = ring(plan.gradient_bytes, weights) + ring(back, weights);
    }
    const double shard = weights / plan.state_shards();
    const Wire between = {chip.network, chip.network_latency, true};
    return seconds + 2 * ring_seconds(between, plan.pods, plan.gradient_bytes * shard);
  }

  /// Adam: gradient, weight and both moments in fp32 are read, three written, and the weight in bf16.
  double optimizer() const { return seconds_for((7 * 4 + half) * weights_on_chip(plan, shape) / plan.state_shards()); }
};

}  // namespace

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

double product_seconds(const Chip& chip, const Product& product, const Constants& constants) {
  const double m = product.m, n = product.n, k = product.k;
  double filled = 1;
  if (chip.units > 0) {
    const auto share = [&](double rows, double columns) {
      const double tiles = std::ceil(m / rows) * std::ceil(n / columns);
      return m * n / (rows * columns) / (std::ceil(tiles / chip.units) * chip.units);
    };
    filled = std::max(share(128, 256), share(256, 128));
  }
  const double arithmetic = 2 * m * n * k / (chip.matmul * constants.matmul * filled);
  const double memory = half * (m * k + k * n + m * n) / chip.bandwidth;
  return std::max(arithmetic, memory);
}

double bubble_share(const ParallelPlan& plan) { return (plan.pipeline - 1) / (plan.micro_batches() * plan.interleave); }

double layers_of_stage(const ParallelPlan& plan, const TransformerShape& shape) {
  return std::ceil((shape.layers + (plan.embedding_as_layer ? 2 : 0)) / plan.pipeline);
}

double weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape) {
  const double ends = shape.vocabulary * shape.hidden * (plan.pipeline == 1 && !shape.tied ? 2 : 1);
  return (layers_of_stage(plan, shape) * shape.layer_weights() + ends) / plan.tensor;
}

StepTime step_time(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan,
                   const Constants& constants) {
  const Step step{chip, shape, plan, constants};
  // [begin: step]
  StepTime micro = step.stage();
  if (plan.pipeline == 1) micro = step.layer() * shape.layers + step.head();
  micro.network = step.sent_between_stages();
  StepTime time = micro * plan.micro_batches();
  time.bubble = time.total() * bubble_share(plan);
  const double apart = step.replicas(), room = time.arithmetic + time.memory;
  const double shown = std::max((1 - constants.hidden) * apart, apart - room);
  time.network += plan.overlap_data ? shown : apart;
  time.memory += step.optimizer();
  // [end: step]
  return time;
}

double mfu(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan, double seconds) {
  return shape.model_flops(plan.batch, plan.sequence) / (seconds * plan.chips() * chip.peak);
}

}  // namespace hf::scaling

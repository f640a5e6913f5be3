#include "05-scaling/kernels/planner/parallel_plan.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "05-scaling/kernels/planner/planner_data.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {

NLOHMANN_JSON_SERIALIZE_ENUM(Recompute, {{Recompute::none, "none"},
                                         {Recompute::selective, "selective"},
                                         {Recompute::full, "full"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Sharding,
                             {{Sharding::none, "none"}, {Sharding::optimizer, "optimizer"}, {Sharding::full, "full"}})
void take(const nlohmann::json& from, ParallelPlan& plan) {
  take(from, "tensor", plan.tensor), take(from, "context", plan.context), take(from, "data", plan.data);
  take(from, "pipeline", plan.pipeline), take(from, "pods", plan.pods), take(from, "experts", plan.experts);
  take(from, "interleave", plan.interleave), take(from, "microBatch", plan.micro_batch);
  take(from, "batch", plan.batch), take(from, "sequence", plan.sequence);
  take(from, "recompute", plan.recompute), take(from, "sharding", plan.sharding);
  take(from, "sequenceParallel", plan.sequence_parallel), take(from, "overlapTensor", plan.overlap_tensor);
  take(from, "overlapData", plan.overlap_data), take(from, "overlapPipeline", plan.overlap_pipeline);
  take(from, "sendShares", plan.send_shares), take(from, "flash", plan.flash), take(from, "fp8", plan.fp8);
  take(from, "embeddingAsLayer", plan.embedding_as_layer), take(from, "stopsEarly", plan.stops_early);
  take(from, "gradientBytes", plan.gradient_bytes);
}

namespace {

std::string text(double number) {
  const std::string all = std::to_string(static_cast<long long>(number));
  return number == std::floor(number) ? all : std::to_string(number);
}

void must_divide(const char* option, double divisor, double number, const std::string& of_what) {
  if (std::fmod(number, divisor) == 0) return;
  throw std::runtime_error(std::string(option) + " " + text(divisor) + ": does not divide " + of_what + ", " +
                           text(number));
}

/// Bytes that a layer keeps, nothing computed again but what recompute names.
double kept(const TransformerShape& shape, const ParallelPlan& plan) {
  const double queries = shape.heads * shape.head_size, keys = 2 * shape.kv_heads * shape.head_size;
  const double products = 2 * (queries + keys) + 2 * queries;  // what attention reads, and what it writes
  const double tensor = plan.sequence_parallel ? plan.tensor : 1;
  if (plan.flash && plan.recompute == Recompute::selective)  // the products' results alone
    return plan.tokens() *
           (4 * shape.hidden / tensor + (products + (shape.gated ? 4 : 2) * shape.active * shape.ffn) / plan.tensor);
  const bool scores = !plan.flash && plan.recompute == Recompute::none;
  const double norms = (shape.gated ? 8 : 10) * shape.hidden;  // what both read and write; two dropout masks
  const double perceptron = (shape.gated ? 6 : 4) * shape.active * shape.ffn;
  return plan.tokens() *
         (norms / tensor + (products + perceptron + (scores ? 5 * shape.heads * plan.sequence : 0)) / plan.tensor);
}

}  // namespace

void check_plan(const ParallelPlan& plan, const TransformerShape& shape) {
  must_divide("--tensor", plan.tensor, shape.heads, "the model's heads");
  must_divide("--context", plan.context, plan.sequence, "the sequence");
  must_divide("--expert", plan.experts, shape.experts, "the model's experts");
  must_divide("--expert", plan.experts, plan.sharers(), "the chips that hold the same layers");
  must_divide("--micro-batch times replicas,", plan.micro_batch * plan.replicas(), plan.batch, "the batch");
  const double slots = shape.layers + (plan.embedding_as_layer ? 2 : 0);
  if (plan.pipeline > shape.layers)
    throw std::runtime_error("--pipeline " + text(plan.pipeline) + ": at most the model's layers, " +
                             text(shape.layers));
  if (plan.interleave > std::ceil(slots / plan.pipeline))
    throw std::runtime_error("--interleave " + text(plan.interleave) + ": at most the layers of a stage, " +
                             text(std::ceil(slots / plan.pipeline)));
  if (plan.interleave > 1 && plan.pipeline == 1)
    throw std::runtime_error("--interleave " + text(plan.interleave) + ": needs a pipeline; give --pipeline");
  if (plan.sharding == Sharding::full && plan.pipeline > 1)
    throw std::runtime_error("--sharding full: gathers weights for each micro-batch; give --pipeline 1");
}

std::string short_name(const ParallelPlan& plan) {
  std::string name;
  const auto add = [&](const char* what, int ways) {
    if (ways == 1) return;
    if (!name.empty()) name += " ";
    name += what + std::to_string(ways);
  };
  add("t", plan.tensor);
  add("c", plan.context);
  add("e", plan.experts);
  add("p", plan.pipeline);
  add("v", plan.interleave);
  add(plan.sharding == Sharding::full ? "f" : "d", plan.data);
  add("pods ", plan.pods);
  return name.empty() ? "one chip" : name;
}

double layer_activations(const TransformerShape& shape, const ParallelPlan& plan) {
  if (plan.recompute != Recompute::full) return kept(shape, plan);
  return 2 * plan.tokens() * shape.hidden / (plan.sequence_parallel ? plan.tensor : 1);
}

MemoryUse memory_use(const TransformerShape& shape, const ParallelPlan& plan) {
  const double weights = weights_on_chip(plan, shape), experts = expert_weights_on_chip(plan, shape);
  const double state = (weights - experts) / plan.state_shards() + experts / plan.expert_state_shards();
  const bool full = plan.sharding == Sharding::full;
  const double layer = (shape.layer_weights() - shape.expert_weights() * (1 - 1.0 / plan.experts)) / plan.tensor;
  const double gathered = full ? 2 * layer : 0, held = full ? state : weights;
  const double under_way = std::min(plan.micro_batches(), static_cast<double>(plan.pipeline));
  const double pieces = plan.interleave > 1 ? 1 + (plan.pipeline - 1.0) / (plan.pipeline * plan.interleave) : 1;
  double activations = layers_of_stage(plan, shape) * under_way * pieces * layer_activations(shape, plan);
  if (plan.recompute == Recompute::full) activations += kept(shape, plan);  // the layer that is being redone
  if (plan.pipeline == 1) activations += 4 * plan.tokens() * shape.vocabulary / plan.tensor;  // logits
  return {.weights = 2 * (held + gathered),
          .gradients = plan.gradient_bytes * held,
          .optimizer = 12 * state,
          .activations = activations};
}

}  // namespace hf::scaling

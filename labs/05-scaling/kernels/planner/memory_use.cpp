#include "05-scaling/kernels/planner/memory_use.hpp"

#include <algorithm>

#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {
namespace {

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

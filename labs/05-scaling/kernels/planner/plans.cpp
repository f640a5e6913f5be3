// A model's sizes, plans that fit them, how much memory a plan needs, and which plan is fastest.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"

namespace hf::scaling {

double TransformerShape::attention_weights() const { return hidden * head_size * (2 * heads + 2 * kv_heads); }

double TransformerShape::perceptron_weights() const { return hidden * ffn * (gated ? 3 : 2); }

double TransformerShape::expert_weights() const { return experts > 1 ? experts * perceptron_weights() : 0; }

double TransformerShape::layer_weights() const {
  return attention_weights() + experts * perceptron_weights() + (experts > 1 ? hidden * experts : 0);
}

double TransformerShape::parameters() const {
  const double norms = 2 * hidden;
  return layers * (layer_weights() + norms) + hidden + vocabulary * hidden * (tied ? 1 : 2);
}

double TransformerShape::model_flops(double batch, double sequence) const {
  const double attention = 4 * sequence * heads * head_size;  // per token and layer, forward
  const double weights = attention_weights() + active * perceptron_weights();
  return 3 * batch * sequence * (layers * (2 * weights + attention) + 2 * hidden * vocabulary);
}

double TransformerShape::recomputed_flops(double batch, double sequence) const {
  const double last_layer = 6 * batch * sequence * hidden * vocabulary;
  return (model_flops(batch, sequence) - last_layer) * 4 / 3 + last_layer;
}

TransformerShape gpt(const std::string& name, double layers, double hidden, double heads, double vocabulary) {
  return {name, layers, hidden, heads, heads, hidden / heads, 4 * hidden, false, vocabulary, true};
}

// ---- Plans ----

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

/// Returns the bytes that a layer keeps, unless all of it is recomputed.
double kept(const TransformerShape& shape, const ParallelPlan& plan) {
  const double queries = shape.heads * shape.head_size, keys = 2 * shape.kv_heads * shape.head_size;
  const double products = 2 * (queries + keys) + 2 * queries;  // attention's input and its output
  const double tensor = plan.sequence_parallel ? plan.tensor : 1;
  if (plan.flash && plan.recompute == Recompute::selective)  // only the products' results
    return plan.tokens() *
           (4 * shape.hidden / tensor + (products + (shape.gated ? 4 : 2) * shape.active * shape.ffn) / plan.tensor);
  const bool scores = !plan.flash && plan.recompute == Recompute::none;
  const double norms = (shape.gated ? 8 : 10) * shape.hidden;  // both norms' input and output; two dropout masks
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
  const double weights = weights_on_chip(plan, shape);
  const double state = updated_weights_on_chip(plan, shape);
  const bool full = plan.sharding == Sharding::full;
  const double layer = (shape.layer_weights() - shape.expert_weights() * (1 - 1.0 / plan.experts)) / plan.tensor;
  const double gathered = full ? 2 * layer : 0, held = full ? state : weights;
  const double under_way = std::min(plan.micro_batches(), static_cast<double>(plan.pipeline));
  const double pieces = plan.interleave > 1 ? 1 + (plan.pipeline - 1.0) / (plan.pipeline * plan.interleave) : 1;
  double activations = layers_of_stage(plan, shape) * under_way * pieces * layer_activations(shape, plan);
  if (plan.recompute == Recompute::full) activations += kept(shape, plan);  // the layer that is being recomputed
  if (plan.pipeline == 1) activations += 4 * plan.tokens() * shape.vocabulary / plan.tensor;  // logits
  return {.weights = 2 * (held + gathered),
          .gradients = plan.gradient_bytes * held,
          .optimizer = 12 * state,
          .activations = activations};
}

double layers_of_stage(const ParallelPlan& plan, const TransformerShape& shape) {
  return std::ceil((shape.layers + (plan.embedding_as_layer ? 2 : 0)) / plan.pipeline);
}

double expert_weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape) {
  return layers_of_stage(plan, shape) * shape.expert_weights() / (plan.tensor * plan.experts);
}

double weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape) {
  const double ends = shape.vocabulary * shape.hidden * (plan.pipeline == 1 && !shape.tied ? 2 : 1);
  const double others = layers_of_stage(plan, shape) * (shape.layer_weights() - shape.expert_weights()) + ends;
  return others / plan.tensor + expert_weights_on_chip(plan, shape);
}

double updated_weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape) {
  const double weights = weights_on_chip(plan, shape), experts = expert_weights_on_chip(plan, shape);
  if (plan.sharding == Sharding::none) return weights;
  const int copies = plan.sharers() / plan.experts;  // of each expert
  return (weights - experts) / plan.sharers() + experts / copies;
}

// ---- Search ----

namespace {

constexpr int most_tensor = 16, most_context = 16, most_experts = 64;  // chips of one group
// Software needs some memory for itself: no published plan on GPUs without offloading uses more than this share.
constexpr double usable_memory = 0.9;

std::vector<int> divisors(int number, int most) {
  std::vector<int> found;
  for (int one = 1; one <= std::min(number, most); ++one)
    if (number % one == 0) found.push_back(one);
  return found;
}

bool divides(double divisor, double number) { return std::fmod(number, divisor) == 0; }

/// Collects the fastest plans that fit, at most `most`.
struct Best {
  const Job& job;
  std::size_t most;
  const Allowed& allowed;
  std::vector<Candidate> found = {};

  void consider(const ParallelPlan& plan) {
    if (allowed && !allowed(plan)) return;
    const MemoryUse memory = memory_use(job.shape, plan);
    if (memory.total() > usable_memory * job.chip.capacity) return;
    const StepTime time = step_time(job.chip, job.shape, plan);
    const auto place =
        std::ranges::upper_bound(found, time.total(), {}, [](const Candidate& other) { return other.time.total(); });
    found.insert(place, {plan, time, memory});
    if (found.size() > most) found.pop_back();
  }
};

void vary_schedule(ParallelPlan plan, Best& best) {
  const double layers = layers_of_stage(plan, best.job.shape);
  for (const double micro : {1, 2, 4, 8, 16}) {
    plan.micro_batch = micro;
    if (!divides(micro * plan.replicas(), plan.batch)) continue;
    for (const int pieces : divisors(static_cast<int>(layers), plan.pipeline == 1 ? 1 : 64)) {
      if (pieces > 1 && !divides(plan.pipeline, plan.micro_batches())) continue;  // pieces would not interleave
      plan.interleave = pieces;
      for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        plan.recompute = recompute;
        best.consider(plan);
      }
    }
  }
}

}  // namespace

std::vector<Candidate> search_plans(const Job& job, std::size_t most, const Allowed& allowed) {
  Best best = {job, most, allowed};
  const bool torus = job.chip.torus_axes > 0;
  const int pods = torus ? (job.chips + job.chip.together - 1) / job.chip.together : 1;
  if (job.chips % pods != 0) return {};
  const int inside = job.chips / pods;
  ParallelPlan plan;
  plan.pods = pods, plan.batch = job.batch, plan.sequence = job.sequence, plan.overlap_tensor = true;
  plan.fp8 = job.fp8, plan.gradient_bytes = job.gradient_bytes;
  plan.stops_early = torus;  // XLA removes unused results
  for (const int tensor : divisors(inside, most_tensor)) {
    if (!divides(tensor, job.shape.heads)) continue;
    for (const int context : divisors(inside / tensor, most_context)) {
      if (!divides(context, job.sequence)) continue;
      for (const int pipeline : divisors(inside / tensor / context, torus ? 1 : static_cast<int>(job.shape.layers))) {
        plan.tensor = tensor, plan.context = context, plan.pipeline = pipeline;
        plan.data = inside / tensor / context / pipeline;
        for (const Sharding sharding : {Sharding::optimizer, Sharding::full}) {
          plan.sharding = sharding;
          if (sharding == Sharding::full && (pipeline > 1 || plan.sharers() == 1)) continue;
          for (const int experts : divisors(static_cast<int>(job.shape.experts), most_experts)) {
            if (!divides(experts, plan.sharers())) continue;
            plan.experts = experts;
            vary_schedule(plan, best);
          }
        }
      }
    }
  }
  return best.found;
}

std::vector<Candidate> fastest_by_chips(Job job, int most_chips, const Allowed& allowed) {
  std::vector<Candidate> found;
  for (job.chips = 1; job.chips <= most_chips; job.chips *= 2)
    for (const Candidate& one : search_plans(job, 1, allowed)) found.push_back(one);
  return found;
}

}  // namespace hf::scaling

#include "05-scaling/kernels/planner/parallel_plan.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {
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

}  // namespace hf::scaling

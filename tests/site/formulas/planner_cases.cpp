// The planner: wires, a step's time and memory under random plans, and the results of the search.
#include <stdexcept>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/planner.hpp"
#include "cases.hpp"

namespace hf::formulas {
namespace {

using namespace scaling;

const char* const recomputes[] = {"none", "selective", "full"};
const char* const shardings[] = {"none", "optimizer", "full"};

Json json_of(const ParallelPlan& plan) {
  return {{"tensor", plan.tensor},
          {"context", plan.context},
          {"data", plan.data},
          {"pipeline", plan.pipeline},
          {"pods", plan.pods},
          {"interleave", plan.interleave},
          {"microBatch", plan.micro_batch},
          {"batch", plan.batch},
          {"sequence", plan.sequence},
          {"recompute", recomputes[static_cast<int>(plan.recompute)]},
          {"sharding", shardings[static_cast<int>(plan.sharding)]}};
}

Json json_of(const StepTime& time) {
  return {{"arithmetic", time.arithmetic},
          {"memory", time.memory},
          {"tensor", time.tensor},
          {"network", time.network},
          {"bubble", time.bubble}};
}

Json json_of(const MemoryUse& memory) {
  return {{"weights", memory.weights},
          {"gradients", memory.gradients},
          {"optimizer", memory.optimizer},
          {"activations", memory.activations}};
}

/// As the search makes them: settings that it leaves at their default have no name on the site.
ParallelPlan random_plan(Dice& dice) {
  ParallelPlan plan;
  const int ways[] = {1, 1, 2, 3, 4, 8, 16};
  plan.tensor = dice.one_of(ways), plan.context = dice.one_of(ways), plan.pipeline = dice.one_of(ways);
  plan.data = static_cast<int>(dice.size(256)), plan.pods = dice.between(1, 4);
  plan.interleave = plan.pipeline > 1 ? dice.between(1, 4) : 1;
  plan.micro_batch = dice.between(1, 8);
  plan.batch = plan.micro_batch * plan.replicas() * dice.between(1, 64);
  plan.sequence = plan.context * 128 * dice.between(1, 64);
  plan.recompute = static_cast<Recompute>(dice.between(0, 2));
  plan.sharding = static_cast<Sharding>(dice.between(0, 2));
  plan.overlap_tensor = true;
  return plan;
}

/// The command line's first complaint, or nothing.
std::string complaint(const ParallelPlan& plan, const TransformerShape& shape) {
  try {
    check_plan(plan, shape);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// The site has no experts.
const std::vector<TransformerShape>& dense_models() {
  static const std::vector<TransformerShape> all = [] {
    std::vector<TransformerShape> dense;
    for (const TransformerShape& one : models())
      if (one.experts == 1) dense.push_back(one);
    return dense;
  }();
  return all;
}

Json step_case(Dice& dice) {
  const Chip& chip = dice.one_of(chips());
  const TransformerShape& shape = dice.one_of(dense_models());
  ParallelPlan plan = random_plan(dice);
  plan.stops_early = chip.torus_axes > 0;
  const StepTime time = step_time(chip, shape, plan);
  return {{"chip", chip.name},
          {"model", shape.name},
          {"plan", json_of(plan)},
          {"answer",
           {{"time", json_of(time)},
            {"memory", json_of(memory_use(shape, plan))},
            {"total", time.total()},
            {"mfu", mfu(chip, shape, plan, time.total())},
            {"limits", what_limits(time)},
            {"fits", complaint(plan, shape).empty()},
            {"name", short_name(plan)}}}};
}

/// Models that the reader types: layers, width, heads.
Json shape_case(Dice& dice) {
  const double heads = dice.between(1, 64), hidden = heads * 8 * dice.between(1, 32), layers = dice.between(1, 128);
  const double batch = dice.between(1, 4096), sequence = dice.between(1, 65536);
  const TransformerShape shape = gpt("mine", layers, hidden, heads);
  return {{"layers", layers},
          {"hidden", hidden},
          {"heads", heads},
          {"batch", batch},
          {"sequence", sequence},
          {"answer", {{"flops", shape.model_flops(batch, sequence)}, {"layer", shape.layer_weights()}}}};
}

Json wire_case(Dice& dice) {
  const Chip& chip = dice.one_of(chips());
  const int stride = static_cast<int>(dice.size(64)), size = static_cast<int>(dice.size(512)),
            axes = dice.between(1, 3);
  const Wire wire = wire_between(chip, stride, size, axes);
  const double bytes = dice.spread(1, 1e12);
  return {{"chip", chip.name},
          {"stride", stride},
          {"size", size},
          {"axes", axes},
          {"bytes", bytes},
          {"answer",
           {{"bandwidth", wire.bandwidth},
            {"latency", wire.latency},
            {"network", wire.network},
            {"ring", ring_seconds(wire, size, bytes)}}}};
}

Json product_case(Dice& dice) {
  const Chip& chip = dice.one_of(chips());
  const Product product = {dice.spread(1, 1e6), dice.spread(1, 1e5), dice.spread(1, 1e5)};
  return {{"chip", chip.name},
          {"m", product.m},
          {"n", product.n},
          {"k", product.k},
          {"answer", product_seconds(chip, product, fitted)}};
}

Json search_case(Dice& dice) {
  const int counts[] = {1, 6, 8, 16, 48, 64, 128, 256, 1000, 1024};
  const int batches[] = {8, 64, 96, 512, 1024, 2048};
  const int sequences[] = {1024, 2048, 8192};
  const Job job = {dice.one_of(chips()), dice.one_of(dense_models()), dice.one_of(counts),
                   static_cast<double>(dice.one_of(batches)), static_cast<double>(dice.one_of(sequences))};
  Json found = Json::array();
  for (const Candidate& candidate : search_plans(job, 5))
    found.push_back(
        {{"total", candidate.time.total()}, {"memory", candidate.memory.total()}, {"plan", json_of(candidate.plan)}});
  return {{"chip", job.chip.name}, {"model", job.shape.name},  {"chips", job.chips},
          {"batch", job.batch},    {"sequence", job.sequence}, {"answer", found}};
}

}  // namespace

Json planner_cases(Dice& dice) {
  return {{"step", many(dice, 3000, step_case)},
          {"shape", many(dice, 500, shape_case)},
          {"wire", many(dice, 1000, wire_case)},
          {"product", many(dice, 1000, product_case)},
          {"search", many(dice, 40, search_case)}};
}

}  // namespace hf::formulas

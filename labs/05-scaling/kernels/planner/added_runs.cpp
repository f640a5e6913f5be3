#include "05-scaling/kernels/planner/added_runs.hpp"

#include <cstddef>
#include <vector>

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/published_runs.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {
namespace {

using enum Speed;
using enum Recompute;
using Runs = std::vector<PublishedRun>;

Chip with_network(const char* name, double bytes_per_second) {
  Chip chip = scaling::chip(name);
  chip.network = bytes_per_second;
  return chip;
}

/// Gated, with a matrix of its own for the last layer: Llama 2 and those after it.
TransformerShape llama(const char* name, double layers, double hidden, double heads, double kv_heads, double ffn,
                       double vocabulary) {
  return {name, layers, hidden, heads, kv_heads, hidden / heads, ffn, true, vocabulary, false};
}

/// Replicas share what they share within groups of `group` chips, and only sum gradients between groups.
ParallelPlan sharded(Sharding sharding, int tensor, int group, int groups, double micro, double at_a_time,
                     double sequence, Recompute recompute) {
  ParallelPlan plan;
  plan.sharding = sharding, plan.tensor = tensor, plan.data = group, plan.pods = groups;
  plan.micro_batch = micro, plan.batch = micro * at_a_time * group * groups, plan.sequence = sequence;
  plan.recompute = recompute, plan.stops_early = true;  // XLA, and PyTorch's checkpoints from 2.1 on
  return plan;
}

/// Of each model and chip the newest number whose plan is said. 34b and 70b on A100s: "selective", but the hardware's
/// FLOPs are 4/3 of the model's, so all is computed again. The last four are from before torch.compile.
void add_fms_fsdp(Runs& runs) {
  const Chip a100 = with_network("a100", 6.25e9), h100 = with_network("h100", 12.5e9);  // 400 and 800 Gbit/s a node
  const TransformerShape b7 = llama("llama2-7b", 32, 4096, 32, 32, 11008, 32000),
                         b13 = llama("llama2-13b", 40, 5120, 40, 40, 13824, 32000),
                         b34 = llama("llama2-34b", 48, 8192, 64, 8, 22016, 32000),
                         b70 = llama("llama2-70b", 80, 8192, 64, 8, 28672, 32000);
  const auto add = [&](const Chip& chip, const TransformerShape& shape, bool within_node, double micro,
                       Recompute recompute, double tokens, double at_first) {
    const int chips = chip.name == "a100" ? 128 : 96, group = within_node ? 8 : chips;
    ParallelPlan plan = sharded(Sharding::full, 1, group, chips / group, micro, 1, 4096, recompute);
    plan.gradient_bytes = 2;  // reduce_dtype is bf16
    runs.push_back({"FM", chip, shape, plan, tokens_per_chip, tokens,
                    "over a slow network less shows than fitted; without torch.compile, which H100s had for 7b alone, "
                    "more of the element-wise work does",
                    at_first});
  };
  add(a100, b7, true, 2, none, 4550, 2.137);
  add(h100, b7, true, 2, none, 9600, 0.824);
  add(a100, b34, false, 2, full, 820, 13.05);
  add(a100, b70, false, 2, full, 410, 26.48);
  add(a100, b13, true, 1, none, 1700, 2.384);
  add(h100, b13, true, 1, none, 3700, 0.989);
  add(h100, b34, false, 8, full, 1700, 16.12);
  add(h100, b70, false, 6, full, 850, 25.03);
}

/// Of each of the tables' rows the runs on 8, 128 and 1024 chips. The optimiser's state is shared in a node, or among all:
/// on 8 chips that is the same.
void add_internlm(Runs& runs) {
  const Chip a100 = with_network("a100", 6.25e9);  // four links of 100 Gbit/s for eight chips
  const TransformerShape shape = llama("internlm-7b", 32, 4096, 32, 32, 11008, 103168);
  const auto add = [&](int chips, int tensor, bool within_node, double micro, double at_a_time, Recompute recompute,
                       double tokens, double at_first) {
    const int replicas = chips / tensor, group = within_node ? 8 / tensor : replicas;
    ParallelPlan plan =
        sharded(Sharding::optimizer, tensor, group, replicas / group, micro, at_a_time, 2048, recompute);
    plan.gradient_bytes = 2, plan.sequence_parallel = false, plan.stops_early = false;
    runs.push_back({"IL", a100, shape, plan, tokens_per_chip, tokens,
                    "not known: on 8 chips, where nothing leaves the node, as much is missed as on 128; on 1024 with "
                    "the optimiser's state shared among all, far more",
                    at_first});
  };
  const auto series = [&](int tensor, bool within_node, double micro, double at_a_time, Recompute recompute,
                          const std::vector<double>& tokens, const std::vector<double>& at_first) {
    int chips = tokens.size() == 3 ? 8 : 128;
    for (std::size_t i = 0; i < tokens.size(); ++i, chips *= chips == 8 ? 16 : 8)
      add(chips, tensor, within_node, micro, at_a_time, recompute, tokens[i], at_first[i]);
  };
  series(1, false, 2, 4, none, {3571, 2271}, {3.803, 3.810});
  series(1, true, 2, 4, none, {4078, 3928, 3625}, {3.539, 3.863, 3.883});
  series(2, false, 4, 4, none, {3308, 2785}, {4.082, 4.089});
  series(2, true, 4, 4, none, {3761, 3651, 3486}, {3.785, 4.109, 4.129});
  series(1, true, 8, 1, full, {3314, 3260, 3163}, {4.498, 4.822, 4.842});
  add(1024, 1, true, 4, 1, full, 2796, 2.676);
  add(1024, 1, true, 2, 1, full, 2341, 1.559);
  add(1024, 1, true, 2, 2, none, 2817, 2.154);
  add(1024, 1, true, 2, 1, none, 2346, 1.290);
}

/// All of its runs. Tensors' collectives do not run beside products.
void add_kempner_forge(Runs& runs) {
  Chip h200 = chip("h200");
  h200.together = 4;
  const TransformerShape b13 = llama("llama3-13b", 40, 5120, 40, 8, 17920, 128256);
  const auto add = [&](const TransformerShape& shape, int tensor, int data, double micro, double at_a_time,
                       double all_tokens, double at_first) {
    const ParallelPlan plan = sharded(Sharding::full, tensor, data, 1, micro, at_a_time, 4096, full);
    runs.push_back({"KF", h200, shape, plan, tokens, all_tokens,
                    "assumed: nothing that cuts tensors runs beside products", at_first});
  };
  const TransformerShape &b8 = model("llama3-8b"), &b70 = model("llama3-70b");
  add(b8, 1, 1, 2, 4, 10471, 3.550);
  add(b8, 1, 2, 2, 4, 18728, 3.726);
  add(b8, 2, 1, 4, 2, 13163, 1.918);
  add(b8, 1, 4, 4, 2, 38983, 3.649);
  add(b8, 4, 1, 4, 2, 25135, 1.124);
  add(b8, 2, 2, 4, 2, 25980, 1.955);
  add(b8, 4, 2, 4, 2, 44299, 1.306);
  add(b13, 1, 8, 4, 4, 35405, 14.10);
  add(b13, 4, 2, 4, 4, 27345, 4.669);
  add(b8, 4, 4, 4, 2, 82988, 1.398);
  add(b13, 4, 4, 4, 4, 53814, 5.014);
  add(b8, 4, 8, 4, 2, 155917, 1.444);
  add(b13, 4, 8, 4, 4, 104309, 5.188);
  add(b70, 4, 8, 2, 4, 17657, 14.60);
}

/// Of each model the smallest and the largest slice that use the same settings.
void add_trillium(Runs& runs) {
  const auto add = [&](const TransformerShape& shape, int chips, double per_chip, double sequence, double step,
                       double at_first) {
    ParallelPlan plan = sharded(Sharding::full, 1, chips, 1, per_chip, 1, sequence, full);
    runs.push_back(
        {"TV", chip("tpu-v6e"), shape, plan, seconds, step,
         "counted as if all were computed again; but for GPT-3, projections are kept in the host's memory instead",
         at_first});
  };
  const TransformerShape gpt3 = gpt("gpt3-175b", 96, 12288, 96, 50304);
  add(model("llama3-8b"), 8, 3, 8192, 3.443, 2.866);
  add(model("llama3-8b"), 256, 4, 8192, 4.546, 3.787);
  add(model("llama3-70b"), 256, 5, 8192, 42.656, 37.30);
  add(llama("mistral-7b", 32, 4096, 32, 8, 14336, 32000), 8, 6, 8192, 6.320, 5.382);
  add(llama("llama2-70b", 80, 8192, 64, 8, 28672, 32000), 256, 3, 4096, 9.052, 11.29);
  add(gpt3, 256, 3, 2048, 17.182, 14.66);
}

/// Products of 8-bit numbers, of dense models and of mixtures of experts whose expert groups lie inside the replicas;
/// and whose plan, as printed, fits; where two granularities of scaling are printed, the first. Below, a mixture in bf16.
void add_megatron_bridge(Runs& runs) {
  const char* const assumed =
      "assumed: nothing is computed again. What casting to 8 bits costs is not counted, nor what sorting tokens by "
      "expert costs beyond its bytes";
  const auto add = [&](const char* source, const char* chip_name, const char* model_name, int chips, ParallelPlan plan,
                       Speed speed, double value, double at_first) {
    plan.data = chips / plan.chips();
    plan.overlap_tensor = true, plan.gradient_bytes = 2;
    runs.push_back({source, chip(chip_name), model(model_name), plan, speed, value, assumed, at_first});
  };
  const auto fp8 = [&](const char* chip_name, const char* model_name, int chips, ParallelPlan plan, double tokens,
                       double at_first) {
    plan.fp8 = true;
    add("MB", chip_name, model_name, chips, plan, tokens_per_chip, tokens, at_first);
  };
  const Sharding all = Sharding::full;
  const ParallelPlan large = {
      .tensor = 8, .context = 2, .pipeline = 8, .interleave = 8, .sequence = 8192, .embedding_as_layer = true};
  const auto with = [](ParallelPlan plan, double batch) {
    plan.batch = batch;
    return plan;
  };
  ParallelPlan larger = large;
  larger.tensor = 4;
  fp8("h100", "llama3-8b", 8, {.batch = 128, .sequence = 8192, .sharding = all}, 14079, 9.423);
  fp8("h100", "llama3-70b", 64, {.tensor = 4, .pipeline = 8, .interleave = 5, .batch = 128, .sequence = 8192}, 1619,
      10.34);
  fp8("h100", "llama3-405b", 1024, with(large, 512), 302, 12.78);
  fp8("b200", "llama3-8b", 8, {.micro_batch = 2, .batch = 128, .sequence = 8192}, 29994, 3.511);
  fp8("b200", "llama3-405b", 128, with(larger, 64), 664, 5.185);
  fp8("gb200", "llama3-8b", 8, {.micro_batch = 2, .batch = 128, .sequence = 8192}, 31357, 3.381);
  fp8("h100", "qwen3-30b", 16,
      {.pipeline = 2, .experts = 8, .interleave = 24, .micro_batch = 2, .batch = 512, .sequence = 4096}, 10494, 8.378);
  fp8("b200", "qwen3-30b", 8, {.experts = 8, .batch = 512, .sequence = 4096}, 18066, 6.946);
  fp8("b200", "qwen3-235b", 64, {.pipeline = 8, .experts = 8, .interleave = 2, .batch = 1024, .sequence = 4096}, 4104,
      8.483);
  fp8("gb200", "qwen3-30b", 8, {.experts = 8, .micro_batch = 4, .batch = 512, .sequence = 4096}, 22775, 6.378);
  add("MC", "h100", "mixtral-8x7b", 64, {.pipeline = 4, .experts = 8, .interleave = 8, .batch = 256, .sequence = 4096},
      model_tflops, 468, 2.587);
}

}  // namespace

std::vector<PublishedRun> added_runs() {
  Runs runs;
  add_fms_fsdp(runs);
  add_internlm(runs);
  add_kempner_forge(runs);
  add_trillium(runs);
  add_megatron_bridge(runs);
  return runs;
}

}  // namespace hf::scaling

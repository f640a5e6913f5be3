#include "05-scaling/kernels/planner/published_runs.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "05-scaling/kernels/planner/added_runs.hpp"
#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {
namespace {

using enum Speed;
using enum Recompute;
using Runs = std::vector<PublishedRun>;
const char* const one_for_both = "A100s reach more of their best product than H100s do, and one constant serves both";

Chip with_network(Chip chip, double bytes_per_second) {
  chip.network = bytes_per_second;
  return chip;
}

/// Attention writes its scores, nothing overlaps: Megatron-LM in 2021 and 2022.
ParallelPlan megatron(int tensor, int pipeline, int data, int interleave, double micro_batch, double batch) {
  ParallelPlan plan;
  plan.tensor = tensor, plan.pipeline = pipeline, plan.data = data, plan.interleave = interleave;
  plan.micro_batch = micro_batch, plan.batch = batch;
  plan.recompute = full, plan.sharding = Sharding::none, plan.gradient_bytes = 2;
  plan.sequence_parallel = plan.overlap_data = plan.overlap_pipeline = plan.flash = false;
  return plan;
}

void add_megatron_2021(Runs& runs) {
  const auto add = [&](const TransformerShape& shape, const ParallelPlan& plan, double tflops) {
    runs.push_back({"M21", chip("a100"), shape, plan, hardware_tflops, tflops, ""});
  };
  add(gpt("gpt-1.7b", 24, 2304, 24), megatron(1, 1, 32, 1, 16, 512), 137);
  add(gpt("gpt-3.6b", 30, 3072, 32), megatron(2, 1, 32, 1, 16, 512), 138);
  add(gpt("gpt-7.5b", 36, 4096, 32), megatron(4, 1, 32, 1, 16, 512), 142);
  add(gpt("gpt-18b", 40, 6144, 48), megatron(8, 1, 32, 1, 8, 1024), 135);
  add(gpt("gpt-39b", 48, 8192, 64), megatron(8, 2, 32, 1, 4, 1536), 138);
  add(gpt("gpt-76b", 60, 10240, 80), megatron(8, 4, 32, 3, 2, 1792), 140);
  add(gpt("gpt-145b", 80, 12288, 96), megatron(8, 8, 24, 2, 2, 2304), 148);
  add(gpt("gpt-310b", 96, 16384, 128), megatron(8, 16, 15, 2, 1, 2160), 155);
  add(gpt("gpt-530b", 105, 20480, 128), megatron(8, 35, 9, 3, 1, 2520), 163);
  add(gpt("gpt-1t", 128, 25600, 160), megatron(8, 64, 6, 1, 1, 3072), 163);
}

void add_korthikanti_2022(Runs& runs) {
  const auto add = [&](const char* name, ParallelPlan plan, double all_again, double scores_again) {
    runs.push_back({"K22", chip("a100"), model(name), plan, Speed::seconds, all_again, one_for_both});
    plan.recompute = selective;
    plan.sequence_parallel = true;
    runs.push_back({"K22", chip("a100"), model(name), plan, Speed::seconds, scores_again, one_for_both});
  };
  add("gpt-22b", megatron(8, 1, 1, 1, 4, 4), 1.42, 1.10);
  add("gpt3-175b", megatron(8, 8, 1, 3, 1, 64), 18.13, 13.75);
  add("mt-nlg-530b", megatron(8, 35, 1, 3, 1, 280), 49.05, 37.83);
  add("gpt-1t", megatron(8, 64, 1, 1, 1, 512), 94.42, 71.49);
}

void add_mt_nlg(Runs& runs) {
  const auto add = [&](int data, double seconds) {
    ParallelPlan plan = megatron(8, 35, data, 1, 1, 1920);
    plan.send_shares = false;
    runs.push_back(
        {"MT", chip("a100"), model("mt-nlg-530b"), plan, Speed::seconds, seconds,
         "assumed: micro-batch 1. M21 reaches 163 TFLOP/s with this model on such chips, this source 126 to 113: "
         "what DeepSpeed's pipeline costs beyond its bubble is not known"});
  };
  add(8, 60.1);
  add(10, 50.2);
  add(12, 44.4);
}

void add_bloom(Runs& runs) {
  const Chip omni_path = with_network(chip("a100"), 6.25e9);  // four links of 100 Gbit/s for eight chips
  const auto add = [&](const TransformerShape& shape, int tensor, int pipeline, int data, double micro, double batch,
                       double seconds, bool embedding_as_layer) {
    ParallelPlan plan = megatron(tensor, pipeline, data, 1, micro, batch);
    plan.sharding = Sharding::optimizer, plan.send_shares = false;
    plan.embedding_as_layer = embedding_as_layer;
    if (embedding_as_layer) plan.gradient_bytes = 4;
    runs.push_back(
        {"BL", omni_path, shape, plan, Speed::seconds, seconds,
         "DeepSpeed's pipeline may send what each of the tensor's chips holds in full, over a slow network"});
  };
  const TransformerShape bs182 = gpt("bs-182b", 78, 13824, 96, 250880), bs181 = gpt("bs-181b", 72, 14336, 64, 250880);
  add(model("bloom-176b"), 4, 12, 8, 2, 2048, 104.70, true);
  add(bs182, 4, 12, 8, 2, 512, 35.77, false);
  add(bs182, 4, 12, 8, 2, 1024, 59.65, false);
  add(bs182, 4, 12, 8, 2, 1536, 83.11, false);
  add(bs182, 4, 12, 8, 2, 2048, 107.12, false);
  add(bs181, 8, 6, 8, 4, 2048, 113.95, false);
  add(bs181, 4, 12, 8, 2, 2048, 110.42, false);
  add(bs181, 2, 12, 16, 2, 2048, 112.50, false);
}

void add_megascale(Runs& runs) {
  const TransformerShape shape = gpt("megascale-175b", 96, 12288, 128, 64000);
  const auto add = [&](int chips, double batch, double seconds) {
    ParallelPlan plan = megatron(8, 8, chips / 64, 6, 1, batch);
    plan.recompute = selective, plan.sequence_parallel = true, plan.sharding = Sharding::optimizer,
    plan.gradient_bytes = 4;
    runs.push_back(
        {"MS", chip("a100"), shape, plan, Speed::seconds, seconds, "assumed: micro-batch 1, selective recomputation"});
  };
  add(256, 768, 40.0);
  add(512, 768, 21.2);
  add(768, 768, 15.2);
  add(1024, 768, 11.9);
  add(3072, 6144, 29.02);
  add(6144, 6144, 14.78);
  add(8192, 6144, 12.24);
  add(12288, 6144, 8.57);
}

void add_llm_foundry(Runs& runs) {
  const TransformerShape mpt13 = gpt("mpt-13b", 40, 5120, 40, 50368), mpt30 = gpt("mpt-30b", 48, 7168, 56, 50368);
  const auto note_of = [](const std::string& chip_name) {
    return chip_name == "a100" ? one_for_both
                               : "Composer fetches a layer's weights after the gradients of the one before "
                                 "(BACKWARD_POST): less is hidden than fitted, and most shows with a small micro-batch";
  };
  const auto add = [&](const char* chip_name, const TransformerShape& shape, int chips, double micro, double batch,
                       Recompute recompute, double tokens) {
    ParallelPlan plan;
    plan.data = chips, plan.micro_batch = micro, plan.batch = batch, plan.recompute = recompute;
    plan.sharding = Sharding::full;
    runs.push_back({"LF", chip(chip_name), shape, plan, tokens_per_chip, tokens, note_of(chip_name)});
  };
  add("a100", model("mpt-7b"), 8, 6, 96, none, 4641);
  add("a100", mpt13, 8, 2, 48, none, 2262);
  add("a100", mpt30, 8, 3, 504, full, 916);
  add("a100", model("mpt-70b"), 32, 2, 1024, full, 373);
  add("a100", model("mpt-70b"), 64, 8, 2048, full, 410);
  add("a100-40", model("mpt-70b"), 128, 4, 512, full, 376);
  add("a100-40", model("mpt-70b"), 64, 2, 128, full, 276);
  add("h100", model("mpt-7b"), 8, 6, 48, none, 10643);
  add("h100", mpt13, 8, 2, 16, none, 4792);
  add("h100", mpt13, 16, 2, 32, none, 4767);
  add("h100", mpt13, 32, 2, 64, none, 4811);
  add("h100", mpt13, 64, 2, 128, none, 4800);
  add("h100", mpt30, 32, 14, 1344, full, 2308);
  add("h100", model("mpt-70b"), 64, 8, 2048, full, 1039);
  for (const auto& [chips, mpt_7b, mpt_13b, mpt_30b, mpt_70b] : {std::array<double, 5>{128, 10475, 5080, 2199, 1058},
                                                                 {256, 10119, 4989, 2148, 1035},
                                                                 {512, 9670, 4952, 2115, 1007}}) {
    const int n = static_cast<int>(chips);
    add("h100", model("mpt-7b"), n, 6, 6 * n, none, mpt_7b);
    add("h100", mpt13, n, 16, 16 * n, full, mpt_13b);
    add("h100", mpt30, n, 8, 8 * n, full, mpt_30b);
    add("h100", model("mpt-70b"), n, 8, 8 * n, full, mpt_70b);
  }
}

/// Collectives of tensors, gradients and stages all beside arithmetic: Megatron-Core in 2024 and 2025.
ParallelPlan megatron_core(int tensor, int context, int pipeline, int data, int interleave, double micro, double batch,
                           double sequence) {
  ParallelPlan plan;
  plan.tensor = tensor, plan.context = context, plan.pipeline = pipeline, plan.data = data,
  plan.interleave = interleave;
  plan.micro_batch = micro, plan.batch = batch, plan.sequence = sequence;
  plan.overlap_tensor = true;
  return plan;
}

void add_megatron_core(Runs& runs) {
  const auto add = [&](double layers, double hidden, double heads, int tensor, int pipeline, double batch,
                       double tflops) {
    const int interleave = pipeline == 1 ? 1 : static_cast<int>(layers) / pipeline;
    runs.push_back(
        {"MH", chip("h100"), gpt("gpt", layers, hidden, heads, 131072),
         megatron_core(tensor, 1, pipeline, 48, interleave, 1, batch, 4096), model_tflops, tflops,
         "assumed: micro-batch 1, one layer for each piece. Small products leave a chip idle between kernels (1b, 7b); "
         "with 8 chips for each layer and 4 micro-batches, more is hidden than fitted (31b)"});
    runs.back().shape.name = "gpt-" + std::to_string(std::lround(runs.back().shape.parameters() / 1e9)) + "b";
  };
  add(24, 2048, 16, 1, 1, 192, 408.8);
  add(30, 4096, 32, 2, 1, 192, 465.9);
  add(32, 6144, 48, 4, 1, 192, 489.1);
  add(48, 7168, 56, 8, 1, 192, 459.6);
  add(84, 8192, 64, 8, 2, 384, 419.7);
  add(92, 10240, 80, 8, 4, 768, 420.5);
  add(96, 12288, 96, 8, 6, 1152, 432.8);
  add(96, 16384, 128, 8, 8, 1536, 474.4);
  add(112, 18432, 144, 8, 16, 3072, 459.9);
}

void add_dgx_cloud(Runs& runs) {
  const auto add = [&](const char* name, int chips, ParallelPlan plan, double seconds) {
    plan.data = chips / plan.chips();
    plan.gradient_bytes = 2;  // grad_sync_dtype: bf16
    runs.push_back({"DG", chip("h100"), model(name), plan, Speed::seconds, seconds, ""});
  };
  const auto series = [&](const char* name, int first, const ParallelPlan& plan, double batch_per_chip,
                          const std::vector<double>& seconds) {
    int chips = first;
    for (const double one : seconds) {
      ParallelPlan here = plan;
      here.batch = batch_per_chip * chips;
      add(name, chips, here, one);
      chips *= 2;
    }
  };
  series("gpt3-175b", 128, megatron_core(4, 1, 8, 1, 6, 1, 0, 2048), 2, {8.309, 8.408, 8.42, 8.453, 8.49});
  series("llama3-8b", 8, megatron_core(1, 2, 1, 1, 1, 1, 0, 8192), 16, {12.27, 12.30, 12.32, 12.33, 12.33});
  series("llama3-70b", 64, megatron_core(4, 2, 4, 1, 5, 1, 0, 8192), 2, {14.66, 14.67, 14.68, 14.67, 14.65, 14.66});
  ParallelPlan large = megatron_core(8, 2, 8, 1, 8, 1, 0, 8192);
  large.embedding_as_layer = true;
  series("llama3-405b", 512, large, 0.5, {19.78, 19.84, 19.87});
  series("nemotron-15b", 16, megatron_core(2, 1, 1, 1, 1, 2, 0, 4096), 4,
         {2.66, 2.66, 2.67, 2.67, 2.68, 2.71, 2.74, 2.78});
  series("nemotron-340b", 256, megatron_core(8, 1, 8, 1, 12, 1, 0, 4096), 0.25, {4.36, 4.39, 4.41, 4.43});
}

void add_torchtitan(Runs& runs) {
  Chip chip = scaling::chip("h100");
  chip.bandwidth = 2.4e12, chip.capacity = 96 * 1024.0 * 1024 * 1024;
  const auto add = [&](int chips, double tokens) {
    ParallelPlan plan;
    plan.data = chips, plan.micro_batch = 2, plan.batch = 2 * chips, plan.sequence = 8192;
    plan.recompute = selective, plan.sharding = Sharding::full;
    runs.push_back({"TT", chip, model("llama3-8b"), plan, tokens_per_chip, tokens,
                    "chips held to 500 W: what their products reach is not known, and is less than what 700 W allow"});
  };
  add(8, 6667);
  add(128, 6514);
}

void add_llama3(Runs& runs) {
  const auto add = [&](int data, double batch, double tflops) {
    ParallelPlan plan = megatron_core(8, 1, 16, data, 8, 1, batch, 8192);
    plan.overlap_tensor = false;
    plan.embedding_as_layer = true;
    runs.push_back({"L3", chip("h100"), model("llama3-405b"), plan, model_tflops, tflops,
                    "assumed: eight pieces of a stage. A production run on a shared fabric, not a benchmark"});
  };
  add(64, 2048, 430);
  add(128, 2048, 400);
}

/// FSDP over a slice, data parallelism between slices; XLA runs collectives beside arithmetic, and removes what nobody reads.
ParallelPlan sharded(int data, int tensor, int pods, double per_chip, double sequence, Recompute recompute) {
  ParallelPlan plan;
  plan.data = data, plan.tensor = tensor, plan.pods = pods, plan.sequence = sequence, plan.recompute = recompute;
  plan.micro_batch = per_chip * tensor, plan.batch = plan.micro_batch * data * pods;
  plan.sharding = Sharding::full, plan.overlap_tensor = tensor > 1, plan.stops_early = true;
  return plan;
}

void add_palm(Runs& runs) {
  ParallelPlan plan = sharded(256, 12, 2, 1.0 / 3, 2048, full);
  runs.push_back({"PA", chip("tpu-v4"), model("palm-540b"), plan, tokens, 238.3e3,
                  "what its recomputation leaves out is not said"});
  runs.back().plan.flash = false;
}

void add_maxtext(Runs& runs) {
  const auto shape = [](const char* name, double layers, double hidden, double heads, double ffn) {
    return TransformerShape{name, layers, hidden, heads, heads, 256, ffn, false, 32768, true};
  };
  const TransformerShape b32 = shape("maxtext-32b", 32, 10240, 32, 32768),
                         b128 = shape("maxtext-128b", 64, 10240, 64, 65536);
  const std::vector<double> v5e = {132, 128, 126, 125, 123, 119};
  const char* with_all_again =
      "with what is computed again it reaches 176 of 197 TFLOP/s: more of the peak than fitted";
  int pods = 1;
  for (const double tflops : v5e) {
    runs.push_back(
        {"MX", chip("tpu-v5e"), b32, sharded(256, 1, pods, 4, 2048, full), maxtext_tflops, tflops, with_all_again});
    pods *= 2;
  }
  runs.push_back({"MX", chip("tpu-v5p"), b128, sharded(16, 8, 1, 2, 2048, selective), maxtext_tflops, 315, ""});
  runs.push_back({"MX", chip("tpu-v5p"), b128, sharded(16, 8, 2, 2, 2048, selective), maxtext_tflops, 305, ""});
  runs.push_back(
      {"TR", chip("tpu-v5p"), model("llama3-405b"), sharded(512, 1, 1, 2, 8192, full), Speed::seconds, 131.474,
       "counted as if all were computed again; two of a layer's results are kept in the host's memory instead"});
}

}  // namespace

const char* name_of(Use use) {
  switch (use) {
    case Use::fit: return "fit";
    case Use::test: return "test";
    case Use::added: return "added";
    case Use::beyond: break;
  }
  return "beyond";
}

double PublishedRun::seconds() const {
  const double tokens_of_step = plan.batch * plan.sequence, chips = plan.chips();
  switch (speed) {
    case Speed::seconds: return value;
    case tokens_per_chip: return tokens_of_step / (value * chips);
    case tokens: return tokens_of_step / value;
    case model_tflops: return shape.model_flops(plan.batch, plan.sequence) / (value * 1e12 * chips);
    case hardware_tflops: return shape.recomputed_flops(plan.batch, plan.sequence) / (value * 1e12 * chips);
    case maxtext_tflops: break;
  }
  const double attention = 6 * plan.sequence * shape.layers * shape.heads * shape.head_size;
  return tokens_of_step * (6 * shape.parameters() + attention) / (value * 1e12 * chips);
}

Use PublishedRun::use() const {
  if (plan.fp8 || shape.experts > 1) return Use::beyond;
  if (at_first > 0) return Use::added;
  return source == "K22" || source == "MH" ? Use::fit : Use::test;
}

const std::vector<PublishedRun>& published_runs() {
  static const Runs all = [] {
    Runs runs;
    add_megatron_2021(runs);
    add_korthikanti_2022(runs);
    add_mt_nlg(runs);
    add_bloom(runs);
    add_megascale(runs);
    add_llm_foundry(runs);
    add_megatron_core(runs);
    add_dgx_cloud(runs);
    add_torchtitan(runs);
    add_llama3(runs);
    add_palm(runs);
    add_maxtext(runs);
    const Runs added = added_runs();
    runs.insert(runs.end(), added.begin(), added.end());
    return runs;
  }();
  return all;
}

const std::vector<Source>& published_sources() {
  static const std::vector<Source> all = {
      {"M21", "narayanan2021", "Megatron-LM 2021",
       "Narayanan et al. 2021, table 1: NVIDIA/Megatron-LM@50a4b5fa02 images/cases_april2021.png, and de7dc40f88 "
       "examples/sc21/run_table_1.sh for the plans"},
      {"K22", "korthikanti2023", "Megatron-LM 2022",
       "Korthikanti et al., arXiv 2205.05198, table 5: calculon-ai/calculon@caa4b11 validation/seqsel/tab5/, "
       "calculon/llm/validation.py"},
      {"MT", "smith2022", "MT-NLG",
       "Smith et al., arXiv 2201.11990, section 2.4, second hand: cli99/llm-analysis examples/megatron-turing-nlg"},
      {"BL", "bigscience", "BLOOM",
       "bigscience-workshop/bigscience@9e64ede train/tr11-176B-ml/README.md and chronicles-prequel.md"},
      {"MS", "megascale2024", "MegaScale", "Jiang et al., arXiv 2402.15627, tables 1 and 2, the rows of Megatron-LM"},
      {"LF", "llmfoundry", "LLM Foundry", "mosaicml/llm-foundry@8c8dd48 scripts/train/benchmarking/README.md"},
      {"MH", "megatronlm", "Megatron-Core", "NVIDIA/Megatron-LM@f2e5db402c images/model_table.png, README.md"},
      {"DG", "dgxcloud", "DGX Cloud",
       "NVIDIA/dgxc-benchmarking v25.04.02 nemo_megatron/, llama3.1/, nemotron/ README.md"},
      {"TT", "torchtitan", "TorchTitan",
       "pytorch/torchtitan@31a17bf benchmarks/llama3_h100_202412_torchtitan.md, tables 1 and 3, compiled"},
      {"L3", "grattafiori2024", "Llama 3", "Grattafiori et al., arXiv 2407.21783, table 4"},
      {"PA", "chowdhery2023", "PaLM", "Chowdhery et al., arXiv 2204.02311, section 4"},
      {"MX", "maxtext", "MaxText",
       "AI-Hypercomputer/maxtext@76bd53b0f MaxText/configs/v5e/ and v5p/, README.md, 32b.sh, 128b.sh; train.py and "
       "pyconfig.py for how FLOPs and shapes are counted"},
      {"TR", "tpurecipes", "TPU recipes",
       "AI-Hypercomputer/tpu-recipes@85bce68 training/v5p/Llama3.1-405B-MaxText/README.md; maxtext@3eb77db3c "
       "benchmarks/maxtext_v5p_model_configs.py"},
      {"FM", "fmsfsdp", "FMS FSDP",
       "foundation-model-stack/fms-fsdp@5a296af and @1d7102e README.md, fms_fsdp/utils/config_utils.py, "
       "fms_fsdp/policies/mixed_precision.py"},
      {"IL", "internlm", "InternLM", "InternLM/InternLM@20fe5ac doc/en/train_performance.md, configs/7B_sft.py"},
      {"KF", "kempnerforge", "KempnerForge",
       "KempnerInstitute/KempnerForge@5666d0d benchmarks/mfu_scaling/mfu_scaling.md, mfu_bench.sh; "
       "benchmarks/config_validation/config_validation.md for the network"},
      {"TV", "tpurecipes", "TPU recipes, v6e",
       "AI-Hypercomputer/tpu-recipes@c8cfe2f training/trillium/; maxtext@0c243eec benchmarks/"
       "maxtext_trillium_model_configs.py"},
      {"MB", "megatronbridge", "Megatron Bridge",
       "NVIDIA-NeMo/Megatron-Bridge@067f987 docs/performance-summary-archive.md, container 25.09"},
      {"MC", "megatronmoe", "Megatron-Core, experts",
       "NVIDIA/Megatron-LM@022bcb5 megatron/core/transformer/moe/README.md, 468 TFLOP/s and the mapping for Mixtral "
       "8x7B"},
  };
  return all;
}

}  // namespace hf::scaling

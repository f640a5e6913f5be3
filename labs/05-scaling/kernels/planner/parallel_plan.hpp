/// \file
/// How a training step is shared out over chips.
#pragma once

#include <string>

#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {

/// What of the forward pass is done again in the backward pass: nothing; attention's core, or, where that never writes its
/// scores, what is element-wise; all of a layer.
enum class Recompute { none, selective, full };

/// What the chips that hold the same layers share: nothing but gradients, the optimiser's state (ZeRO-1), or weights,
/// gradients and state (FSDP, ZeRO-3).
enum class Sharding { none, optimizer, full };

/// A plan. Chips are numbered so that neighbours share tensors, then contexts, then data, then pipelines, then pods.
struct ParallelPlan {
  int tensor = 1, context = 1, data = 1, pipeline = 1, pods = 1;
  int experts = 1;         ///< chips, of those that hold the same layers, that share out the experts
  int interleave = 1;      ///< pieces of a pipeline's stage
  double micro_batch = 1;  ///< sequences of one replica at a time
  double batch = 1;        ///< sequences of a step, over all chips
  double sequence = 2048;
  Recompute recompute = Recompute::none;
  Sharding sharding = Sharding::optimizer;
  bool sequence_parallel = true;    ///< what lies between the tensors' collectives is shared out too
  bool overlap_tensor = false;      ///< whether collectives of tensors and contexts run beside products
  bool overlap_data = true;         ///< the same for gradients and weights
  bool overlap_pipeline = true;     ///< the same for what stages send each other
  bool send_shares = true;          ///< stages send a share from each of the tensor's chips, and gather it beyond
  bool flash = true;                ///< attention never writes its scores to memory, and skips the masked half
  bool embedding_as_layer = false;  ///< the stages are filled as if the two vocabulary layers were two more layers
  bool fp8 = false;                 ///< whether the layers' products multiply 8-bit numbers
  bool stops_early = false;         ///< what computes a layer again leaves out its last product
  double gradient_bytes = 4;        ///< of a gradient that is summed over chips

  int chips() const { return tensor * context * data * pipeline * pods; }
  int replicas() const { return data * pods; }
  /// Chips of a pod that hold the same layers, and those of them over which the optimiser's state is cut.
  int sharers() const { return data * context; }
  int state_shards() const { return sharding == Sharding::none ? 1 : sharers(); }
  int expert_state_shards() const { return sharding == Sharding::none ? 1 : sharers() / experts; }
  /// Tokens that a chip has at a time.
  double tokens() const { return micro_batch * sequence / context; }
  /// Micro-batches that one replica runs after each other.
  double micro_batches() const { return batch / (micro_batch * replicas()); }
};

/// \throws std::runtime_error, one line naming option and remedy, where the plan does not fit the model's sizes
void check_plan(const ParallelPlan& plan, const TransformerShape& shape);

/// In the order tensor x context x pipeline x data, those that are not 1.
std::string short_name(const ParallelPlan& plan);

// ---- What a plan keeps in each chip's memory ----

/// Bytes on a chip of the first stage, which holds the most.
struct MemoryUse {
  double weights;  ///< bf16; with full sharding a share of them, and two layers gathered
  double gradients;
  double optimizer;    ///< weight and two moments in fp32
  double activations;  ///< what the backward pass reads, of all micro-batches under way

  double total() const { return weights + gradients + optimizer + activations; }
};

MemoryUse memory_use(const TransformerShape& shape, const ParallelPlan& plan);

/// Bytes that one layer keeps of one micro-batch: s b h (10 + 24/t + 5 a s/(h t)) for a GPT whose attention writes its
/// scores, all of it over t with sequence parallelism, without the scores where they are computed again or never written,
/// and 2 s b h where everything is computed again (Korthikanti et al., arXiv 2205.05198, table 2). Gated models have no
/// dropout masks.
double layer_activations(const TransformerShape& shape, const ParallelPlan& plan);

}  // namespace hf::scaling

/// \file
/// What a plan keeps in each chip's memory.
#pragma once

#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {

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

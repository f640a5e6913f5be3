/// \file
/// How long a training step takes: a roofline for what a chip does alone, alpha and beta for what travels.
#pragma once

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {

/// The three numbers that were fitted, once, for all runs; see published_runs.hpp.
struct Constants {
  double matmul;  ///< share of the best product's rate that a model's products reach when their tiles fill the chip
  double memory;  ///< share of the memory's bandwidth that element-wise work reaches
  double hidden;  ///< share that does not show of what the software runs beside arithmetic
};

/// Found by fit_constants() from the runs that are marked for it; a test finds them again.
extern const Constants fitted;

/// Share of the best product's rate that fused attention reaches: FlashAttention-2 reports 190 of A100's 312 TFLOP/s for
/// causal training steps with heads of 128 (arXiv 2307.08691, section 4.1), which is 0.7 of 271.
extern const double flash_share;

/// Seconds of a step by what they are spent on; they add up.
struct StepTime {
  double arithmetic = 0;  ///< matrix products and attention
  double memory = 0;      ///< norms, residuals, activations, scores, losses, the optimiser
  double tensor = 0;      ///< collectives that cut tensors and contexts, as far as they show
  double network = 0;     ///< gradients, weights and stages' outputs, as far as they show
  double bubble = 0;      ///< waiting for the pipeline to fill and to drain

  double total() const { return arithmetic + memory + tensor + network + bubble; }
  StepTime operator+(const StepTime& other) const;
  StepTime operator*(double factor) const;
};

/// "arithmetic", "memory", "tensor links", "network" or "bubble": the largest.
const char* what_limits(const StepTime& time);

/// A product of an m x k by a k x n matrix.
struct Product {
  double m, n, k;
};

/// Seconds of a product: tiles of 128 x 256 are dealt out to the chip's units in rounds, and the last round counts in full
/// (NVIDIA, "Matrix Multiplication Background", wave quantization); never faster than memory moves its matrices.
double product_seconds(const Chip& chip, const Product& product, const Constants& constants, bool fp8 = false);

/// A training step.
StepTime step_time(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan,
                   const Constants& constants = fitted);

/// Model FLOPs per second over the peaks of all chips.
double mfu(const Chip& chip, const TransformerShape& shape, const ParallelPlan& plan, double seconds);

/// (p - 1) / (m v): the bubble over the time without one.
double bubble_share(const ParallelPlan& plan);

/// Layers of the longest stage.
double layers_of_stage(const ParallelPlan& plan, const TransformerShape& shape);

/// Elements of the matrices that a chip of the first stage computes with, before replicas share any: the experts', and all.
double expert_weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);
double weights_on_chip(const ParallelPlan& plan, const TransformerShape& shape);

/// The same formulas for the lab's own small network, with a core of a machine as the chip: sizes of what is trained, in
/// elements; it computes in fp32.
struct SmallNetwork {
  double rows;  ///< of a batch
  double width, blocks, weights;
};

/// What matters of a chip once it is known how long it takes alone.
struct SmallChip {
  double bandwidth;  ///< of memory, bytes per second
  Wire wire;
};

/// Seconds of its step, cut as the name says.
struct SmallSteps {
  double data, tensor;
};

/// Products at the rate that makes one chip take `alone` seconds, the optimiser at the memory's bandwidth, sums by ring
/// over the wire; nothing overlaps.
SmallSteps predict_small_steps(const SmallChip& chip, const SmallNetwork& network, int chips, double alone);

}  // namespace hf::scaling

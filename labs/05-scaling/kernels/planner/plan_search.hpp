/// \file
/// Which plan is fastest.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/parallel_plan.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"
#include "05-scaling/kernels/planner/transformer_shape.hpp"

namespace hf::scaling {

/// A plan with what it takes.
struct Candidate {
  ParallelPlan plan;
  StepTime time;
  MemoryUse memory;
};

/// What is asked for.
struct Job {
  Chip chip;
  TransformerShape shape;
  int chips;
  double batch;
  double sequence;
  bool fp8 = false;           ///< as in ParallelPlan
  double gradient_bytes = 4;  ///< as in ParallelPlan
};

/// Whether a plan may be considered.
using Allowed = std::function<bool(const ParallelPlan& plan)>;

/// The fastest plans that fit into nine tenths of memory, fastest first, at most so many. Tried are: tensors and contexts
/// among at most 16 chips each, pipelines where there is a switch, replicas, pieces of a stage, micro-batches, recomputation
/// and sharding; and chips that share out experts, where there are some. Software is taken to overlap what can be and to fuse attention.
std::vector<Candidate> search_plans(const Job& job, std::size_t most, const Allowed& allowed = nullptr);

/// The fastest on 1, 2, 4 … chips, at most so many, where anything fits; job.chips does not matter.
std::vector<Candidate> fastest_by_chips(Job job, int most_chips, const Allowed& allowed = nullptr);

}  // namespace hf::scaling

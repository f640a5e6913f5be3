/// \file
/// Pipeline parallelism, the order of things: every rank is a stage, and micro-batches pass from each to the next,
/// forward and then back.
#pragma once

#include <span>
#include <vector>

#include "common/ranks/transport.hpp"

namespace hf::scaling {

/// One rank's stage, as a schedule sees it. The first stage takes its examples from the batch, the last has the loss.
class PipelineStage {
 public:
  virtual ~PipelineStage() = default;
  /// From `x_in` to `x_out`.
  virtual void forward(int micro) = 0;
  /// From `gradient_in` to `gradient_out`, after forward() of the same micro-batch.
  virtual void backward(int micro) = 0;

  std::vector<float> x_in, gradient_in;             ///< to be filled by the neighbours
  std::span<const float> x_out, gradient_out = {};  ///< for them; until the next call
};

struct PipelineSchedule {
  const char *id, *name;
  void (*run)(Transport& ranks, PipelineStage& stage, int micros);
  /// Of so many micro-batches a stage keeps the activations at a time, at most.
  int (*kept)(int stage, int stages, int micros);
};

/// All forward, then all backward (Huang and others, 2019).
extern const PipelineSchedule gpipe;
/// As soon as a micro-batch can go back, it does: one forward, one backward (PipeDream-Flush: Narayanan and others,
/// 2021).
extern const PipelineSchedule one_forward_one_backward;

/// The share of the ranks' time in which they wait, by the formula: (p − 1) / (m + p − 1).
double bubble_predicted(int stages, int micros);

/// The same, found by running the schedule on so many ranks whose clocks are simulated. A backward pass takes twice as
/// long as a forward pass, a message no time.
double simulate_bubble(const PipelineSchedule& schedule, int stages, int micros);

}  // namespace hf::scaling

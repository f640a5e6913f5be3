/// \file
/// Pipeline parallelism: every rank is a stage, and has some blocks; what travels is x of a micro-batch, from each rank to
/// the next, and its gradient back, in the order that a schedule says.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/matrix.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
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

class PipelineParallel final : public Trainer, private PipelineStage {
 public:
  /// \throws std::invalid_argument for more ranks than blocks: a stage would be empty
  PipelineParallel(Transport& ranks, const NetworkShape& shape, const PipelineSchedule& schedule, int micros);

  /// \throws std::invalid_argument for a batch that does not divide into so many micro-batches
  double gradients(const Batch& batch) override;

  /// Of the last gradients(): seconds in which this rank computed.
  double busy_seconds() const { return busy_seconds_; }
  /// Micro-batches whose activations were there at a time, at most.
  std::size_t most_kept() const { return kept_.size(); }

 private:
  void forward(int micro) override;
  void backward(int micro) override;
  Range rows_of(int micro) const { return share(batch_->rows(), micro, micros_); }
  Kept& keep(int micro);

  struct Slot {
    int micro;  ///< none: it is free
    Kept kept;
  };

  Transport& ranks_;
  const PipelineSchedule& schedule_;
  int micros_;
  const Batch* batch_ = nullptr;
  std::vector<Slot> kept_;
  Matrix gradient_;
  std::size_t width_;
  double loss_ = 0, busy_seconds_ = 0;
};

}  // namespace hf::scaling

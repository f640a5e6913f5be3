/// \file
/// Pipeline parallelism: every rank is a stage with some of the blocks. Each rank sends x of a micro-batch to the next
/// and its gradient back, in the order set by a schedule.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "kit/learning/matrix.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {

/// One rank's stage, as a schedule sees it. The first stage reads the batch; the last computes the loss.
class PipelineStage {
 public:
  virtual ~PipelineStage() = default;
  /// Computes `x_out` from `x_in`.
  virtual void forward(int micro) = 0;
  /// Computes `gradient_out` from `gradient_in`, after forward() of the same micro-batch.
  virtual void backward(int micro) = 0;

  std::vector<float> x_in, gradient_in;             ///< received from the neighbours
  std::span<const float> x_out, gradient_out = {};  ///< to send to them; valid until the next call
};

struct PipelineSchedule {
  const char *id, *name;
  void (*run)(Transport& ranks, PipelineStage& stage, int micros);
  /// Returns for how many micro-batches, at most, a stage keeps activations at a time.
  int (*kept)(int stage, int stages, int micros);
};

/// All forward, then all backward (Huang et al., 2019).
extern const PipelineSchedule gpipe;
/// Each micro-batch goes backward as soon as it can: one forward, one backward (PipeDream-Flush: Narayanan et al.,
/// 2021).
extern const PipelineSchedule one_forward_one_backward;

/// Returns the share of time that ranks wait, by formula: (p − 1) / (m + p − 1).
double bubble_predicted(int stages, int micros);

/// Returns the same share from running the schedule on ranks with simulated clocks. A backward pass takes twice as long
/// as a forward pass, a message no time.
double simulate_bubble(const PipelineSchedule& schedule, int stages, int micros);

class PipelineParallel final : public Trainer, private PipelineStage {
 public:
  /// \throws std::invalid_argument if there are more ranks than blocks, which would leave a stage empty
  PipelineParallel(Transport& ranks, const NetworkShape& shape, const PipelineSchedule& schedule, int micros);

  /// \throws std::invalid_argument if the batch does not divide evenly into micro-batches
  double gradients(const Batch& batch) override;

  /// Returns the seconds that this rank spent computing in the last gradients().
  double busy_seconds() const { return busy_seconds_; }
  /// Returns for how many micro-batches, at most, activations were kept at a time.
  std::size_t most_kept() const { return kept_.size(); }

 private:
  void forward(int micro) override;
  void backward(int micro) override;
  Range rows_of(int micro) const { return share(batch_->rows(), micro, micros_); }
  Kept& keep(int micro);

  struct Slot {
    int micro;  ///< none if the slot is free
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

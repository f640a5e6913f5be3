/// \file
/// Pipeline parallelism: every rank has some blocks; what travels is x, from each rank to the next, and its gradient
/// back.
#pragma once

#include <cstddef>
#include <vector>

#include "05-scaling/kernels/training/adam.hpp"
#include "05-scaling/kernels/training/matrix.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "common/ranks/transport.hpp"

namespace hf::scaling {

class PipelineParallel final : public Trainer, private PipelineStage {
 public:
  /// \throws std::invalid_argument for more ranks than blocks: a stage would be empty
  PipelineParallel(Transport& ranks, const NetworkShape& shape, const PipelineSchedule& schedule, int micros);

  /// \throws std::invalid_argument for a batch that does not divide into so many micro-batches
  double gradients(const Batch& batch) override;
  void update() override { adam_.update(network_.weights(), network_.gradients()); }
  Network& network() override { return network_; }

  double busy_seconds() const { return busy_seconds_; }  ///< of the last gradients(): in which this rank computed
  std::size_t most_kept() const {
    return kept_.size();
  }  ///< micro-batches whose activations were there at a time, at most

 private:
  void forward(int micro) override;
  void backward(int micro) override;
  Range rows_of(int micro) const;
  Kept& keep(int micro);

  struct Slot {
    int micro;  ///< none: it is free
    Kept kept;
  };

  Transport& ranks_;
  const PipelineSchedule& schedule_;
  int micros_;
  Network network_;
  Adam adam_;
  const Batch* batch_ = nullptr;
  std::vector<Slot> kept_;
  Matrix gradient_;
  std::size_t width_;
  double loss_ = 0, busy_seconds_ = 0;
};

}  // namespace hf::scaling

#include "05-scaling/kernels/training/pipeline_parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "05-scaling/kernels/training/matrix.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/pipeline_schedule.hpp"
#include "common/ranks/transport.hpp"
#include "harness/clock.hpp"

namespace hf::scaling {
namespace {

constexpr int none = -1;

NetworkPart stage_of(const Transport& ranks, const NetworkShape& shape) {
  if (static_cast<std::size_t>(ranks.size()) > shape.blocks) {
    throw std::invalid_argument("PipelineParallel: expected at least as many blocks as ranks");
  }
  return {share(shape.blocks, ranks.rank(), ranks.size()), {0, shape.hidden}, ranks.rank() + 1 == ranks.size()};
}

/// Adds the time in which it lives.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += static_cast<double>(now_ns() - start_) * 1e-9; }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& seconds_;
  const std::int64_t start_ = now_ns();
};

}  // namespace

PipelineParallel::PipelineParallel(Transport& ranks, const NetworkShape& shape, const PipelineSchedule& schedule,
                                   int micros)
    : ranks_(ranks),
      schedule_(schedule),
      micros_(micros),
      network_(shape, stage_of(ranks, shape)),
      adam_(network_.weights().size()),
      width_(shape.width) {}

double PipelineParallel::gradients(const Batch& batch) {
  if (batch.rows() % static_cast<std::size_t>(micros_) != 0) {
    throw std::invalid_argument("PipelineParallel: " + std::to_string(batch.rows()) + " rows do not divide into " +
                                std::to_string(micros_) + " micro-batches");
  }
  batch_ = &batch;
  loss_ = busy_seconds_ = 0;
  x_in.resize(rows_of(0).size() * width_);
  gradient_in.resize(x_in.size());
  network_.clear_gradients();
  schedule_.run(ranks_, *this, micros_);
  return loss_;
}

void PipelineParallel::forward(int micro) {
  const Timed timed(busy_seconds_);
  const Range rows = rows_of(micro);
  const View received = {rows.size(), width_, x_in.data()};
  Kept& kept = keep(micro);
  network_.forward(ranks_.rank() == 0 ? View(batch_->x).row_range(rows.first, rows.last) : received, kept);
  x_out = kept.x.back().numbers();
}

void PipelineParallel::backward(int micro) {
  const Timed timed(busy_seconds_);
  const Range rows = rows_of(micro);
  Slot& slot = *std::ranges::find(kept_, micro, &Slot::micro);
  if (network_.part().head) {
    loss_ += network_.loss(slot.kept.x.back(), std::span(batch_->labels).subspan(rows.first, rows.size()),
                           batch_->rows(), gradient_);
  } else {
    gradient_.copy({rows.size(), width_, gradient_in.data()});
  }
  network_.backward(slot.kept, gradient_);
  slot.micro = none;
  gradient_out = gradient_.numbers();
}

Range PipelineParallel::rows_of(int micro) const { return share(batch_->rows(), micro, micros_); }

/// Room for what a micro-batch leaves: where it was free before, if anywhere.
Kept& PipelineParallel::keep(int micro) {
  auto slot = std::ranges::find(kept_, none, &Slot::micro);
  if (slot == kept_.end()) slot = kept_.insert(slot, Slot{});
  slot->micro = micro;
  return slot->kept;
}

}  // namespace hf::scaling

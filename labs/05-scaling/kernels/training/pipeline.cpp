#include "05-scaling/kernels/training/pipeline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "05-scaling/kernels/training/network.hpp"
#include "05-scaling/kernels/training/strategies.hpp"
#include "harness/measure/clock.hpp"
#include "kit/learning/matrix.hpp"
#include "kit/ranks/transport.hpp"
#include "kit/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

/// Returns the previous and the next rank, or nobody.
std::pair<int, int> neighbours(const Transport& ranks) {
  const int me = ranks.rank();
  return {me > 0 ? me - 1 : nobody, me + 1 < ranks.size() ? me + 1 : nobody};
}

void run_gpipe(Transport& ranks, PipelineStage& stage, int micros) {
  const auto [previous, next] = neighbours(ranks);
  ranks.receive(previous, stage.x_in);
  for (int i = 0; i < micros; ++i) {
    stage.forward(i);
    ranks.exchange(next, stage.x_out, i + 1 < micros ? previous : nobody, stage.x_in);
  }
  ranks.receive(next, stage.gradient_in);
  for (int i = micros - 1; i >= 0; --i) {
    stage.backward(i);
    ranks.exchange(previous, stage.gradient_out, i > 0 ? next : nobody, stage.gradient_in);
  }
}

void run_one_forward_one_backward(Transport& ranks, PipelineStage& stage, int micros) {
  const auto [previous, next] = neighbours(ranks);
  const int ahead =
      std::min(micros, ranks.size() - 1 - ranks.rank());  // micro-batches on their way to the last stage and back
  ranks.receive(previous, stage.x_in);
  for (int i = 0; i < ahead; ++i) {
    stage.forward(i);
    ranks.exchange(next, stage.x_out, i + 1 < micros ? previous : nobody, stage.x_in);
  }
  for (int i = ahead; i < micros; ++i) {
    stage.forward(i);
    ranks.exchange(next, stage.x_out, next, stage.gradient_in);
    stage.backward(i - ahead);
    ranks.exchange(previous, stage.gradient_out, i + 1 < micros ? previous : nobody, stage.x_in);
  }
  for (int i = micros - ahead; i < micros; ++i) {
    ranks.receive(next, stage.gradient_in);
    stage.backward(i);
    ranks.send(previous, stage.gradient_out);
  }
}

/// A stage that computes nothing but takes time on the clocks of ThreadRanks, by sending messages to itself.
class TimedStage final : public PipelineStage {
 public:
  explicit TimedStage(Transport& ranks) : ranks_(ranks) {}
  void forward(int) override { work(1); }
  void backward(int) override { work(2); }

 private:
  void work(std::size_t seconds) {
    ranks_.exchange(ranks_.rank(), std::span(from_).first(seconds), ranks_.rank(), std::span(to_).first(seconds));
  }
  Transport& ranks_;
  std::array<float, 2> from_ = {}, to_ = {};
};

constexpr int none = -1;

NetworkPart stage_of(const Transport& ranks, const NetworkShape& shape) {
  if (static_cast<std::size_t>(ranks.size()) > shape.blocks) {
    throw std::invalid_argument("PipelineParallel: expected at least as many blocks as ranks");
  }
  return {share(shape.blocks, ranks.rank(), ranks.size()), {0, shape.hidden}, ranks.rank() + 1 == ranks.size()};
}

}  // namespace

const PipelineSchedule gpipe = {"gpipe", "GPipe", run_gpipe, [](int, int, int micros) { return micros; }};
const PipelineSchedule one_forward_one_backward = {
    "1f1b", "1F1B", run_one_forward_one_backward,
    [](int stage, int stages, int micros) { return std::min(micros, stages - stage); }};

double bubble_predicted(int stages, int micros) { return (stages - 1.) / (micros + stages - 1.); }

double simulate_bubble(const PipelineSchedule& schedule, int stages, int micros) {
  ThreadRanks ranks(stages, {0, 1. / sizeof(float)});  // a message takes 1 s per number
  ranks.run([&](Transport& me) {
    TimedStage stage(me);
    schedule.run(me, stage, micros);
  });
  return 1 - 3 * micros / ranks.seconds();
}

// ---- One rank's stage of a network ----

PipelineParallel::PipelineParallel(Transport& ranks, const NetworkShape& shape, const PipelineSchedule& schedule,
                                   int micros)
    : Trainer(shape, stage_of(ranks, shape)),
      ranks_(ranks),
      schedule_(schedule),
      micros_(micros),
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
  const std::int64_t start = now_ns();
  const Range rows = rows_of(micro);
  const ContiguousView received = {rows.size(), width_, x_in.data()};
  Kept& kept = keep(micro);
  network_.forward(ranks_.rank() == 0 ? ContiguousView(batch_->x).row_range(rows.first, rows.last) : received, kept);
  x_out = kept.x.back().numbers();
  busy_seconds_ += static_cast<double>(now_ns() - start) * 1e-9;
}

void PipelineParallel::backward(int micro) {
  const std::int64_t start = now_ns();
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
  busy_seconds_ += static_cast<double>(now_ns() - start) * 1e-9;
}

/// Returns room for the activations of a micro-batch: a free slot, or a new one if all are in use.
Kept& PipelineParallel::keep(int micro) {
  auto slot = std::ranges::find(kept_, none, &Slot::micro);
  if (slot == kept_.end()) slot = kept_.insert(slot, Slot{});
  slot->micro = micro;
  return slot->kept;
}

}  // namespace hf::scaling

#include "05-scaling/kernels/training/pipeline_schedule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "common/ranks/transport.hpp"
#include "common/ranks/transport_threads.hpp"

namespace hf::scaling {
namespace {

struct Neighbours {
  int previous, next;
};

Neighbours neighbours(const Transport& ranks) {
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
  const int ahead = std::min(micros, ranks.size() - 1 - ranks.rank());  // on their way to the last stage and back
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

/// A stage that takes time, on the clocks of ThreadRanks, and does nothing: work is a message to oneself.
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

}  // namespace

const PipelineSchedule gpipe = {"gpipe", "GPipe", run_gpipe, [](int, int, int micros) { return micros; }};
const PipelineSchedule one_forward_one_backward = {
    "1f1b", "1F1B", run_one_forward_one_backward,
    [](int stage, int stages, int micros) { return std::min(micros, stages - stage); }};

double bubble_predicted(int stages, int micros) { return (stages - 1.) / (micros + stages - 1.); }

double simulate_bubble(const PipelineSchedule& schedule, int stages, int micros) {
  ThreadRanks ranks(stages, {0, 1. / sizeof(float)});  // a second for each number
  ranks.run([&](Transport& me) {
    TimedStage stage(me);
    schedule.run(me, stage, micros);
  });
  return 1 - 3 * micros / ranks.seconds();
}

}  // namespace hf::scaling

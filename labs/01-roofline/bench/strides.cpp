// What does a stride cost? One float of every 1 to 64, from a near cache and from memory.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/bench/steps.hpp"
#include "01-roofline/kernels/strided.hpp"
#include "harness/measure/keep.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/report/lab.hpp"
#include "kit/streams/stream_runs.hpp"

namespace hf::roofline {
namespace {

const Axis stride_axis = {"stride in floats", "1"}, time_axis = {"time for each float used", "ns"};

constexpr std::size_t strides[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr std::size_t near_floats = 256 * 1024 / sizeof(float);  // more than a first cache holds, less than a second
constexpr std::size_t piece_floats = 1024 * 1024 / sizeof(float);

/// The pieces of an array, one after the other, whichever loop takes the next. If the array is larger than the caches,
/// a piece has left them before it is due again.
class Pieces {
 public:
  Pieces(const float* array, std::size_t floats, std::size_t floats_each)
      : array_(array), floats_each_(floats_each), count_(std::max<std::size_t>(floats / floats_each, 1)) {}

  const float* next() { return array_ + floats_each_ * (at_++ % count_); }
  std::size_t floats_each() const { return floats_each_; }

 private:
  const float* array_;
  std::size_t floats_each_, count_, at_ = 0;
};

enum class Loop { load, sum };

std::string id(Loop loop, std::size_t stride) {
  return (loop == Loop::sum ? "sum " : "load ") + std::to_string(stride);
}

/// One call is one piece.
Variant variant(Loop loop, std::size_t stride, Pieces& pieces) {
  const std::size_t n = pieces.floats_each();
  if (loop == Loop::sum) return timed(id(loop, stride), [=, &pieces] { keep(sum_strided(pieces.next(), n, stride)); });
  return timed(id(loop, stride), [=, &pieces] { load_strided(pieces.next(), n, stride); });
}

/// The loops over the pieces of one array, sampled side by side.
class Strides {
 public:
  Strides(Pieces& pieces, const Plan& plan) : floats_(pieces.floats_each()) {
    std::vector<Variant> variants;
    for (const std::size_t stride : strides) {
      for (const Loop loop : {Loop::load, Loop::sum}) variants.push_back(variant(loop, stride, pieces));
    }
    sampling_ = sample_interleaved(variants, plan);
  }

  Estimate ns(Loop loop, std::size_t stride) const { return times(sampling_.of(id(loop, stride)), 1e9 / used(stride)); }

  /// How many times as long each float takes when they are 16 apart as when they are neighbours.
  Estimate cost_of_16(Loop loop) const { return times(sampling_.ratio(id(loop, 16), id(loop, 1)), used(1) / used(16)); }

  Series series(std::string id, std::string label, Loop loop) const {
    Series series = {std::move(id), std::move(label), Kind::measured, stride_axis, time_axis};
    for (const std::size_t stride : strides) series.points.emplace_back(static_cast<double>(stride), ns(loop, stride));
    return series;
  }

 private:
  double used(std::size_t stride) const {
    const std::size_t floats = (floats_ + stride - 1) / stride;
    return static_cast<double>(floats);
  }

  std::size_t floats_;
  Sampling sampling_;
};

}  // namespace

void measure_strides(Lab& lab, Shared& shared) {
  shared.runs.reset();  // gives its memory back
  Series predicted = {"stride_dram_predicted", "lines from DRAM", Kind::modelled, stride_axis, time_axis};
  for (const std::size_t stride : strides) {
    predicted.points.emplace_back(static_cast<double>(stride), delivery_ns(stride, lab.value("bandwidth_dram_gbs")));
  }
  lab.add(std::move(predicted));

  const StreamMemory memory(shared.one, shared.largest);
  Pieces near_pieces(memory.of(0), near_floats, near_floats);
  Pieces far_pieces(memory.of(0), shared.largest / sizeof(float), piece_floats);
  Plan from_memory = lab.memory_plan(2);
  from_memory.warm_seconds = 0;
  const Strides near(near_pieces, lab.plan(2)), far(far_pieces, from_memory);
  lab.add(near.series("stride_near", "loads from a near cache", Loop::load));
  lab.add(near.series("stride_near_sum", "one sum, from a near cache", Loop::sum));
  lab.add(far.series("stride_dram", "loads from DRAM", Loop::load));
  lab.add(far.series("stride_dram_sum", "one sum, from DRAM", Loop::sum));
  lab.add(Value("stride_16_near_cost", near.cost_of_16(Loop::load), "1"));
  lab.add(Value("stride_16_near_sum_cost", near.cost_of_16(Loop::sum), "1"));
  lab.add(Value("stride_16_dram_cost", far.cost_of_16(Loop::load), "1"));
  lab.add(Value("addition_ns", near.ns(Loop::sum, 1), "ns", "an addition in a chain"));
}

}  // namespace hf::roofline

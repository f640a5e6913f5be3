// A blur in two stages: locality against recomputation.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/bench/fusion.hpp"
#include "07-compilers/kernels/fusion/blur.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/lab.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/side_by_side.hpp"
#include "harness/work.hpp"

namespace hf::compilers {
namespace {

using roofline::Stream;

const Axis rows_axis = {"rows made at a time", "1"}, ms_axis = {"time", "ms"};

std::size_t input_floats(const BlurShape& shape) { return shape.input_rows() * shape.input_columns(); }

Buffer random_floats(std::size_t count) {
  Buffer buffer(count * sizeof(float), Pages::huge);
  fill_random(buffer.as<float>(), 1);
  return buffer;
}

/// Numbers up to 1, weights that add up to 1: each of 2 · taps roundings is at most half a unit in the last place.
void check(const BlurShape& shape, const float* input, const float* result, const std::string& name) {
  constexpr std::size_t checked = 97;  // so many numbers of the result, all over it
  const double allowed = 2 * as_double(shape.taps) * 0x1p-24;
  for (std::size_t i = 0; i < checked; ++i) {
    const std::size_t row = random_below(2, 2 * i, shape.rows), column = random_below(2, 2 * i + 1, shape.columns);
    const double error = std::abs(double{result[row * shape.columns + column]} - blurred(shape, input, row, column));
    if (!(error <= allowed)) throw std::runtime_error("blur, " + name + ": a result is wrong");
  }
}

/// A picture so many times as large as the largest cache of this machine, where there is memory for it; to be blurred with
/// so many taps.
BlurShape picture_beyond_last_cache(const Machine& machine, double times, std::size_t taps) {
  // So narrow that the first cache holds nine rows and more; no power of two, which would put them all into the same sets.
  constexpr std::size_t columns = 832;
  const double cache = std::max(as_double(machine.last_level_cache_bytes()), 0x1p23);
  const double room = static_cast<double>(available_memory_bytes()) / 8;
  return {static_cast<std::size_t>(std::min(times * cache, room) / (columns * sizeof(float))), columns, taps};
}

/// A picture, and memory for its blur under any schedule.
class BlurRuns {
 public:
  /// \param step  from one height of tiles to the next
  /// \throws OutOfMemory
  /// \throws std::runtime_error where a schedule gives wrong numbers
  BlurRuns(const BlurShape& shape, std::size_t step) : shape_(shape) {
    for (std::size_t rows = 1; rows < shape.rows; rows *= step) schedules_.push_back({rows});
    schedules_.push_back(breadth_first(shape));
    schedules_.push_back(slide());
    memory_.push_back(random_floats(input_floats(shape)));
    memory_.push_back(random_floats(kept_rows(shape, breadth_first(shape)) * shape.columns));
    memory_.push_back(random_floats(shape.rows * shape.columns));
    for (const BlurSchedule& schedule : schedules_) {
      blur(shape_, schedule, array(0), array(1), array(2));
      check(shape_, array(0), array(2), name(schedule));
    }
  }

  /// Tiles of one row, of `step` times as many, and so on up to all of them; the last one slides.
  std::span<const BlurSchedule> schedules() const { return schedules_; }

  /// Every schedule on one core, named by name().
  std::vector<Variant> variants() {
    std::vector<Variant> variants;
    for (const BlurSchedule& schedule : schedules_) {
      const auto run = [this, schedule] { blur(shape_, schedule, array(0), array(1), array(2)); };
      variants.push_back(pinned(timed(name(schedule), run)));
    }
    return variants;
  }
  std::string name(const BlurSchedule& schedule) const {
    const std::string how = schedule.sliding ? "sliding" : std::to_string(schedule.tile_rows) + " rows";
    return "blur " + std::to_string(shape_.taps) + ", " + how;
  }

  const BlurShape& shape() const { return shape_; }

 private:
  float* array(std::size_t i) const { return memory_[i].as<float>().data(); }

  BlurShape shape_;
  std::vector<BlurSchedule> schedules_;
  std::vector<Buffer> memory_;  ///< input, rows in between, result
};

/// What a blur takes where memory is not waited for: with all of it in the first cache, nothing kept. GFLOP/s, one core.
Estimate blur_gflops_near(std::size_t taps, const Plan& plan) {
  const BlurShape shape = {4, 256, taps};
  const Buffer input = random_floats(input_floats(shape)), between = random_floats(taps * shape.columns),
               result = random_floats(shape.rows * shape.columns);
  const auto run = [&] {
    blur(shape, recompute(), input.as<float>().data(), between.as<float>().data(), result.as<float>().data());
  };
  const double flops = blur_work(shape, recompute(), true).flops;
  return rate(flops, sample(pinned(timed("blur near", run)), plan));
}

/// Two measured speeds: arithmetic with everything near, and copying. What is computed does not wait for what crosses, nor
/// the other way round, as far as a core can look ahead; beyond that one waits for the other.
struct BlurSpeeds {
  double near_gflops, copy_gbs, near_bytes;

  double seconds(const BlurShape& shape, const BlurSchedule& schedule) const {
    const bool near = as_double(kept_rows(shape, schedule) * shape.columns * sizeof(float)) <= near_bytes;
    const Work work = blur_work(shape, schedule, near);
    return work.flops / near_gflops * 1e-9 + work.traffic() / copy_gbs * 1e-9;
  }
};

/// Series and values of one number of taps.
struct BlurIds {
  std::size_t taps;
  const char *time, *time_predicted, *sliding_ms, *sliding_predicted_ms, *recompute_slowdown, *sliding_speedup;
};
constexpr BlurIds all_ids[] = {{3, "blur_3_time", "blur_3_time_predicted", "blur_3_sliding_ms",
                                "blur_3_sliding_predicted_ms", "blur_3_recompute_slowdown", "blur_3_sliding_speedup"},
                               {9, "blur_9_time", "blur_9_time_predicted", "blur_9_sliding_ms",
                                "blur_9_sliding_predicted_ms", "blur_9_recompute_slowdown", "blur_9_sliding_speedup"}};

void measure_taps(Lab& lab, const BlurIds& ids) {
  const std::size_t taps = ids.taps;
  BlurRuns runs(picture_beyond_last_cache(lab.machine(), lab.quick() ? 1 : 2, taps), lab.quick() ? 4 : 2);
  CopyRuns copies(2 * runs.shape().rows * runs.shape().columns * sizeof(float));
  Plan near_plan = lab.plan(10 * fusion_parts), plan = lab.memory_plan(fusion_parts);
  plan.minimum_rounds = 3;
  const double near_gflops = blur_gflops_near(taps, near_plan).median;
  std::vector<Variant> variants = runs.variants();
  for (Variant& copy : copies.variants(Cores::one)) variants.push_back(std::move(copy));
  const Sampling sampling = sample_side_by_side({variants}, plan);

  const BlurSpeeds speeds = {near_gflops, copies.traffic_gbs(sampling, Stream::copy, Cores::one).median,
                             static_cast<double>(lab.machine().last_level_cache_bytes()) / 2};
  const std::string label = std::to_string(taps) + " taps";
  Series tiles = {ids.time, label, Kind::measured, rows_axis, ms_axis};
  Series tiles_predicted = {ids.time_predicted, label + ", predicted", Kind::modelled, rows_axis, ms_axis};
  for (const BlurSchedule& schedule : runs.schedules()) {
    const Estimate ms = times(sampling.of(runs.name(schedule)), 1e3);
    const double predicted_ms = speeds.seconds(runs.shape(), schedule) * 1e3;
    if (schedule.sliding) {
      lab.add(Value(ids.sliding_ms, ms, "ms"));
      lab.modelled(ids.sliding_predicted_ms, predicted_ms, "ms");
      continue;
    }
    tiles.points.emplace_back(as_double(schedule.tile_rows), ms);
    tiles_predicted.points.emplace_back(as_double(schedule.tile_rows), predicted_ms);
  }
  lab.add(std::move(tiles));
  lab.add(std::move(tiles_predicted));
  const std::string breadth = runs.name(breadth_first(runs.shape()));
  lab.add(Value(ids.recompute_slowdown, sampling.ratio(runs.name(recompute()), breadth), "1"));
  lab.add(Value(ids.sliding_speedup, sampling.ratio(breadth, runs.name(slide())), "1"));
}

}  // namespace

void measure_blur(Lab& lab) {
  for (const BlurIds& ids : all_ids) measure_taps(lab, ids);
}

}  // namespace hf::compilers

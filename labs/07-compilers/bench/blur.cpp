// Times a blur in two stages: locality against recomputation.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "07-compilers/bench/fusion.hpp"
#include "07-compilers/kernels/fusion/blur.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/side_by_side.hpp"

namespace hf::compilers {
namespace {

using roofline::Stream;

const Axis rows_axis = {"rows made at a time", "1"}, ms_axis = {"time", "ms"};

/// Shape of a picture that is `times` as large as this machine's largest cache, or smaller if memory is too small, for
/// a blur with `taps` taps.
BlurShape picture_beyond_last_cache(const Machine& machine, double times, std::size_t taps) {
  // Narrow enough for nine or more rows in the first cache. Not a power of two, which would map all rows to the same
  // sets.
  constexpr std::size_t columns = 832;
  const double cache = std::max(as_double(machine.last_level_cache_bytes()), 0x1p23);
  const double room = static_cast<double>(available_memory_bytes()) / 8;
  return {static_cast<std::size_t>(std::min(times * cache, room) / (columns * sizeof(float))), columns, taps};
}

/// A picture, and memory for its blur under any schedule.
class Picture {
 public:
  /// \throws OutOfMemory
  explicit Picture(const BlurShape& of)
      : shape(of),
        input_(random(shape.input_rows() * shape.input_columns())),
        between_(random(kept_rows(shape, breadth_first(shape)) * shape.columns)),
        result_(random(shape.rows * shape.columns)) {}

  const BlurShape shape;

  /// Returns a variant on one core. This object must outlive it.
  Variant variant(std::string id, const BlurSchedule& schedule) const {
    return pinned(timed(std::move(id), [this, schedule] {
      blur(shape, schedule, numbers(input_), numbers(between_), numbers(result_));
    }));
  }

  /// Error of the last result as a share of the allowed error. Numbers are up to 1 and weights add up to 1, so each of
  /// the 2 · taps roundings is at most half a unit in the last place.
  double error_share() const {
    constexpr std::size_t checked = 97;  // random places in the result
    double worst = 0;
    for (std::size_t i = 0; i < checked; ++i) {
      const std::size_t row = random_below(2, 2 * i, shape.rows), column = random_below(2, 2 * i + 1, shape.columns);
      const double error =
          numbers(result_)[row * shape.columns + column] - blurred(shape, numbers(input_), row, column);
      worst = std::isnan(error) ? INFINITY : std::max(worst, std::abs(error));
    }
    return worst / (2 * as_double(shape.taps) * 0x1p-24);
  }

 private:
  static Buffer random(std::size_t count) {
    Buffer buffer(count * sizeof(float), Pages::huge);
    fill_random(buffer.as<float>(), 1);
    return buffer;
  }
  static float* numbers(const Buffer& buffer) { return buffer.as<float>().data(); }

  Buffer input_, between_, result_;
};

/// Speed of a blur without waiting for memory: all data in the first cache, no rows kept. GFLOP/s, one core.
Estimate blur_gflops_near(std::size_t taps, const Plan& plan) {
  const Picture picture({4, 256, taps});
  return rate(blur_work(picture.shape, recompute(), true).flops,
              sample(picture.variant("blur near", recompute()), plan));
}

/// Two measured speeds: arithmetic with all data in the first cache, and copying. A core overlaps arithmetic and
/// transfers only as far as it can look ahead, so seconds() adds their times.
struct BlurSpeeds {
  double near_gflops, copy_gbs, near_bytes;

  double seconds(const BlurShape& shape, const BlurSchedule& schedule) const {
    const bool near = as_double(kept_rows(shape, schedule) * shape.columns * sizeof(float)) <= near_bytes;
    const Work work = blur_work(shape, schedule, near);
    return work.flops / near_gflops * 1e-9 + work.traffic() / copy_gbs * 1e-9;
  }
};

std::string rows_id(std::size_t rows) { return "blur " + std::to_string(rows) + " rows"; }

void measure_taps(Lab& lab, std::size_t taps) {
  const std::string id = "blur_" + std::to_string(taps), label = std::to_string(taps) + " taps";
  const Picture picture(picture_beyond_last_cache(lab.machine(), lab.quick() ? 1 : 2, taps));
  const BlurShape& shape = picture.shape;
  std::vector<std::size_t> tiles;
  for (std::size_t rows = 1; rows < shape.rows; rows *= lab.quick() ? 4 : 2) tiles.push_back(rows);
  tiles.push_back(shape.rows);
  std::vector<Variant> variants;
  for (const std::size_t rows : tiles) variants.push_back(picture.variant(rows_id(rows), {rows}));
  variants.push_back(picture.variant("blur sliding", slide()));
  for (const Variant& variant : variants) {
    variant.seconds(1);
    verify(picture.error_share(), variant.id + ", " + label);
  }
  Roofs roofs(2 * shape.rows * shape.columns * sizeof(float));
  for (Variant& copy : roofs.copies(Threads::one)) variants.push_back(std::move(copy));
  Plan plan = lab.memory_plan(fusion_parts);
  plan.minimum_rounds = 3;
  const double near_gflops = blur_gflops_near(taps, lab.plan(10 * fusion_parts)).median;
  const Sampling sampling = sample_side_by_side({variants}, plan);

  const BlurSpeeds speeds = {near_gflops, roofs.traffic_gbs(sampling, Stream::copy, Threads::one).median,
                             static_cast<double>(lab.machine().last_level_cache_bytes()) / 2};
  Series measured = {id + "_time", label, Kind::measured, rows_axis, ms_axis};
  Series predicted = {id + "_time_predicted", label + ", predicted", Kind::modelled, rows_axis, ms_axis};
  for (const std::size_t rows : tiles) {
    measured.points.emplace_back(as_double(rows), times(sampling.of(rows_id(rows)), 1e3));
    predicted.points.emplace_back(as_double(rows), speeds.seconds(shape, {rows}) * 1e3);
  }
  lab.add(Value(id + "_sliding_ms", times(sampling.of("blur sliding"), 1e3), "ms"));
  lab.modelled(id + "_sliding_predicted_ms", speeds.seconds(shape, slide()) * 1e3, "ms");
  for (Series* series : {&measured, &predicted}) lab.add(std::move(*series));
  const std::string breadth = rows_id(shape.rows);
  lab.add(Value(id + "_recompute_slowdown", sampling.ratio(rows_id(1), breadth), "1"));
  lab.add(Value(id + "_sliding_speedup", sampling.ratio(breadth, "blur sliding"), "1"));
}

}  // namespace

void measure_blur(Lab& lab) {
  for (const std::size_t taps : blur_taps) measure_taps(lab, taps);
}

}  // namespace hf::compilers

#include "07-compilers/bench/blur_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "07-compilers/kernels/fusion/blur.hpp"
#include "common/pinned.hpp"
#include "common/random.hpp"
#include "harness/as_double.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"

namespace hf::compilers {
namespace {

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

}  // namespace

BlurShape picture_past_caches(const Machine& machine, double times, std::size_t taps) {
  // So narrow that the first cache holds nine rows and more; no power of two, which would put them all into the same sets.
  constexpr std::size_t columns = 832;
  const double cache = std::max(as_double(machine.last_level_cache_bytes()), 0x1p23);
  const double room = static_cast<double>(available_memory_bytes()) / 8;
  return {static_cast<std::size_t>(std::min(times * cache, room) / (columns * sizeof(float))), columns, taps};
}

BlurRuns::BlurRuns(const BlurShape& shape, std::size_t step) : shape_(shape) {
  for (std::size_t rows = 1; rows < shape.rows; rows *= step) schedules_.push_back({rows});
  schedules_.push_back(breadth_first(shape));
  schedules_.push_back(slide());
  memory_.push_back(random_floats(input_floats(shape)));
  memory_.push_back(random_floats(kept_rows(shape, breadth_first(shape)) * shape.columns));
  memory_.push_back(random_floats(shape.rows * shape.columns));
  for (const Schedule& schedule : schedules_) {
    blur(shape_, schedule, array(0), array(1), array(2));
    check(shape_, array(0), array(2), name(schedule));
  }
}

std::vector<Variant> BlurRuns::variants() {
  std::vector<Variant> variants;
  for (const Schedule& schedule : schedules_) {
    const auto run = [this, schedule] { blur(shape_, schedule, array(0), array(1), array(2)); };
    variants.push_back(pinned(timed(name(schedule), run)));
  }
  return variants;
}

std::string BlurRuns::name(const Schedule& schedule) const {
  const std::string how = schedule.sliding ? "sliding" : std::to_string(schedule.tile_rows) + " rows";
  return "blur " + std::to_string(shape_.taps) + ", " + how;
}

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

}  // namespace hf::compilers

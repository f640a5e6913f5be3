#include "07-compilers/kernels/fusion/blur.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/work.hpp"
#include "harness/measure/vector.hpp"

namespace hf::compilers {
namespace {

constexpr std::size_t sums = 4;  // registers of the result in use, so that no addition waits for the one before

/// Runs a picture through both stages.
template <std::size_t taps>
class Stages {
 public:
  Stages(const BlurShape& shape, const float* input, float* between, float* result)
      : shape_(shape), input_(input), between_(between), result_(result) {
    const std::vector<float> weights = blur_weights(taps);
    for (std::size_t i = 0; i < taps; ++i) weights_[i] = broadcast(weights[i]);
  }

  void run(const BlurSchedule& schedule) {
    if (schedule.sliding) return slide();
    for (std::size_t row = 0; row < shape_.rows; row += schedule.tile_rows) {
      tile(row, std::min(schedule.tile_rows, shape_.rows - row));
    }
  }

 private:
  /// Computes `count` rows of the result, and all rows of the first stage that they need.
  void tile(std::size_t row, std::size_t count) {
    for (std::size_t i = 0; i < count + taps - 1; ++i) first_stage(row + i, i);
    for (std::size_t i = 0; i < count; ++i) {
      second_stage(row + i, [i](std::size_t tap) { return i + tap; });
    }
  }

  /// The first stage is always taps − 1 rows ahead, and overwrites the oldest row, which is no longer needed.
  void slide() {
    for (std::size_t i = 0; i + 1 < taps; ++i) first_stage(i, i);
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      first_stage(i + taps - 1, (i + taps - 1) % taps);
      second_stage(i, [i](std::size_t tap) { return (i + tap) % taps; });
    }
  }

  void first_stage(std::size_t input_row, std::size_t kept_row) {
    const float* from = input_ + input_row * shape_.input_columns();
    add_up(between_ + kept_row * shape_.columns, [from](std::size_t tap) { return from + tap; });
  }

  template <class KeptRow>
  void second_stage(std::size_t row, const KeptRow& kept_row) {
    const float* from[taps];
    for (std::size_t tap = 0; tap < taps; ++tap) from[tap] = between_ + kept_row(tap) * shape_.columns;
    add_up(result_ + row * shape_.columns, [&from](std::size_t tap) { return from[tap]; });
  }

  /// to[j] = Σ weight · at(tap)[j]
  template <class At>
  void add_up(float* to, const At& at) const {
    for (std::size_t j = 0; j < shape_.columns; j += sums * lanes) {
      Floats sum[sums] = {};
#pragma GCC unroll 9
      for (std::size_t tap = 0; tap < taps; ++tap) {
        const float* from = at(tap) + j;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < sums; ++k) sum[k] += weights_[tap] * load(from + k * lanes);
      }
#pragma GCC unroll 4
      for (std::size_t k = 0; k < sums; ++k) store(to + j + k * lanes, sum[k]);
    }
  }

  BlurShape shape_;
  const float* input_;
  float *between_, *result_;
  Floats weights_[taps];
};

/// FLOPs of `rows` rows of either stage.
double flops_of(std::size_t rows, const BlurShape& shape) {
  return static_cast<double>(rows * shape.columns * (2 * shape.taps - 1));
}

double bytes_of(std::size_t rows, std::size_t columns) { return static_cast<double>(rows * columns * sizeof(float)); }

}  // namespace

std::vector<float> blur_weights(std::size_t taps) {
  std::vector<float> weights(taps);
  double sum = 0;
  for (std::size_t i = 0; i < taps; ++i) {
    const double from_middle = static_cast<double>(i) - static_cast<double>(taps - 1) / 2;
    weights[i] = static_cast<float>(std::exp(-8 * from_middle * from_middle / static_cast<double>(taps * taps)));
    sum += weights[i];
  }
  for (float& weight : weights) weight = static_cast<float>(weight / sum);
  return weights;
}

std::size_t kept_rows(const BlurShape& shape, const BlurSchedule& schedule) {
  return schedule.sliding ? shape.taps : std::min(schedule.tile_rows, shape.rows) + shape.taps - 1;
}

std::size_t computed_rows(const BlurShape& shape, const BlurSchedule& schedule) {
  if (schedule.sliding) return shape.input_rows();
  const std::size_t tiles = (shape.rows + schedule.tile_rows - 1) / schedule.tile_rows;
  return shape.rows + tiles * (shape.taps - 1);
}

void blur(const BlurShape& shape, const BlurSchedule& schedule, const float* input, float* between, float* result) {
  switch (shape.taps) {
    case 3: return Stages<3>(shape, input, between, result).run(schedule);
    case 9: return Stages<9>(shape, input, between, result).run(schedule);
    default: throw std::invalid_argument("blur: " + std::to_string(shape.taps) + " taps: expected 3 or 9");
  }
}

Work blur_work(const BlurShape& shape, const BlurSchedule& schedule, bool nearby) {
  const double read = bytes_of(shape.input_rows(), shape.columns + shape.taps - 1);
  const double written = bytes_of(shape.rows, shape.columns);
  const double between = nearby ? 0 : bytes_of(computed_rows(shape, schedule), shape.columns);
  return {.flops = flops_of(computed_rows(shape, schedule), shape) + flops_of(shape.rows, shape),
          .bytes = read + written + 2 * between,
          .allocated_bytes = written + between};
}

double blurred(const BlurShape& shape, const float* input, std::size_t row, std::size_t column) {
  const std::vector<float> weights = blur_weights(shape.taps);
  double sum = 0;
  for (std::size_t i = 0; i < shape.taps; ++i) {
    for (std::size_t j = 0; j < shape.taps; ++j) {
      sum += double{weights[i]} * double{weights[j]} * double{input[(row + i) * shape.input_columns() + column + j]};
    }
  }
  return sum;
}

}  // namespace hf::compilers

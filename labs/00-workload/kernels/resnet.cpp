#include "00-workload/kernels/resnet.hpp"
#include "kit/transformer/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "kit/random.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/operators.hpp"

namespace hf::workload {

using enum OperatorClass;

Resnet::Resnet(const ResnetShape& shape) : shape_(shape) {
  stem_ = add_convolution(3, shape.width, 7, 2);
  std::size_t in = shape.width;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::size_t out = shape.width << stage;
    for (std::size_t number = 0; number < 2; ++number) {
      const std::size_t stride = stage > 0 && number == 0 ? 2 : 1;
      Block block = {add_convolution(in, out, 3, stride), add_convolution(out, out, 3, 1), {}};
      if (stride == 2) block.around.push_back(add_convolution(in, out, 1, 2));
      blocks_.push_back(block);
      in = out;
    }
  }
  dense_weight_ = parameters_.add("dense weight", shape.classes * in);
  parameters_.add("dense bias", shape.classes);
  parameters_.allocate();
  initialise(stem_, 1);
  for (const Block& block : blocks_) {
    initialise(block.first, 1);
    initialise(block.second, 0.5f);  // so that sums with the shortcut don't grow from block to block
    for (const Convolution& around : block.around) initialise(around, 1);
  }
  fill_random(parameters_.span(dense_weight_), dense_weight_, std::sqrt(6 / static_cast<float>(in)));
  fill_random(parameters_.span(dense_weight_ + 1), dense_weight_ + 1, 0.1f);

  const std::size_t half = windows(shape.side, 7, 2), quarter = windows(half, 3, 2);
  const std::size_t largest = shape.width * half * half;
  x_ = activations_.add("x", largest);
  y_ = activations_.add("y", largest);
  around_ = activations_.add("around", largest);
  columns_ = activations_.add("columns", std::max(3 * 49 * half * half, shape.width * 9 * quarter * quarter));
  pooled_ = activations_.add("pooled", in);
  scores_ = activations_.add("scores", shape.classes);
  activations_.allocate();
}

Convolution Resnet::add_convolution(std::size_t in, std::size_t out, std::size_t kernel, std::size_t stride) {
  const std::size_t weight = parameters_.add("convolution", out * in * kernel * kernel);
  const std::size_t scale = parameters_.add("scale", out), shift = parameters_.add("shift", out);
  return {in, out, kernel, stride, weight, scale, shift};
}

void Resnet::initialise(const Convolution& c, float scale) {
  const float spread = std::sqrt(6 / static_cast<float>(c.in * c.kernel * c.kernel));  // He et al., 2015
  fill_random(parameters_.span(c.weight), c.weight, spread);
  fill_random(parameters_.span(c.scale), c.scale, 0.1f, scale);
  fill_random(parameters_.span(c.shift), c.shift, 0.1f);
}

/// x (in, side, side), y (out, places along a side, places along a side)
void Resnet::convolve(const Convolution& c, const float* x, float* y, std::size_t side, Operators& run) const {
  const std::size_t places = windows(side, c.kernel, c.stride);
  const std::size_t n = places * places, k = c.in * c.kernel * c.kernel;
  const float *weight = parameters_.at(c.weight), *scale = parameters_.at(c.scale), *shift = parameters_.at(c.shift);
  float* columns = activations_.at(columns_);
  // columns (k, n) from x (in, side, side); y (out, n) = weight · columns
  run.im2col(x, columns, c.in, side, side, c.kernel, c.stride);
  run.multiply({gemm, "convolution", c.out, n, k}, weight, columns, y);
  run.scale_and_shift(y, scale, shift, c.out, n);
}

/// x ← ReLU(second(ReLU(first(x))) + around(x)), in place
void Resnet::run_block(const Block& block, float* x, std::size_t side, Operators& run) const {
  float *y = activations_.at(y_), *around = activations_.at(around_);
  const std::size_t places = windows(side, 3, block.first.stride), n = block.first.out * places * places;
  convolve(block.first, x, y, side, run);
  run.relu(y, n);
  if (block.around.empty()) {
    convolve(block.second, y, around, places, run);
    run.add("residual", x, around, x, n);
  } else {
    convolve(block.around.front(), x, around, side, run);
    convolve(block.second, y, x, places, run);
    run.add("residual", x, around, x, n);
  }
  run.relu(x, n);
}

std::span<const float> Resnet::forward(const float* picture, std::size_t side, Ledger& ledger) const {
  Operators run(ledger);
  float *x = activations_.at(x_), *y = activations_.at(y_);
  convolve(stem_, picture, y, side, run);
  side = windows(side, 7, 2);
  run.relu(y, shape_.width * side * side);
  run.max_pool(y, x, shape_.width, side, side);
  side = windows(side, 3, 2);
  for (const Block& block : blocks_) {
    run_block(block, x, side, run);
    side = windows(side, 3, block.first.stride);
  }
  const std::size_t channels = 8 * shape_.width;
  float *pooled = activations_.at(pooled_), *scores = activations_.at(scores_);
  run.average_pool(x, pooled, channels, side * side);
  run.linear("dense", pooled, parameters_.at(dense_weight_), parameters_.at(dense_weight_ + 1), scores, 1, channels,
             shape_.classes);
  return {scores, shape_.classes};
}

}  // namespace hf::workload

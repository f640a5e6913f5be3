#include "05-scaling/kernels/chip/layer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/transformer/loops.hpp"
#include "kit/work.hpp"

namespace hf::scaling {
namespace {

/// Calls fill_random() on all cores, in parts that each have their own sequence.
void fill_shared(std::span<float> to, std::uint64_t sequence, float spread, float middle = 0) {
  constexpr std::size_t part = 1 << 18;
  share_each((to.size() + part - 1) / part, part, [&](std::size_t i) {
    fill_random(to.subspan(i * part, std::min(part, to.size() - i * part)), sequence + i, spread, middle);
  });
}

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::size_t LayerShape::parameters() const {
  const std::size_t biases = qkv_columns() + width + 4 * width + width;
  return width * (qkv_columns() + width + 8 * width) + biases + 4 * width;
}

Work token_work(const LayerShape& shape, std::size_t readers) {
  const double c = as_double(shape.width), b = as_double(readers);
  const double products = 2 * c * as_double(shape.qkv_columns() + shape.width + 8 * shape.width);
  const double rest = 2 * workload::layer_norm_flops * c + 4 * c * workload::gelu_flops;
  return {b * (products + rest), 4 * as_double(shape.parameters()) + b * 2 * 4 * c, 0};
}

Work attention_work(const LayerShape& shape, std::size_t readers, std::size_t positions) {
  const double looks = as_double(readers * positions), heads = as_double(shape.heads);
  const double of_a_look = 4 * as_double(shape.head_width()) + workload::softmax_flops;
  return {looks * heads * of_a_look, looks * 4 * as_double(shape.cached_per_token()), 0};
}

std::string LayerRun::id() const {
  std::string id = std::to_string(readers) + (readers == 1 ? " reader" : " readers");
  if (positions == 0) return id;
  return id + " of " + std::to_string(positions) + " tokens, " + std::to_string(shape.kv_heads) + " KV heads";
}

double LayerRun::intensity() const {
  const Work a = tokens(), b = attention();
  return (a.flops + b.flops) / (a.bytes + b.bytes);
}

double ridge_batch(const LayerShape& shape, const Roofline& roofs) {
  // b · flops / peak = (weights + b · token) / bandwidth
  const Work one = token_work(shape, 1), two = token_work(shape, 2);
  const double token = two.bytes - one.bytes, weights = one.bytes - token;
  return weights / (one.flops / roofs.ridge() - token);
}

LayerWeights::LayerWeights(const LayerShape& shape, std::size_t layers)
    : shape_(shape), memory_((layers * shape.parameters()) * sizeof(float), Pages::huge) {
  const std::size_t c = shape.width;
  constexpr float spread = 0.02f * 1.7320508f;  // a standard deviation of 0.02, as in chapter 00
  fill_shared(memory_.as<float>(), 100, spread);
  float* next = memory_.as<float>().data();
  const auto take = [&](std::size_t size) {
    float* const taken = next;
    next += size;
    return taken;
  };
  const auto take_panels = [&](std::size_t depth, std::size_t columns) {
    return Panels{take(depth * columns), depth, columns};
  };
  for (std::size_t layer = 0; layer < layers; ++layer) {  // braces evaluate take() from left to right
    layers_.push_back(Layer{take(c), take(c), take_panels(c, shape.qkv_columns()), take(shape.qkv_columns()),
                            take_panels(c, c), take(c), take(c), take(c), take_panels(c, 4 * c), take(4 * c),
                            take_panels(4 * c, c), take(c)});
    for (float* gain : {layers_.back().norm1_gain, layers_.back().norm2_gain}) {
      for (std::size_t i = 0; i < c; ++i) gain[i] += 1;
    }
  }
}

GroupedCache::GroupedCache(const LayerShape& shape, std::size_t layers, std::size_t readers, std::size_t capacity)
    : readers_(readers),
      kv_heads_(shape.kv_heads),
      head_width_(shape.head_width()),
      capacity_(round_up(capacity, panel_columns)),
      memory_(static_cast<std::size_t>(bytes(shape, layers, readers, capacity)), Pages::huge) {
  fill_shared(memory_.as<float>(), 1 << 20, 1);
}

double GroupedCache::bytes(const LayerShape& shape, std::size_t layers, std::size_t readers, std::size_t capacity) {
  return 4.0 * as_double(layers * readers * round_up(capacity, panel_columns) * shape.cached_per_token());
}

LayerStep::LayerStep(const LayerWeights& weights, GroupedCache& cache, std::size_t readers, std::size_t context)
    : LayerStep(weights, readers) {
  cache_ = &cache;
  context_ = context;
}

LayerStep::LayerStep(const LayerWeights& weights, std::size_t readers)
    : weights_(weights),
      cache_(nullptr),
      readers_(readers),
      context_(0),
      memory_(readers * 13 * weights.shape().width * sizeof(float), Pages::huge) {
  fill_shared(memory_.as<float>(), 50, 1);
}

std::span<float> LayerStep::part(std::size_t first, std::size_t width_times) const {
  const std::size_t unit = readers_ * weights_.shape().width;
  return memory_.as<float>().subspan(first * unit, width_times * unit);
}

void LayerStep::run() {
  const float* x = part(0, 1).data();
  float* const y = part(1, 1).data();
  for (std::size_t layer = 0; layer < weights_.layers().size(); ++layer) {
    run_layer(layer, x, y);
    x = y;
  }
}

/// Chapter 00's layer; each product starts from its bias and residual.
void LayerStep::run_layer(std::size_t layer, const float* x, float* y) {
  const LayerWeights::Layer& w = weights_.layers()[layer];
  const std::size_t b = readers_, c = weights_.shape().width;
  float *const normed = part(2, 1).data(), *const attended = part(3, 1).data(), *const middle = part(4, 1).data();
  float *const qkv = part(5, 3).data(), *const hidden = part(8, 5).data();
  const std::size_t wide = 4 * c + 16;  // rows a whole number of pages apart would compete for one cache set
  workload::layer_norm(x, w.norm1_gain, w.norm1_bias, normed, b, c);
  multiply_panels({normed, b, c}, w.qkv, w.qkv_bias, nullptr, qkv, weights_.shape().qkv_columns());
  cache_ != nullptr ? attend(layer, qkv, attended) : hand_on_values(qkv, attended);
  multiply_panels({attended, b, c}, w.out, w.out_bias, x, middle, c);

  workload::layer_norm(middle, w.norm2_gain, w.norm2_bias, normed, b, c);
  multiply_panels({normed, b, c}, w.up, w.up_bias, nullptr, hidden, wide);
  workload::gelu(hidden, hidden, b * wide);
  multiply_panels({hidden, b, wide}, w.down, w.down_bias, middle, y, c);
}

/// Computes softmax(q · keys / √D) · values for every user and group; the G queries that share keys are rows of one
/// product.
void LayerStep::attend(std::size_t layer, const float* qkv, float* attended) {
  const LayerShape& shape = weights_.shape();
  const std::size_t d = shape.head_width(), g = shape.group(), positions = context_ + 1;
  const std::size_t padded = round_up(positions, panel_columns);
  const float factor = 1 / std::sqrt(static_cast<float>(d));
  share_each(readers_ * shape.kv_heads, 2 * positions * d, [&](std::size_t number) {
    static thread_local std::vector<float> scores;
    scores.resize(g * padded);
    const std::size_t reader = number / shape.kv_heads, group = number % shape.kv_heads;
    const float* const row = qkv + reader * shape.qkv_columns();
    const Panels keys = cache_->keys(layer, reader, group), values = cache_->values(layer, reader, group);
    for (std::size_t i = 0; i < d; ++i) {
      keys.at(i, context_) = row[shape.width + group * d + i];
      values.at(context_, i) = row[shape.width + (shape.kv_heads + group) * d + i];
    }
    const StridedRows queries = {row + group * g * d, g, d}, weights = {scores.data(), g, padded};
    for (std::size_t j = 0; j < padded; j += panel_columns)
      multiply_panel(queries, d, keys.panel(j / panel_columns), false, scores.data() + j, padded);
    workload::causal_softmax(scores.data(), factor, g, padded, context_, 1);
    for (std::size_t j = 0; j < d; j += panel_columns)
      multiply_panel(weights, positions, values.panel(j / panel_columns), false,
                     attended + reader * shape.width + group * g * d + j, d);
  });
}

void LayerStep::hand_on_values(const float* qkv, float* attended) {
  const LayerShape& shape = weights_.shape();
  const std::size_t d = shape.head_width();
  share_each(readers_, shape.width, [&](std::size_t reader) {
    const float* const values = qkv + reader * shape.qkv_columns() + shape.width + shape.kv_heads * d;
    for (std::size_t head = 0; head < shape.heads; ++head) {
      std::copy_n(values + head / shape.group() * d, d, attended + reader * shape.width + head * d);
    }
  });
}

}  // namespace hf::scaling

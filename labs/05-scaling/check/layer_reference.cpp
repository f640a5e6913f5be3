#include "05-scaling/check/reference.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "05-scaling/kernels/chip/layer.hpp"
#include "kit/loop_team.hpp"
#include "kit/rounded.hpp"

namespace hf::scaling {
namespace {

using Numbers = std::vector<Rounded>;

Numbers norm(const Numbers& x, const float* gain, const float* bias) {
  const Rounded count = static_cast<double>(x.size());
  Rounded mean = 0, variance = 0;
  for (const Rounded& each : x) mean = mean + each;
  mean = mean / count;
  for (const Rounded& each : x) variance = variance + (each - mean) * (each - mean);
  const Rounded deviation = root_of(variance / count + Rounded(1e-5f));
  Numbers y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back((x[i] - mean) / deviation * Rounded(gain[i]) + Rounded(bias[i]));
  return y;
}

Numbers dense(const Numbers& x, const Panels& weights, const float* bias) {
  Numbers y(weights.columns);
  share_each(y.size(), x.size(), [&](std::size_t j) {
    y[j] = bias[j];
    for (std::size_t p = 0; p < x.size(); ++p) y[j] = y[j] + x[p] * Rounded(weights.at(p, j));
  });
  return y;
}

Rounded gelu(const Rounded& x) {
  const Rounded z = Rounded(0.7978845608028654) * (x + Rounded(0.044715) * x * x * x);
  return Rounded(0.5) * x * (Rounded(1) + tanh_of(z));
}

/// Computes softmax(q · keys / √D) · values for one head, D numbers. `key` and `value` are those of the last position;
/// `keys` and `values` hold the positions before.
void look_back(const Rounded* query, const Panels& keys, const Panels& values, const Rounded* key, const Rounded* value,
               std::size_t context, Rounded* out) {
  const std::size_t d = keys.depth;
  Numbers weights;
  for (std::size_t position = 0; position <= context; ++position) {
    Rounded score = 0;
    for (std::size_t i = 0; i < d; ++i)
      score = score + query[i] * (position < context ? Rounded(keys.at(i, position)) : key[i]);
    weights.push_back(score / root_of(Rounded(static_cast<double>(d))));
  }
  const auto less = [](const Rounded& a, const Rounded& b) { return a.value < b.value; };
  const Rounded highest = *std::max_element(weights.begin(), weights.end(), less);
  Rounded sum = 0;
  for (Rounded& each : weights) sum = sum + (each = exponential_of(each - highest));
  for (std::size_t i = 0; i < d; ++i) {
    out[i] = 0;
    for (std::size_t position = 0; position <= context; ++position)
      out[i] = out[i] + weights[position] / sum * (position < context ? Rounded(values.at(position, i)) : value[i]);
  }
}

void add_to(Numbers& x, const Numbers& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + y[i];
}

}  // namespace

std::vector<Rounded> reference_layers(const LayerWeights& weights, const GroupedCache* cache, std::size_t reader,
                                      std::size_t context, std::span<const float> token) {
  const LayerShape& shape = weights.shape();
  const std::size_t d = shape.head_width();
  Numbers x(token.begin(), token.end());
  for (std::size_t layer = 0; layer < weights.layers().size(); ++layer) {
    const LayerWeights::Layer& w = weights.layers()[layer];
    const Numbers qkv = dense(norm(x, w.norm1_gain, w.norm1_bias), w.qkv, w.qkv_bias);
    Numbers attended(shape.width);
    share_each(shape.heads, (context + 1) * d * 8, [&](std::size_t head) {
      const std::size_t group = head / shape.group();
      const Panels nothing = {nullptr, d, 0};
      const Panels keys = cache != nullptr ? cache->keys(layer, reader, group) : nothing;
      const Panels values = cache != nullptr ? cache->values(layer, reader, group) : nothing;
      const Rounded* const key = &qkv[shape.width + group * d];
      look_back(&qkv[head * d], keys, values, key, key + shape.kv_heads * d, context, &attended[head * d]);
    });
    add_to(x, dense(attended, w.out, w.out_bias));
    Numbers hidden = dense(norm(x, w.norm2_gain, w.norm2_bias), w.up, w.up_bias);
    for (Rounded& each : hidden) each = gelu(each);
    add_to(x, dense(hidden, w.down, w.down_bias));
  }
  return x;
}

}  // namespace hf::scaling

#include "00-workload/check/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "kit/loop_team.hpp"
#include "kit/rounded.hpp"

namespace hf::workload {
namespace {

template <class Number>
using Vector = std::vector<Number>;

/// weight · x + bias. \param at  where the weight (out, in) begins among the parameters; the bias follows it
template <class Number>
Vector<Number> dense(const Weights& weights, std::size_t at, const Vector<Number>& x, std::size_t out,
                     bool has_bias = true) {
  Vector<Number> y(out);
  share_each(out, x.size(), [&](std::size_t i) {
    Number sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum = sum + Number(weights[at + i * x.size() + j]) * x[j];
    y[i] = has_bias ? sum + Number(weights[at + out * x.size() + i]) : sum;
  });
  return y;
}

/// \param at  where the gain begins; the bias follows it
template <class Number>
Vector<Number> norm(const Weights& weights, std::size_t at, const Vector<Number>& x) {
  const Number count = static_cast<double>(x.size());
  Number mean = 0, variance = 0;
  for (Number each : x) mean = mean + each;
  mean = mean / count;
  for (Number each : x) variance = variance + (each - mean) * (each - mean);
  const Number deviation = root_of(variance / count + Number(1e-5f));
  Vector<Number> y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y.push_back((x[i] - mean) / deviation * Number(weights[at + i]) + Number(weights[at + x.size() + i]));
  }
  return y;
}

template <class Number>
void soften(Vector<Number>& x) {
  const auto less = [](const Number& a, const Number& b) { return value_of(a) < value_of(b); };
  const Number highest = *std::max_element(x.begin(), x.end(), less);
  Number sum = 0;
  for (Number& each : x) sum = sum + (each = exponential_of(each - highest));
  for (Number& each : x) each = each / sum;
}

template <class Number>
Number gelu_of(Number x) {
  const Number z = Number(0.7978845608028654) * (x + Number(0.044715) * x * x * x);
  return Number(0.5) * x * (Number(1) + tanh_of(z));
}

template <class Number>
void add_to(Vector<Number>& x, const Vector<Number>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + y[i];
}

/// A layer's keys and values of the tokens so far.
template <class Number>
struct Memory {
  std::vector<Vector<Number>> keys, values;  // one vector of C numbers per token
};

/// Computes the attention of the latest token to all tokens, in one head, and writes its D numbers to out.
template <class Number>
void look_back(const Vector<Number>& qkv, const Memory<Number>& memory, std::size_t first, std::size_t d,
               Vector<Number>& out) {
  Vector<Number> weights;
  for (const Vector<Number>& key : memory.keys) {
    Number score = 0;
    for (std::size_t i = first; i < first + d; ++i) score = score + qkv[i] * key[i];
    weights.push_back(score / root_of(Number(static_cast<double>(d))));
  }
  soften(weights);
  for (std::size_t i = first; i < first + d; ++i) {
    Number sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) sum = sum + weights[j] * memory.values[j][i];
    out[i] = sum;
  }
}

/// Runs one token through one layer. \param at  where the layer's parameters begin
template <class Number>
void through_layer(const TransformerShape& shape, const Weights& weights, std::size_t at, Memory<Number>& memory,
                   Vector<Number>& x) {
  const std::size_t c = shape.width, d = shape.head_width();
  const Vector<Number> qkv = dense(weights, at + 2 * c, norm(weights, at, x), 3 * c);
  at += 2 * c + 3 * c * c + 3 * c;
  const auto part = [&](std::size_t i) {
    const auto begin = qkv.begin() + static_cast<std::ptrdiff_t>(i * c);
    return Vector<Number>(begin, begin + static_cast<std::ptrdiff_t>(c));
  };
  memory.keys.push_back(part(1));
  memory.values.push_back(part(2));
  Vector<Number> attended(c);
  for (std::size_t head = 0; head < shape.heads; ++head) look_back(qkv, memory, head * d, d, attended);
  add_to(x, dense(weights, at, attended, c));
  at += c * c + c;

  Vector<Number> hidden = dense(weights, at + 2 * c, norm(weights, at, x), 4 * c);
  at += 2 * c + 4 * c * c + 4 * c;
  for (Number& each : hidden) each = gelu_of(each);
  add_to(x, dense(weights, at, hidden, c));
}

}  // namespace

template <class Number>
std::vector<Vector<Number>> reference_transformer(const TransformerShape& shape, const Weights& weights,
                                                  std::span<const int> tokens, std::size_t first) {
  const std::size_t c = shape.width, positions = shape.vocabulary * c, layers = positions + shape.context * c;
  const std::size_t layer_size = 12 * c * c + 13 * c;
  std::vector<Memory<Number>> memory(shape.layers);
  std::vector<Vector<Number>> logits;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    Vector<Number> x(c);
    for (std::size_t i = 0; i < c; ++i) {
      const std::size_t word = static_cast<std::size_t>(tokens[t]) * c;
      x[i] = Number(weights[word + i]) + Number(weights[positions + t * c + i]);
    }
    for (std::size_t layer = 0; layer < shape.layers; ++layer) {
      through_layer(shape, weights, layers + layer * layer_size, memory[layer], x);
    }
    if (t < first) continue;
    logits.push_back(dense(weights, 0, norm(weights, layers + shape.layers * layer_size, x), shape.vocabulary, false));
  }
  return logits;
}

template std::vector<Vector<double>> reference_transformer(const TransformerShape&, const Weights&,
                                                           std::span<const int>, std::size_t);
template std::vector<Vector<Rounded>> reference_transformer(const TransformerShape&, const Weights&,
                                                            std::span<const int>, std::size_t);

double reference_loss(const TransformerShape& shape, const Weights& weights, std::span<const int> tokens,
                      std::span<const int> targets) {
  std::vector<Vector<double>> logits = reference_transformer<double>(shape, weights, tokens);
  double sum = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    soften(logits[t]);
    sum -= std::log(logits[t][static_cast<std::size_t>(targets[t])]);
  }
  return sum / static_cast<double>(tokens.size());
}

std::vector<Rounded> reference_mlp(const Mlp& mlp, const float* x) {
  const auto [inputs, hidden, classes] = mlp.shape();
  const Weights weights = {mlp.parameters().data()};
  const auto relu = [](Vector<Rounded> y) {
    for (Rounded& each : y) each = each.value > 0 ? each : Rounded(0, each.variance);
    return y;
  };
  const Vector<Rounded> picture(x, x + inputs);
  const Vector<Rounded> first = relu(dense(weights, 0, picture, hidden));
  const std::size_t second_at = (inputs + 1) * hidden, third_at = second_at + (hidden + 1) * hidden;
  const Vector<Rounded> second = relu(dense(weights, second_at, first, hidden));
  Vector<Rounded> y = dense(weights, third_at, second, classes);
  soften(y);
  return y;
}

namespace {

/// A picture: (channels, side, side).
struct Picture {
  std::size_t side;
  Vector<Rounded> pixels;

  std::size_t channels() const { return pixels.size() / side / side; }

  /// Returns 0 outside the picture. Coordinates start at `pad` pixels before the edge.
  Rounded at(std::size_t channel, std::size_t i, std::size_t j, std::size_t pad) const {
    if (i < pad || j < pad || i - pad >= side || j - pad >= side) return 0;
    return pixels[(channel * side + i - pad) * side + j - pad];
  }
};

/// Returns the convolution by its definition, times the channel's scale, plus its shift.
Picture convolved(const Resnet& resnet, const Convolution& c, const Picture& x) {
  const std::span<const float> weight = resnet.parameter(c.weight);
  const std::size_t side = (x.side + 2 * (c.kernel / 2) - c.kernel) / c.stride + 1;
  Picture y = {side, Vector<Rounded>(c.out * side * side)};
  share_each(y.pixels.size(), c.in * c.kernel * c.kernel, [&](std::size_t pixel) {
    const std::size_t out = pixel / side / side, i = pixel / side % side, j = pixel % side;
    Rounded sum = 0;
    for (std::size_t in = 0; in < c.in; ++in) {
      for (std::size_t di = 0; di < c.kernel; ++di) {
        for (std::size_t dj = 0; dj < c.kernel; ++dj) {
          sum = sum + Rounded(weight[((out * c.in + in) * c.kernel + di) * c.kernel + dj]) *
                          x.at(in, i * c.stride + di, j * c.stride + dj, c.kernel / 2);
        }
      }
    }
    y.pixels[pixel] = sum * Rounded(resnet.parameter(c.scale)[out]) + Rounded(resnet.parameter(c.shift)[out]);
  });
  return y;
}

void rectify(Picture& x) {
  for (Rounded& each : x.pixels) each = each.value > 0 ? each : Rounded(0, each.variance);
}

Picture pooled(const Picture& x) {
  Picture y = {(x.side + 1) / 2, {}};
  for (std::size_t channel = 0; channel < x.channels(); ++channel) {
    for (std::size_t i = 0; i < y.side; ++i) {
      for (std::size_t j = 0; j < y.side; ++j) {
        Rounded highest = x.at(channel, 2 * i + 1, 2 * j + 1, 1);
        for (std::size_t window = 0; window < 9; ++window) {  // padding is 0, which is also the minimum after ReLU
          const Rounded each = x.at(channel, 2 * i + window / 3, 2 * j + window % 3, 1);
          if (each.value > highest.value) highest = each;
        }
        y.pixels.push_back(highest);
      }
    }
  }
  return y;
}

}  // namespace

std::vector<Rounded> reference_resnet(const Resnet& resnet, const float* x, std::size_t side) {
  Picture picture = convolved(resnet, resnet.stem(), {side, Vector<Rounded>(x, x + 3 * side * side)});
  rectify(picture);
  picture = pooled(picture);
  for (const Block& block : resnet.blocks()) {
    Picture y = convolved(resnet, block.first, picture);
    rectify(y);
    y = convolved(resnet, block.second, y);
    add_to(y.pixels, block.around.empty() ? picture.pixels : convolved(resnet, block.around[0], picture).pixels);
    rectify(y);
    picture = std::move(y);
  }
  const std::size_t area = picture.side * picture.side;
  Vector<Rounded> means;
  for (std::size_t channel = 0; channel < picture.channels(); ++channel) {
    Rounded sum = 0;
    for (std::size_t i = 0; i < area; ++i) sum = sum + picture.pixels[channel * area + i];
    means.push_back(sum / Rounded(static_cast<double>(area)));
  }
  return dense(Weights{resnet.parameter(resnet.dense_weight()).data()}, 0, means, resnet.shape().classes);
}

}  // namespace hf::workload

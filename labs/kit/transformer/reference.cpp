#include "kit/transformer/reference.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "kit/rounded.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {
namespace {

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
Number gelu_of(Number x) {
  const Number z = Number(0.7978845608028654) * (x + Number(0.044715) * x * x * x);
  return Number(0.5) * x * (Number(1) + tanh_of(z));
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

}  // namespace hf::workload

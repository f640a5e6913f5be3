/// \file
/// Reference results of the transformer, and the layers of other networks' references: in double precision, one number at
/// a time, in the simplest way. Shares only the order of the parameters with the code it checks. Number is double, or
/// Rounded for an error bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kit/loop_team.hpp"
#include "kit/rounded.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::workload {

/// The parameters of a network. One of them may be shifted by `by`, for finite differences.
struct Weights {
  const float* data;
  std::size_t moved = static_cast<std::size_t>(-1);
  double by = 0;

  double operator[](std::size_t i) const { return data[i] + (i == moved ? by : 0); }
};

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

/// x ← softmax(x)
template <class Number>
void soften(Vector<Number>& x) {
  const auto less = [](const Number& a, const Number& b) { return value_of(a) < value_of(b); };
  const Number highest = *std::max_element(x.begin(), x.end(), less);
  Number sum = 0;
  for (Number& each : x) sum = sum + (each = exponential_of(each - highest));
  for (Number& each : x) each = each / sum;
}

/// x += y
template <class Number>
void add_to(Vector<Number>& x, const Vector<Number>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + y[i];
}

/// Returns the logits after each token from `first` on, (tokens − first, V), without cache or batch.
template <class Number>
std::vector<std::vector<Number>> reference_transformer(const TransformerShape& shape, const Weights& weights,
                                                       std::span<const int> tokens, std::size_t first = 0);

/// Returns the mean of −log p(target) over all tokens of one sequence.
double reference_loss(const TransformerShape& shape, const Weights& weights, std::span<const int> tokens,
                      std::span<const int> targets);

}  // namespace hf::workload

/// \file
/// How far one distribution of the next token is from another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace hf::precision {

/// log p of every token.
template <class Logit>
std::vector<double> log_softmax(std::span<const Logit> logits) {
  const double highest = *std::ranges::max_element(logits);
  double sum = 0;
  for (Logit logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
  const double log_sum = highest + std::log(sum);
  std::vector<double> logs;
  for (Logit logit : logits) logs.push_back(static_cast<double>(logit) - log_sum);
  return logs;
}

/// The Kullback-Leibler divergence D(p ‖ q) = Σ p log(p / q) of the distributions given by the logits, nats: the extra
/// loss from predicting q when p is right.
inline double divergence(std::span<const double> p_logits, std::span<const float> q_logits) {
  const std::vector<double> p = log_softmax(p_logits), q = log_softmax(q_logits);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    // p log(p / q) + q − p has the same sum, but its terms are never negative, and small ones do not cancel.
    const double log_ratio = q[i] - p[i];
    sum += std::exp(p[i]) * (std::expm1(log_ratio) - log_ratio);
  }
  return sum;
}

/// −Σ p log p of the distribution given by the logits, nats.
inline double entropy(std::span<const double> logits) {
  double sum = 0;
  for (double log_p : log_softmax(logits)) sum -= std::exp(log_p) * log_p;
  return sum;
}

}  // namespace hf::precision

/// \file
/// How far one prediction of the next token is from another.
#pragma once

#include <span>

namespace hf::precision {

/// The Kullback-Leibler divergence D(p ‖ q) = Σ p log(p / q) of the distributions that the logits stand for, nats: what it
/// costs to believe q where p is right.
double divergence(std::span<const double> p_logits, std::span<const float> q_logits);

/// −Σ p log p of the distribution that the logits stand for, nats.
double entropy(std::span<const double> logits);

}  // namespace hf::precision

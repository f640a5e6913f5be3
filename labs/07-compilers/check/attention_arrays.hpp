/// \file
/// Operands of attention, random or such that every block of keys is rescaled, and the result held to its reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "02-matmul/check/layers_reference.hpp"
#include "07-compilers/kernels/attention/attention.hpp"
#include "common/random.hpp"
#include "common/reference.hpp"
#include "harness/memory.hpp"

namespace hf::compilers {

constexpr std::size_t head_width = 64;  ///< d of what is timed

/// Random queries, keys and values, whose scores have a variance of about 1, and room for the result.
class AttentionArrays {
 public:
  explicit AttentionArrays(std::size_t tokens)
      : head_{tokens, tokens, head_width}, memory_(4 * numbers() * sizeof(float), Pages::base) {
    fill_random({q(), 3 * numbers()}, 1, 1.7f);
  }

  const Head& head() const { return head_; }
  float* q() const { return memory_.as<float>().data(); }
  float* keys() const { return q() + numbers(); }
  const float* k() const { return keys(); }
  const float* v() const { return k() + numbers(); }
  float* out() const { return q() + 3 * numbers(); }

  std::span<const float> result() const { return {out(), numbers()}; }

  void poison() const { std::fill_n(out(), numbers(), std::numeric_limits<float>::quiet_NaN()); }

  /// The largest error of some rows.
  double error_share() const {
    const std::size_t n = head_.queries, d = head_.d;
    std::vector<Reference> row(d);
    double worst = 0;
    for (const std::size_t i : {std::size_t{0}, n / 3, n / 2 + 1, n - 1}) {
      matmul::reference_attention({n, d}, q(), k(), v(), i, row);
      worst = std::max(worst, worst_error_share({out() + i * d, d}, row));
    }
    return worst;
  }

 private:
  std::size_t numbers() const { return head_.queries * head_.d; }

  Head head_;
  Buffer memory_;
};

/// Keys that all point the way that the queries do, each eight longer than those before by so much that its exponential, and
/// with it the reference that all are held to, has grown by more than what is let pass.
inline void let_scores_rise(const AttentionArrays& arrays) {
  constexpr std::size_t keys_at_a_time = 8;
  constexpr float by = 7;  // in a score: e^7 is more than 2^8
  const Head& head = arrays.head();
  std::fill_n(arrays.q(), head.queries * head.d, 1.0f);
  const float step = by * std::sqrt(static_cast<float>(head.d)) / static_cast<float>(keys_at_a_time * head.d);
  for (std::size_t j = 0; j < head.keys; ++j) {
    std::fill_n(arrays.keys() + j * head.d, head.d, step * static_cast<float>(j));
  }
}

}  // namespace hf::compilers

/// \file
/// A text of chapter 00's model on the processor, and the judgement of what the kernels for one token leave behind; for
/// the tests on the processor and on a device. Plain C++.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "03-gpu/check/token_reference.hpp"
#include "kit/reference.hpp"

namespace hf::gpu {

/// What a token's kernels have left on the device.
struct TokenResult {
  std::vector<float> logits;
  std::vector<Bf16> keys, values;
  int token, position;  ///< the next
};

/// Compares a token with the reference. \param text  has not run this token yet
inline void check_token(ReferenceText& text, const TokenResult& found, int token, int position, int next_position) {
  const workload::TransformerShape& shape = text.model.shape();
  const std::span<const float> right = text.logits(token, position);
  CHECK(worst_logit(found.logits, right, shape.layers) <= 1);
  CHECK(found.token == std::max_element(found.logits.begin(), found.logits.end()) - found.logits.begin());
  CHECK(found.position == next_position);
  // The first layer's new key and value have passed one layer norm: one rounding, and one on the way into the cache.
  const std::size_t d = shape.head_width(), at = static_cast<std::size_t>(position) * d;
  for (std::size_t head = 0; head < shape.heads; ++head) {
    const std::size_t first = head * text.cache.capacity() * d + at;
    for (std::size_t i = 0; i < d; ++i) {
      CHECK(std::abs(to_float(found.keys[first + i]) - text.cache.keys(0, 0, head)[at + i]) <= 0.03);
      CHECK(std::abs(to_float(found.values[first + i]) - text.cache.values(0, 0, head)[at + i]) <= 0.03);
    }
  }
  // Other positions are unchanged.
  std::vector<Bf16> keys = text.keys_or_values(0), values = text.keys_or_values(1);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i / d % text.cache.capacity() == static_cast<std::size_t>(position)) continue;
    changed += keys[i].bits != found.keys[i].bits || values[i].bits != found.values[i].bits;
  }
  CHECK(changed == 0);
}

}  // namespace hf::gpu

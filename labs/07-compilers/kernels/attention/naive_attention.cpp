// Attention with its matrix of scores.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "07-compilers/kernels/attention/attention.hpp"
#include "07-compilers/kernels/attention/attention_kernels.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/loop_team.hpp"
#include "kit/softmax.hpp"
#include "kit/work.hpp"

namespace hf::compilers {
namespace {

/// transposed (d, keys) = scale · kᵀ, for keys [first, last), a cache line at a time.
void turn(const float* k, std::size_t first, std::size_t last, std::size_t keys, std::size_t d, float scale,
          float* transposed) {
  constexpr std::size_t line = 16;
  for (std::size_t begin = first; begin < last; begin += line) {
    const std::size_t end = std::min(last, begin + line);
    for (std::size_t e = 0; e < d; ++e) {
      for (std::size_t j = begin; j < end; ++j) transposed[e * keys + j] = scale * k[j * d + e];
    }
  }
}

/// x = 2^(x - highest) / Σ, in place, for one row, which meanwhile stays in the level-1 or level-2 cache.
void softmax_row(float* x, std::size_t n) {
  const float highest = highest_of(x, n);
  Floats sums = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    __builtin_prefetch(x + n + j);  // the next row: otherwise memory would be idle
    const Floats weight = power_of_two(load(x + j) - highest);
    store(x + j, weight);
    sums += weight;
  }
  float sum = sum_of(sums);
  for (std::size_t lane = 0; lane + j < n; ++lane) {
    x[j + lane] = power_of_two(broadcast(x[j + lane] - highest))[0];
    sum += x[j + lane];
  }
  const float factor = 1 / sum;
  for (j = 0; j + lanes <= n; j += lanes) store(x + j, load(x + j) * factor);
  for (; j < n; ++j) x[j] *= factor;
}

/// c = a · b; the cores share the rows.
void multiply(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  const std::size_t tile = matmul::register_tile.rows;
  const auto rows = [&](std::size_t first, std::size_t last) {
    const std::size_t row = first * tile, count = std::min(m, last * tile) - row;
    matmul::gemm(count, n, k, a + row * k, b, c + row * n);
  };
  share((m + tile - 1) / tile, tile * n * k / 8, rows, 1);
}

}  // namespace

NaiveAttention::NaiveAttention(const Head& head) : head_(head), memory_(scratch_bytes(head), Pages::huge) {
  keys_ = memory_.as<float>().data();
  scores_ = keys_ + head.keys * head.d;
}

void NaiveAttention::multiply_keys(const float* q, const float* k) {
  const auto scale = static_cast<float>(1 / (std::log(2.0) * std::sqrt(as_double(head_.d))));
  share(head_.keys, head_.d,
        [&](std::size_t first, std::size_t last) { turn(k, first, last, head_.keys, head_.d, scale, keys_); });
  multiply(head_.queries, head_.keys, head_.d, q, keys_, scores_);
}

void NaiveAttention::softmax() {
  share_each(head_.queries, 4 * head_.keys, [&](std::size_t i) { softmax_row(scores_ + i * head_.keys, head_.keys); });
}

void NaiveAttention::multiply_values(const float* v, float* out) {
  multiply(head_.queries, head_.d, head_.keys, scores_, v, out);
}

void NaiveAttention::run(const float* q, const float* k, const float* v, float* out) {
  multiply_keys(q, k);      // scores  = q · kᵀ / √d      (queries, keys)
  softmax();                // weights = softmax(scores)  (queries, keys)
  multiply_values(v, out);  // out     = weights · v      (queries, d)
}

double softmax_instructions_per_score() {
  return power_of_two_instructions + 4;  // maximum, difference, sum, quotient
}

NaiveWork naive_work(const Head& head) {
  const double results = 4 * as_double(head.queries * head.d), keys = 4 * as_double(head.keys * head.d);
  const double scores = 4 * head.weights(), others = 2 * softmax_instructions_per_score() * head.weights();
  return {.keys = {head.flops() / 2, results + keys + scores, scores},
          .softmax = {others, 2 * scores, 0},
          .values = {head.flops() / 2, results + keys + scores, results}};
}

double predicted_seconds(const Roofline& roof, const NaiveWork& work) {
  return roof.seconds(work.keys) + roof.seconds(work.softmax) + roof.seconds(work.values);
}

}  // namespace hf::compilers

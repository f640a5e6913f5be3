#include "07-compilers/kernels/attention/online_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "07-compilers/kernels/attention/flash_attention.hpp"
#include "common/product.hpp"
#include "harness/as_double.hpp"

namespace hf::compilers {

std::size_t online_attention(const Head& head, const float* q, const float* k, const float* v, std::size_t i,
                             std::span<double> out) {
  const std::size_t d = head.d;
  double highest = -std::numeric_limits<double>::infinity(), sum = 0;
  std::size_t new_highs = 0;
  std::ranges::fill(out, 0);
  for (std::size_t j = 0; j < head.visible(i); ++j) {
    const double score = reference_dot(q + i * d, k + j * d, d).value / std::sqrt(as_double(d));
    if (score > highest) ++new_highs;
    // [begin: online-softmax]
    const double higher = std::max(highest, score);
    const double shrink = std::exp(highest - higher);  // 1, if none is higher
    const double exponential = std::exp(score - higher);
    highest = higher;
    sum = sum * shrink + exponential;
    for (std::size_t e = 0; e < d; ++e) {
      out[e] = out[e] * shrink + exponential * double{v[j * d + e]};
    }
    // [end: online-softmax]
  }
  for (double& x : out) x /= sum;
  return new_highs;
}

double expected_new_highs(std::size_t n) {
  double sum = 0;
  for (std::size_t j = 1; j <= n; ++j) sum += 1 / as_double(j);
  return sum;
}

}  // namespace hf::compilers

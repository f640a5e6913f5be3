#include "06-precision/kernels/sums/sums.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "harness/measure/vector.hpp"
#include "kit/random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#error "compiled so, (s + x) - s is x, and nothing is left to compensate: compile sums.cpp without -ffast-math"
#endif

namespace hf::precision {
namespace {

constexpr std::size_t chains = 8;                   // registers: additions take several cycles; two start in each
constexpr std::size_t block = 16 * chains * lanes;  // up to here, pairwise_sum() adds in chains

/// Calls `add(chain, terms)` for each vector of terms, cycling through the chains; pads the last vector with zeros.
template <class Vector, class Add>
inline void for_each_vector(std::span<const float> x, Add add) {
  constexpr std::size_t width = sizeof(Vector) / sizeof(float);
  const float* from = x.data();
  std::size_t left = x.size();
  Vector terms;
  for (; left >= chains * width; left -= chains * width, from += chains * width) {
#pragma GCC unroll 8
    for (std::size_t chain = 0; chain < chains; ++chain) {
      __builtin_memcpy(&terms, from + chain * width, sizeof terms);
      add(chain, terms);
    }
  }
  for (std::size_t chain = 0; left > 0; ++chain, from += width) {
    const std::size_t count = least(left, width);
    terms = Vector{};
    for (std::size_t lane = 0; lane < count; ++lane) terms[lane] = from[lane];
    add(chain, terms);
    left -= count;
  }
}

/// Adds the second half to the first until one number is left. \pre count is a power of two
template <std::size_t count, class T>
inline T& tree_sum(T (&part)[count]) {
  for (std::size_t half = count / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) part[i] += part[i + half];
  }
  return part[0];
}

typedef float HalfRegister __attribute__((vector_size(vector_bytes / 2)));

inline Doubles widened(HalfRegister v) {
#if defined(__AVX512F__)
  return _mm512_maskz_cvtps_pd(0xff, v);  // GCC 12 compiles the line below to four instructions
#else
  return __builtin_convertvector(v, Doubles);
#endif
}

inline float tree_sum_of(Floats v) {
  float part[lanes];
  store(part, v);
  return tree_sum(part);
}

/// A sum, and the sum of all its rounding errors. The rounding error of an addition is itself a number of the format;
/// five more additions compute it (Knuth's TwoSum). A compiler that may reorder them would cancel them all.
struct Compensated {
  double sum = 0, lost = 0;

  void add(double x) {
    const double next = sum + x;
    const double added = next - sum;  // the part of x that was added
    lost += (sum - (next - added)) + (x - added);
    sum = next;
  }
};

}  // namespace

float naive_sum(std::span<const float> x) {
  float sum = 0;
  for (float term : x) sum += term;
  return sum;
}

float chained_sum(std::span<const float> x) {
  Floats sum[chains] = {};
  for_each_vector<Floats>(x, [&](std::size_t chain, Floats terms) { sum[chain] += terms; });
  return tree_sum_of(tree_sum(sum));
}

float pairwise_sum(std::span<const float> x) {
  if (x.size() <= block) return chained_sum(x);
  const std::size_t half = x.size() / 2 / block * block;
  const std::size_t first = half > 0 ? half : block;
  return pairwise_sum(x.first(first)) + pairwise_sum(x.subspan(first));
}

float sum_in_parts(std::span<const float> x, std::size_t parts) {
  float sum = 0;
  for (std::size_t part = 0, first = 0; part < parts; ++part) {
    const std::size_t last = x.size() * (part + 1) / parts;
    sum += naive_sum(x.subspan(first, last - first));
    first = last;
  }
  return sum;
}

float wide_sum(std::span<const float> x) {
  Doubles sum[chains] = {};
  for_each_vector<HalfRegister>(x, [&](std::size_t chain, HalfRegister terms) { sum[chain] += widened(terms); });
  double part[lanes / 2];
  __builtin_memcpy(part, &tree_sum(sum), sizeof part);
  return static_cast<float>(tree_sum(part));
}

float bf16_sum(std::span<const float> x) {
  float sum = 0;
  for (float term : x) sum = from_bf16(bf16_of(sum + term));
  return sum;
}

float fp16_sum(std::span<const float> x) {
  float sum = 0;
  for (float term : x) sum = from_fp16(fp16_of(sum + term));
  return sum;
}

float stochastic_bf16_sum(std::span<const float> x) {
  constexpr std::uint64_t sequence = 0x5ca7;
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto random = static_cast<std::uint32_t>(random_word(sequence, i));
    sum = from_bf16(
        static_cast<std::uint16_t>(stochastic_pattern_of<bf16_layout>(sum + x[i], Overflow::special, random)));
  }
  return sum;
}

double reference_sum(std::span<const float> x) {
  Compensated all;
  for (float term : x) all.add(term);
  return std::isfinite(all.sum) ? all.sum + all.lost : all.sum;
}

}  // namespace hf::precision

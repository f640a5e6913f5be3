#include "01-roofline/kernels/dot_product.hpp"

#include <cstdint>

#include "harness/measure/vector.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hf::roofline {
namespace {

/// As many chains as hide the latency of the instruction; see peak_chains.
constexpr int chains = 24;

template <class Sums, class Numbers, class Multiply>
auto dot_products(std::int64_t iterations, Numbers a, Numbers b, Multiply multiply_add) {
  Sums sum[chains] = {};
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (int chain = 0; chain < chains; ++chain) sum[chain] = opaque(multiply_add(sum[chain], a, b));
  }
  Sums total = sum[0];
#pragma GCC unroll 24
  for (int chain = 1; chain < chains; ++chain) opaque(sum[chain]);
  return total;
}

/// The upper half of the float: exact for whole numbers up to 256.
std::uint16_t bf16(int x) { return static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, float(x)) >> 16); }

#if defined(__x86_64__)

double run_bf16(std::int64_t iterations, int a, int b) {
  const auto many = [](int x) { return (__m512bh)_mm512_set1_epi16(static_cast<short>(bf16(x))); };
  const auto multiply_add = [](__m512 sum, __m512bh x, __m512bh y) { return _mm512_dpbf16_ps(sum, x, y); };
  return _mm512_cvtss_f32(dot_products<__m512>(iterations, many(a), many(b), multiply_add));
}

double run_int8(std::int64_t iterations, int a, int b) {
  const auto many = [](int x) { return _mm512_set1_epi8(static_cast<char>(x)); };
  const auto multiply_add = [](__m512i sum, __m512i x, __m512i y) { return _mm512_dpbusd_epi32(sum, x, y); };
  return _mm512_cvtsi512_si32(dot_products<__m512i>(iterations, many(a), many(b), multiply_add));
}

constexpr const char *bf16_required = "avx512f avx512_bf16", *int8_required = "avx512f avx512_vnni";

#else

double run_bf16(std::int64_t iterations, int a, int b) {
  const auto many = [](int x) { return vreinterpretq_bf16_u16(vdupq_n_u16(bf16(x))); };
  const auto multiply_add = [](float32x4_t sum, bfloat16x8_t x, bfloat16x8_t y) { return vbfdotq_f32(sum, x, y); };
  return vgetq_lane_f32(dot_products<float32x4_t>(iterations, many(a), many(b), multiply_add), 0);
}

double run_int8(std::int64_t iterations, int a, int b) {
  const auto many = [](int x) { return vdupq_n_s8(static_cast<std::int8_t>(x)); };
  const auto multiply_add = [](int32x4_t sum, int8x16_t x, int8x16_t y) { return vdotq_s32(sum, x, y); };
  return vgetq_lane_s32(dot_products<int32x4_t>(iterations, many(a), many(b), multiply_add), 0);
}

constexpr const char *bf16_required = "bf16", *int8_required = "dotprod";

#endif

}  // namespace

extern const DotProductLoop bf16_loop = {"bf16", bf16_required, 2.0 * chains* vector_bytes / 2, 2, run_bf16};
extern const DotProductLoop int8_loop = {"int8", int8_required, 2.0 * chains* vector_bytes, 4, run_int8};

}  // namespace hf::roofline

#include "06-precision/kernels/sparsity/sparse_matrix.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/measure/vector.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#if defined(__AVX512F__)
#include "harness/measure/keep.hpp"
#endif

namespace hf::precision {
namespace {

/// Four sums, so that an addition need not wait for the previous one.
struct FourSums {
  Floats part[4] = {};

  void add(std::size_t which, Floats a, Floats b) { part[which] = multiply_then_add(a, b, part[which]); }

  float total() const { return sum_of((part[0] + part[1]) + (part[2] + part[3])); }
};

#if defined(__AVX512F__)

inline __m512i load_index(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
inline __m512i load_index(const std::uint16_t* from) {
  return _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

/// Calls `add(which sum, step)` for each step, cycling through the four sums.
template <class Add>
inline void in_turn(std::size_t steps, Add add) {
  std::size_t step = 0;
  for (; step + 4 <= steps; step += 4) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) add(k, step + k);
  }
  for (; step < steps; ++step) add(0, step);
}

/// Σ values[i] · x[index[i]]
template <class Index>
float sparse_dot(const float* values, const Index* index, std::size_t count, const float* x) {
  FourSums sum;
  const auto add = [&](std::size_t k, std::size_t i, __mmask16 there) {
    const __m512 from_x = _mm512_mask_i32gather_ps(__m512{}, there, load_index(index + i), x, 4);
    sum.add(k, _mm512_maskz_loadu_ps(there, values + i), from_x);
  };
  in_turn(count / 16, [&](std::size_t k, std::size_t step) { add(k, 16 * step, 0xffff); });
  const std::size_t rest = count % 16;
  if (rest > 0) add(1, count - rest, static_cast<__mmask16>((1u << rest) - 1));
  return sum.total();
}

/// Spreads the next values over the lanes whose bits are set, of which the lowest count; the other lanes are zero.
/// Merges into a register of zeros, because Zen 5's zeroing form waits for the register's old contents. Loads the
/// values first, because Zen 4 is slow when the instruction reads memory.
inline Floats spread(const float* from, std::uint64_t bits) {
  __m512 values = _mm512_loadu_ps(from), zeros = {};
  HF_OPAQUE(values);
  HF_OPAQUE(zeros);
  asm("" : "+r"(bits));  // prevents slower shifts in a mask register
  return _mm512_mask_expand_ps(zeros, static_cast<__mmask16>(bits), values);
}

#else

template <class Index>
float sparse_dot(const float* values, const Index* index, std::size_t count, const float* x) {
  float sum[4] = {};
  for (std::size_t i = 0; i < count; ++i) sum[i % 4] += values[i] * x[index[i]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// For each pattern of bits, where in the packed values each lane's value is; `empty` in lanes without one.
template <std::size_t width, std::uint8_t empty>
struct Places {
  alignas(8) std::uint8_t of[1 << width][width];

  constexpr Places() : of() {
    for (std::size_t bits = 0; bits < 1 << width; ++bits) {
      std::uint8_t next = 0;
      for (std::size_t lane = 0; lane < width; ++lane) of[bits][lane] = bits >> lane & 1 ? next++ : empty;
    }
  }
};

/// Spreads the next values over the lanes whose bits are set, of which the lowest count; the other lanes are zero.
inline Floats spread(const float* from, std::uint64_t bits) {
#if defined(__AVX2__)
  static constexpr Places<lanes, 0x80> places;  // negative as a signed byte
  const auto* of_bits = reinterpret_cast<const __m128i*>(places.of[bits & 0xff]);
  const __m256i place = _mm256_cvtepi8_epi32(_mm_loadl_epi64(of_bits));
  const __m256 values = _mm256_permutevar8x32_ps(_mm256_loadu_ps(from), place);
  return _mm256_blendv_ps(values, __m256{}, _mm256_castsi256_ps(place));  // zero where negative
#elif defined(__aarch64__)
  static constexpr Places<lanes, 0x3f> places;  // past the table, which reads as zero
  std::uint32_t of_bits;
  __builtin_memcpy(&of_bits, places.of[bits & 0xf], sizeof of_bits);
  const uint8x8_t place = vcreate_u8(of_bits);
  const uint16x4_t wide = vget_low_u16(vmovl_u8(place));
  const uint32x4_t bytes = vaddq_u32(vmulq_n_u32(vmovl_u16(wide), 0x04040404), vdupq_n_u32(0x03020100));
  return vreinterpretq_f32_u8(vqtbl1q_u8(vreinterpretq_u8_f32(vld1q_f32(from)), vreinterpretq_u8_u32(bytes)));
#else
  Floats values = {};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (bits >> lane & 1) values[lane] = *from++;
  }
  return values;
#endif
}

#endif

/// Sums the values times the x at the set bits, and advances `values`.
/// \tparam prefetching  whether to prefetch values
template <bool prefetching>
float masked_dot(const std::uint64_t* masks, std::size_t columns, const float*& values, const float* x) {
  constexpr std::size_t ahead = 2048;  // in floats
  FourSums sum;
  const float* next = values;
  const auto add = [&](std::size_t k, std::uint64_t bits, const float* from) {
    if constexpr (prefetching) __builtin_prefetch(from + ahead);
    sum.add(k % 4, spread(from, bits), load(x + lanes * k));
  };
  for (; columns >= 64; columns -= 64, x += 64) {
    const std::uint64_t mask = *masks++;
    add(0, mask, next);
#pragma GCC unroll 16
    for (std::size_t k = 1; k < 64 / lanes; ++k)
      add(k, mask >> lanes * k, next + std::popcount(mask << (64 - lanes * k)));
    next += std::popcount(mask);
  }
  if (columns > 0) {
    constexpr std::uint64_t one_register = (std::uint64_t{1} << lanes) - 1;
    for (std::uint64_t mask = *masks; columns > 0; columns -= lanes, mask >>= lanes, x += lanes) {
      add(0, mask, next);
      next += std::popcount(mask & one_register);
    }
  }
  values = next;
  return sum.total();
}

}  // namespace

template <class Index>
CsrMatrix<Index>::CsrMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns)
    : rows_(rows), starts_{0} {
  std::vector<float> values;
  std::vector<Index> index;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = 0; j < columns; ++j) {
      const float weight = weights[row * columns + j];
      if (weight == 0) continue;
      values.push_back(weight);
      index.push_back(static_cast<Index>(j));
    }
    starts_.push_back(static_cast<std::uint32_t>(values.size()));
  }
  values_ = Stored<float>(values);
  index_ = Stored<Index>(index);
}

template <class Index>
void CsrMatrix<Index>::multiply(const float* x, float* y) const {
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::uint32_t first = starts_[row], count = starts_[row + 1] - first;
    y[row] = sparse_dot(values_.data() + first, index_.data() + first, count, x);
  }
}

template class CsrMatrix<std::uint16_t>;
template class CsrMatrix<std::uint32_t>;

BitmaskMatrix::BitmaskMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), words_((columns + 63) / 64) {
  std::vector<float> values;
  std::vector<std::uint64_t> masks(rows * words_);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = 0; j < columns; ++j) {
      const float weight = weights[row * columns + j];
      if (weight == 0) continue;
      values.push_back(weight);
      masks[row * words_ + j / 64] |= std::uint64_t{1} << j % 64;
    }
  }
  values_ = Stored<float>(values);
  masks_ = Stored<std::uint64_t>(masks);
}

namespace {
std::atomic<bool> prefetching_now = true;
}

void BitmaskMatrix::set_prefetching(bool prefetch) { prefetching_now = prefetch; }

void BitmaskMatrix::multiply(const float* x, float* y) const {
  const float* values = values_.data();
  const auto dot = prefetching_now ? masked_dot<true> : masked_dot<false>;
  for (std::size_t row = 0; row < rows_; ++row) y[row] = dot(masks_.data() + row * words_, columns_, values, x);
}

}  // namespace hf::precision

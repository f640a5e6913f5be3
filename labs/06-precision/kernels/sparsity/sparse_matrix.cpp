#include "06-precision/kernels/sparsity/sparse_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/measure/vector.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>

#include "harness/measure/keep.hpp"
#endif

namespace hf::precision {
namespace {

#if defined(__AVX512F__)

inline __m512i load_index(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
inline __m512i load_index(const std::uint16_t* from) {
  return _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

/// Four sums, so that an addition need not wait for the previous one.
struct FourSums {
  __m512 part[4] = {};

  void add(std::size_t which, __m512 a, __m512 b) { part[which] = _mm512_fmadd_ps(a, b, part[which]); }

  float total() const {
    const __m512 sum = _mm512_add_ps(_mm512_add_ps(part[0], part[1]), _mm512_add_ps(part[2], part[3]));
    float lane[16], all = 0;
    _mm512_storeu_ps(lane, sum);
    for (float each : lane) all += each;
    return all;
  }
};

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

/// Spreads the next values over the lanes whose bits are set; the other lanes are zero. Merges into a register of
/// zeros, because Zen 5's zeroing form waits for the register's old contents. Loads the values first, because Zen 4 is
/// slow when the instruction reads memory.
inline __m512 spread(const float* from, std::uint64_t bits) {
  __m512 values = _mm512_loadu_ps(from), zeros = {};
  HF_OPAQUE(values);
  HF_OPAQUE(zeros);
  asm("" : "+r"(bits));  // prevents slower shifts in a mask register
  return _mm512_mask_expand_ps(zeros, static_cast<__mmask16>(bits), values);
}

/// Sums the values times the x at the set bits, and advances `values`.
/// \tparam prefetching  whether to prefetch values
template <bool prefetching>
float masked_dot(const std::uint64_t* masks, std::size_t columns, const float*& values, const float* x) {
  constexpr std::size_t ahead = 2048;  // in floats
  FourSums sum;
  const float* next = values;
  const auto add = [&](std::size_t k, std::uint64_t bits, const float* from) {
    if constexpr (prefetching) __builtin_prefetch(from + ahead);
    sum.add(k, spread(from, bits), _mm512_loadu_ps(x + 16 * k));
  };
  for (; columns >= 64; columns -= 64, x += 64) {
    const std::uint64_t mask = *masks++;
    add(0, mask, next);
    add(1, mask >> 16, next + std::popcount(mask << 48));
    add(2, mask >> 32, next + std::popcount(mask << 32));
    add(3, mask >> 48, next + std::popcount(mask << 16));
    next += std::popcount(mask);
  }
  if (columns > 0) {
    for (std::uint64_t mask = *masks; columns > 0; columns -= 16, mask >>= 16, x += 16) {
      add(0, mask, next);
      next += std::popcount(mask & 0xffff);
    }
  }
  values = next;
  return sum.total();
}

#else

template <class Index>
float sparse_dot(const float* values, const Index* index, std::size_t count, const float* x) {
  float sum[4] = {};
  for (std::size_t i = 0; i < count; ++i) sum[i % 4] += values[i] * x[index[i]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <bool prefetching>
float masked_dot(const std::uint64_t* masks, std::size_t columns, const float*& values, const float* x) {
  float sum[4] = {};
  for (std::size_t j = 0; j < columns; j += 64) {
    for (std::uint64_t mask = *masks++; mask != 0; mask &= mask - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(mask));
      sum[place % 4] += *values++ * x[j + place];
    }
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#endif

}  // namespace

template <class Index>
CsrMatrix<Index>::CsrMatrix(std::span<const float> weights, std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), starts_{0} {
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
  const std::uint32_t* start = starts();
  for (std::size_t row = 0; row < rows_; ++row)
    y[row] = sparse_dot(values() + start[row], index() + start[row], start[row + 1] - start[row], x);
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

// ---- Times a matrix ----

namespace {

constexpr std::size_t width = 2, chains = 4;  // registers of c, and sums for each of them
constexpr std::size_t panel_columns = width * lanes;
constexpr std::size_t panel_rows = 256;  // a 32 KiB panel with AVX-512: fits the nearest cache

/// Aligned, because a load across two cache lines takes twice as long.
struct alignas(vector_bytes) Register {
  float number[lanes];
};

/// Packs `columns` columns of b without gaps, and pads the panel with zeros.
void pack_panel(const float* b, std::size_t rows, std::size_t n, std::size_t columns, float* panel) {
  for (std::size_t row = 0; row < rows; ++row, b += n, panel += panel_columns) {
    for (std::size_t j = 0; j < panel_columns; ++j) panel[j] = j < columns ? b[j] : 0;
  }
}

/// Adds to one row of c, as wide as the panel: each nonzero number of a multiplies its row of the panel.
void add_row(const float* values, const std::uint16_t* index, std::size_t count, const float* panel,
             std::size_t columns, float* c) {
  // Four sums, so that an addition need not wait for the previous one. Each multiplication loads both of its operands.
  Floats sum[chains][width] = {};
  const auto add = [&](std::size_t k, std::size_t i) {
    const float* row = panel + index[i] * panel_columns;
    for (std::size_t w = 0; w < width; ++w) {
      sum[k][w] += values[i] * load(row + w * lanes);
    }
  };
  std::size_t i = 0;
  for (; i + chains <= count; i += chains) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < chains; ++k) add(k, i + k);
  }
  for (; i < count; ++i) add(0, i);
  for (std::size_t k = 1; k < chains; ++k) {
    for (std::size_t w = 0; w < width; ++w) sum[0][w] += sum[k][w];
  }
  for (std::size_t w = 0; w * lanes < columns; ++w) {
    const std::size_t here = columns - w * lanes;
    store_some(c + w * lanes, here, load_some(c + w * lanes, here, 0) + sum[0][w]);
  }
}

}  // namespace

const double sparse_gemm_bytes_loaded = sizeof(float) * (1 + 1.0 / width);

void sparse_gemm(const CsrMatrix<std::uint16_t>& a, std::size_t n, const float* b, float* c) {
  std::fill_n(c, a.rows() * n, 0.0f);
  std::vector<Register> panel_memory(panel_rows * width);
  float* panel = panel_memory.front().number;
  for (std::size_t j = 0; j < n; j += panel_columns) {
    const std::size_t columns = least(n - j, panel_columns);
    std::vector<std::uint32_t> at(a.starts(), a.starts() + a.rows());  // next unused number in each row of a
    for (std::size_t k = 0; k < a.columns(); k += panel_rows) {
      const std::size_t rows = least(a.columns() - k, panel_rows);
      pack_panel(b + k * n + j, rows, n, columns, panel);
      for (std::size_t row = 0; row < a.rows(); ++row) {
        const std::uint16_t *first = a.index() + at[row], *last = a.index() + a.starts()[row + 1];
        const auto end = std::lower_bound(first, last, k + rows);
        const auto count = static_cast<std::size_t>(end - first);
        add_row(a.values() + at[row], first, count, panel - k * panel_columns, columns, c + row * n + j);
        at[row] += static_cast<std::uint32_t>(count);
      }
    }
  }
}

}  // namespace hf::precision

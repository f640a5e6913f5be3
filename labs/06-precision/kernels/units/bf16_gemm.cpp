#include "06-precision/kernels/units/bf16_gemm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/measure/clock.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/narrow/narrow_gemm.hpp"
#include "kit/narrow/narrow_strip.hpp"

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hf::precision {
namespace {

// ---- The innermost loops ----
//
// Only this part depends on the registers. It resembles chapter 02's (micro_kernel.hpp), but each 32-bit lane holds a
// pair of numbers, and one instruction multiplies and adds both.

using matmul::line;
using Bf16Strip = tpu::Strip<float>;

#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
constexpr bool compiled_bf16_dot = true;
#else
constexpr bool compiled_bf16_dot = false;
#endif

inline Ints load_pairs(const std::byte* from) {
  Ints pairs;
  __builtin_memcpy(&pairs, from, sizeof pairs);
  return pairs;
}

/// Copies a pair into every lane.
inline Ints broadcast_pair(const std::byte* from) {
  std::int32_t pair;
  __builtin_memcpy(&pair, from, sizeof pair);
  return Ints{} + pair;
}

/// The first numbers of pairs, and the second ones, as floats.
inline Floats first_of(Ints pairs) { return (Floats)(pairs << 16); }
inline Floats second_of(Ints pairs) { return (Floats)(pairs & static_cast<std::int32_t>(0xffff0000)); }

/// sum[lane] += a[2 lane] · b[2 lane] + a[2 lane + 1] · b[2 lane + 1]
inline Floats dot_pairs(Floats sum, Ints a, Ints b) {
#if defined(__AVX512BF16__)
  return (Floats)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
  return (Floats)vbfdotq_f32((float32x4_t)sum, (bfloat16x8_t)a, (bfloat16x8_t)b);
#else
  return sum + first_of(a) * first_of(b) + second_of(a) * second_of(b);
#endif
}

/// Computes a tile of c from blocks of bf16, or of bf16 widened to floats. See narrow_strip.hpp.
template <class Number>
struct Bf16MicroKernel;

/// Multiplies pairs of numbers. Prefetches a line of each of the next rows of a, some of b, and one of c, then takes as
/// many steps as a line has pairs.
template <>
struct Bf16MicroKernel<std::uint16_t> {
  static constexpr std::size_t tile_rows = matmul::tile_rows, tile_columns = matmul::tile_columns;

  template <std::size_t rows, bool add>
  [[gnu::always_inline]] static void multiply_tile(const Bf16Strip& tile) {
    constexpr std::size_t few = 5;  // rows that share an address register
    const std::byte *row[(rows + few - 1) / few], *panel = tile.b.first, *ahead = tile.ahead.first;
    for (std::size_t i = 0; i < rows; i += few) row[i / few] = tile.a.first + i * tile.a.stride;

    Floats left[rows] = {}, right[rows] = {};
    for (std::size_t p = 0, prefetched = 0; p < tile.groups; ++prefetched) {
      for (std::size_t i = 0; i < tile.next.count; ++i)
        __builtin_prefetch(tile.next.first + i * tile.next.stride + 4 * p, 0, 2);
      tpu::prefetch_ahead(ahead, tile.ahead_lines);
      if (prefetched < rows) {
        __builtin_prefetch(tile.c + prefetched * tile.c_stride, 1, 2);
        __builtin_prefetch(tile.c + prefetched * tile.c_stride + lanes, 1, 2);
      }
      for (const std::size_t end = least(p + line, tile.groups); p < end; ++p, panel += 2 * vector_bytes) {
        const Ints b_left = load_pairs(panel), b_right = load_pairs(panel + vector_bytes);
#pragma GCC unroll 14
        for (std::size_t i = 0; i < rows; ++i) {
          const Ints from_a = broadcast_pair(row[i / few] + i % few * tile.a.stride + 4 * p);
          left[i] = dot_pairs(left[i], from_a, b_left);
          right[i] = dot_pairs(right[i], from_a, b_right);
        }
      }
    }
    float* c = tile.c;
#pragma GCC unroll 14
    for (std::size_t i = 0; i < rows; ++i, c += tile.c_stride) {
      store(c, add ? load(c) + left[i] : left[i]);
      store(c + lanes, add ? load(c + lanes) + right[i] : right[i]);
    }
  }
};

/// Uses chapter 02's micro-kernel.
template <>
struct Bf16MicroKernel<float> {
  static constexpr std::size_t tile_rows = matmul::tile_rows, tile_columns = matmul::tile_columns;

  template <std::size_t rows, bool add>
  [[gnu::always_inline]] static void multiply_tile(const Bf16Strip& tile) {
    const auto view = [](const std::byte* first, std::size_t bytes) {
      return matmul::View{reinterpret_cast<const float*>(first), bytes / sizeof(float)};
    };
    const matmul::View next = view(tile.next.first, tile.next.stride);
    matmul::multiply_tile<rows, tile_columns / lanes, false, add, 1>(
        tile.groups, view(tile.a.first, tile.a.stride), view(tile.b.first, tile_columns * sizeof(float)), nullptr,
        tile.c, tile.c_stride, [&](std::size_t p) __attribute__((always_inline)) {
          matmul::prefetch_lines<rows, tile_columns / lanes>(p, next, tile.next.count, tile.c, tile.c_stride);
        });
  }
};

// ---- The loops around them ----

constexpr std::size_t tile_columns = matmul::tile_columns;

/// Widens pairs of rows of a panel to floats: for each pair, the first row, then the second.
void widen_panel(const std::byte* panel, std::size_t pairs, float* to) {
  for (std::size_t p = 0; p < pairs; ++p, panel += 2 * vector_bytes, to += 2 * tile_columns) {
    const Ints left = load_pairs(panel), right = load_pairs(panel + vector_bytes);
    store(to, first_of(left));
    store(to + lanes, first_of(right));
    store(to + tile_columns, second_of(left));
    store(to + tile_columns + lanes, second_of(right));
  }
}

/// A product whose blocks are multiplied as Number: bf16, or floats widened from it. See tpu::multiply_narrow().
template <class Number>
struct Bf16Operands {
  using Sum = float;
  static constexpr bool widens = std::is_same_v<Number, float>;
  static constexpr const float* starts = nullptr;
  static constexpr std::size_t group = 4 / sizeof(Number), packed_group = 2;
  static constexpr std::size_t tile_rows = matmul::tile_rows, tile_columns = matmul::tile_columns;

  tpu::NarrowBlocking blocking(std::size_t columns) const {
    const auto [depth, width] = matmul::default_blocking();  // in words of 32 bits
    const std::size_t kc = matmul::even_part(matmul::round_up(k, 2), depth * group, 2);
    if constexpr (widens) return {kc, matmul::even_part(columns, width, tile_columns)};
    return {kc, tpu::block_columns(columns, kc * sizeof(Number), tile_columns)};
  }

  void copy_row(const std::uint16_t* a, std::size_t count, std::byte* to) const {
    auto* const numbers = reinterpret_cast<Number*>(to);
    if constexpr (widens) {
      for (std::size_t p = 0; p < count; ++p) numbers[p] = std::bit_cast<float>(std::uint32_t{a[p]} << 16);
    } else {
      std::copy_n(a, count, numbers);
      if (count % 2 != 0) numbers[count] = 0;
    }
  }

  void copy_row(const float* a, std::size_t count, std::byte* to) const {
    auto* const numbers = reinterpret_cast<Number*>(to);
    if constexpr (widens) {
      std::copy_n(a, count, numbers);
    } else {
      for (std::size_t p = 0; p < count; ++p) {
        const auto bits = std::bit_cast<std::uint32_t>(a[p]);
        numbers[p] = static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // to nearest, ties to even
      }
      if (count % 2 != 0) numbers[count] = 0;
    }
  }

  tpu::PanelsOfB block_of_b(tpu::PanelsOfB panels, std::size_t kc, std::size_t nc) const {
    if constexpr (!widens) return panels;
    static thread_local Buffer memory;
    const std::size_t pairs = matmul::parts_of(kc, 2), floats = 2 * pairs * tile_columns;
    float* const wide = matmul::memory_of<float>(memory, matmul::parts_of(nc, tile_columns) * floats);
    for (std::size_t t = 0; t * tile_columns < nc; ++t)
      widen_panel(panels.first + t * panels.stride, pairs, wide + t * floats);
    return {reinterpret_cast<const std::byte*>(wide), floats * sizeof(float)};
  }
  void multiply(const Bf16Strip& strip) const { tpu::multiply_strip<Bf16MicroKernel<Number>>(strip); }

  std::size_t k;
  const std::byte* packed;
  /// Whether a must be copied: it is widened, its rows end within a pair, or they compete for the same places in the
  /// level-1 cache.
  bool copies_a = widens || k % 2 != 0 || matmul::rows_compete(k * sizeof(Number));
};

}  // namespace

bool has_bf16_dot() { return compiled_bf16_dot; }

PackedBf16::PackedBf16(std::size_t n, std::size_t k, const std::uint16_t* b)
    : n_(n), k_(k), panels_(matmul::parts_of(n, tile_columns) * tpu::panel_bytes(k, 2, tile_columns), Pages::huge) {
  tpu::pack_panels<std::uint16_t>(n, k, b, tile_columns, panels_.data());
}

Bf16Route faster_bf16_route() {
  static const Bf16Route faster = [] {
    if (!has_bf16_dot()) return Bf16Route::widen;
    constexpr std::size_t m = 96, n = 256, k = 512;
    const std::vector<std::uint16_t> ones(std::max(m, n) * k, 0x3f80);
    std::vector<float> c(m * n);
    const PackedBf16 b(n, k, ones.data());
    std::array<std::int64_t, 2> least;
    least.fill(std::numeric_limits<std::int64_t>::max());
    for (int round = 0; round < 9; ++round) {
      for (const Bf16Route route : {Bf16Route::dot, Bf16Route::widen}) {
        const std::int64_t start = now_ns();
        b.multiply(m, ones.data(), c.data(), route);
        std::int64_t& time = least[route == Bf16Route::widen];
        time = std::min(time, now_ns() - start);
      }
    }
    return least[0] <= least[1] ? Bf16Route::dot : Bf16Route::widen;
  }();
  return faster;
}

PackedBf16 PackedBf16::copy() const {
  Buffer panels(panels_.size(), Pages::huge);
  std::ranges::copy(panels_.as<std::byte>(), panels.as<std::byte>().data());
  return {n_, k_, std::move(panels)};
}

std::size_t PackedBf16::panels() const { return matmul::parts_of(n_, tile_columns); }

void PackedBf16::multiply(std::size_t m, const std::uint16_t* a, float* c, Bf16Route route) const {
  multiply_panels(m, a, c, 0, panels(), route);
}

void PackedBf16::multiply(std::size_t m, const float* a, float* c, std::size_t first, std::size_t last,
                          Bf16Route route) const {
  multiply_panels(m, a, c, first, last, route);
}

template <class OfA>
void PackedBf16::multiply_panels(std::size_t m, const OfA* a, float* c, std::size_t first, std::size_t last,
                                 Bf16Route route) const {
  const std::size_t column = first * tile_columns, columns = std::min(last * tile_columns, n_) - column;
  if (k_ == 0) {
    for (std::size_t i = 0; i < m; ++i) std::fill_n(c + i * n_ + column, columns, 0.0f);
  }
  if (m == 0 || columns == 0 || k_ == 0) return;
  const auto multiply = [&](auto operands) {
    if constexpr (std::is_same_v<OfA, float>) operands.copies_a = true;
    tpu::multiply_narrow(operands, matmul::Rectangle{0, column, m, columns}, n_, k_, a, c);
  };
  if (route == Bf16Route::dot) {
    multiply(Bf16Operands<std::uint16_t>{k_, panels_.data()});
  } else {
    multiply(Bf16Operands<float>{k_, panels_.data()});
  }
}

}  // namespace hf::precision

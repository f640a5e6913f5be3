#include "06-precision/kernels/units/bf16_gemm.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "02-matmul/kernels/gemm.hpp"
#include "02-matmul/kernels/partition.hpp"
#include "06-precision/kernels/units/bf16_micro_kernel.hpp"
#include "harness/clock.hpp"
#include "harness/memory.hpp"
#include "harness/vector.hpp"

namespace hf::precision {
namespace {

using matmul::even_part;
using matmul::memory_of;
using matmul::parts_of;
using matmul::round_up;

/// multiply_strip() for each number of rows: as it is, and adding.
template <class Number, std::size_t... rows>
constexpr auto kernels_for(std::index_sequence<rows...>) {
  return std::array<std::array<void (*)(const Strip<Number>&), sizeof...(rows)>, 2>{
      {{multiply_strip<Number, rows + 1, false>...}, {multiply_strip<Number, rows + 1, true>...}}};
}
template <class Number>
constexpr auto kernels = kernels_for<Number>(std::make_index_sequence<tile_rows>());

/// A row of a, as it is or widened, with zeros behind it up to `depth` numbers.
void copy_row(const std::uint16_t* a, std::size_t count, std::size_t depth, std::uint16_t* to) {
  std::fill(std::copy_n(a, count, to), to + depth, std::uint16_t{0});
}
void copy_row(const std::uint16_t* a, std::size_t count, std::size_t depth, float* to) {
  std::size_t p = 0;
  for (; p < count; ++p) {
    const std::uint32_t bits = std::uint32_t{a[p]} << 16;
    __builtin_memcpy(to + p, &bits, sizeof bits);
  }
  std::fill(to + p, to + depth, 0.0f);
}

/// A panel of so many pairs of rows as floats: of each pair, the first row,
/// then the second.
void widen_panel(const std::uint16_t* panel, std::size_t pairs, float* to) {
  for (std::size_t p = 0; p < pairs; ++p, panel += 2 * tile_columns, to += 2 * tile_columns) {
    const Ints left = load_pairs(panel), right = load_pairs(panel + 2 * lanes);
    store(to, first_of(left));
    store(to + lanes, first_of(right));
    store(to + tile_columns, second_of(left));
    store(to + tile_columns + lanes, second_of(right));
  }
}

/// A block of b, in panels of so many numbers each.
template <class Number>
struct Block {
  std::size_t depth, columns;
  const Number* panels;
  std::size_t panel_size;
};

/// Some columns of c = a · b by one thread. Blocks of both are multiplied as Numbers: bf16 as they are, or floats. Not
/// chapter 02's driver (gemm_driver.hpp): b was packed once for all products, and a block of it is widened, not packed.
template <class Number>
class Part {
 public:
  /// \param panels  of b; the first column is a panel's first
  Part(std::size_t m, std::size_t columns, std::size_t k, const std::uint16_t* a, const std::uint16_t* panels, float* c,
       std::size_t c_stride)
      : m_(m), columns_(columns), k_(k), a_(a), panels_(panels), c_(c), c_stride_(c_stride) {}

  void multiply() const {
    const std::size_t tiles = parts_of(m_, tile_rows);
    for (std::size_t p = 0; p < k_; p += depth_) {
      for (std::size_t j = 0; j < columns_; j += width_) {
        const Block<Number> b = block_of_b(p, j);
        for (std::size_t tile = 0; tile < tiles; ++tile) {
          const std::size_t i = tile * m_ / tiles, end = (tile + 1) * m_ / tiles;
          if (copies_ && j == 0) copy_rows(i, end, p);
          const std::size_t next_rows = std::min(m_, (tile + 2) * m_ / tiles) - end;
          kernels<Number>[p > 0][end - i - 1]({b.depth, b.columns, rows_of_a(i, p), b.panels, b.panel_size,
                                               rows_of_a(end, p), next_rows, c_ + i * c_stride_ + j, c_stride_});
        }
      }
    }
  }

 private:
  static constexpr bool widens = std::is_same_v<Number, float>;

  /// Row i of a, from number p on, as it is multiplied.
  Rows<Number> rows_of_a(std::size_t i, std::size_t p) const {
    if constexpr (!widens) {
      if (!copies_) return {a_ + i * k_ + p, k_};
    }
    return {copy_ + i * copy_stride_, copy_stride_};
  }

  void copy_rows(std::size_t i, std::size_t end, std::size_t p) const {
    const std::size_t count = std::min(depth_, k_ - p);
    for (; i < end; ++i) copy_row(a_ + i * k_ + p, count, round_up(count, 2), copy_ + i * copy_stride_);
  }

  /// The block of b that begins at row p and column j.
  Block<Number> block_of_b(std::size_t p, std::size_t j) const {
    const std::size_t depth = round_up(std::min(depth_, k_ - p), 2), columns = std::min(width_, columns_ - j);
    const std::size_t panel_size = tile_columns * round_up(k_, 2);
    const std::uint16_t* const panels = panels_ + j / tile_columns * panel_size + p * tile_columns;
    if constexpr (widens) {
      static thread_local Buffer memory;
      float* const wide = memory_of<float>(memory, width_ * depth_);
      for (std::size_t t = 0; t < parts_of(columns, tile_columns); ++t)
        widen_panel(panels + t * panel_size, depth / 2, wide + t * tile_columns * depth);
      return {depth, columns, wide, tile_columns * depth};
    } else {
      return {depth, columns, panels, panel_size};
    }
  }

  std::size_t m_, columns_, k_;
  const std::uint16_t *a_, *panels_;
  float* c_;
  std::size_t c_stride_;
  matmul::Blocking blocking_ = matmul::default_blocking();  // in words of 32 bits
  std::size_t depth_ = even_part(round_up(k_, 2), blocking_.depth * sizeof(float) / sizeof(Number), 2);
  std::size_t width_ = even_part(columns_, blocking_.width, tile_columns);
  /// Whether rows of a compete for the same places in the level-1 cache, or end within a pair.
  bool copies_ = widens || k_ % 2 != 0 || matmul::rows_compete(k_ * sizeof(Number));
  std::size_t copy_stride_ = round_up(depth_, 128 / sizeof(Number)) + 64 / sizeof(Number);
  Number* copy_ = copies_ ? memory_of<Number>(memory_, m_* copy_stride_) : nullptr;
  static thread_local Buffer memory_;
};
template <class Number>
thread_local Buffer Part<Number>::memory_;

}  // namespace

bool has_bf16_dot() { return compiled_bf16_dot; }

PackedBf16::PackedBf16(std::size_t n, std::size_t k, const std::uint16_t* b)
    : n_(n), k_(k), panels_(round_up(n, tile_columns) * round_up(k, 2) * sizeof(std::uint16_t), Pages::huge) {
  std::uint16_t* to = panels_.as<std::uint16_t>().data();
  for (std::size_t j = 0; j < n; j += tile_columns) {
    const std::size_t columns = std::min(tile_columns, n - j);
    for (std::size_t p = 0; p < k; p += 2, to += 2 * tile_columns) {
      std::fill_n(to, 2 * tile_columns, std::uint16_t{0});
      for (std::size_t i = 0; i < std::min<std::size_t>(2, k - p); ++i) {
        for (std::size_t column = 0; column < columns; ++column) to[2 * column + i] = b[(p + i) * n + j + column];
      }
    }
  }
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
        b.multiply(m, ones.data(), c.data(), 1, route);
        std::int64_t& time = least[route == Bf16Route::widen];
        time = std::min(time, now_ns() - start);
      }
    }
    return least[0] <= least[1] ? Bf16Route::dot : Bf16Route::widen;
  }();
  return faster;
}

namespace {

template <class Number>
void multiply_part(std::size_t m, std::size_t columns, std::size_t k, const std::uint16_t* a,
                   const std::uint16_t* panels, float* c, std::size_t c_stride) {
  Part<Number>(m, columns, k, a, panels, c, c_stride).multiply();
}

}  // namespace

void PackedBf16::multiply(std::size_t m, const std::uint16_t* a, float* c, int threads, Bf16Route route) const {
  if (k_ == 0) std::fill_n(c, m * n_, 0.0f);
  if (m == 0 || n_ == 0 || k_ == 0) return;
  const auto part = route == Bf16Route::dot ? multiply_part<std::uint16_t> : multiply_part<float>;
  const std::uint16_t* const panels = panels_.as<std::uint16_t>().data();
  matmul::share_product(m, n_, threads, 1, tile_columns, matmul::Split::longer, [&](const matmul::Rectangle& at) {
    part(at.rows, at.columns, k_, a + at.row * k_, panels + at.column * round_up(k_, 2), c + at.row * n_ + at.column,
         n_);
  });
}

}  // namespace hf::precision

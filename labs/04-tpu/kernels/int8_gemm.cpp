#include "04-tpu/kernels/int8_gemm.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "02-matmul/kernels/partition.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"

namespace hf::tpu {

#if defined(__x86_64__)
extern const Int8Kernel int8_gemm_avx512_vnni, int8_gemm_avx_vnni, int8_gemm_avx2;
#elif defined(__aarch64__)
extern const Int8Kernel int8_gemm_neon_dot;
#endif
extern const Int8Kernel int8_gemm_portable;

std::vector<const Int8Kernel*> int8_kernels(const Machine& machine) {
  std::vector<const Int8Kernel*> kernels = {
#if defined(__x86_64__)
    &int8_gemm_avx512_vnni,
    &int8_gemm_avx_vnni,
    &int8_gemm_avx2,
#elif defined(__aarch64__)
    &int8_gemm_neon_dot,
#endif
    &int8_gemm_portable
  };
  std::erase_if(kernels, [&](const Int8Kernel* kernel) { return !machine.has_all(kernel->required); });
  return kernels;
}

namespace {

using matmul::even_part;
using matmul::memory_of;
using matmul::parts_of;
using matmul::round_up;

/// How much of b is near at a time, in the level-2 cache: so many rows and columns.
struct Block {
  std::size_t depth, width;
};

/// As deep as possible up to 4 KiB, since c, four bytes a number, is read and written for every block of the depth; then as
/// wide as the cache has room for.
Block choose_block(const Int8Kernel& kernel, std::size_t n, std::size_t k) {
  static const std::uint64_t l2_bytes = probe_machine().cache_bytes(2);
  const std::size_t number = 4 / kernel.group, depth = even_part(k, 4096 / number, kernel.group);
  const double columns = matmul::block_bytes(l2_bytes) / static_cast<double>(number * depth);
  const std::size_t most = round_up(static_cast<std::size_t>(columns) + 1, kernel.tile_columns);
  return {depth, even_part(n, most, kernel.tile_columns)};
}

/// One panel of b, so many columns, of which the last ones may be missing: the numbers of a group side by side.
template <class Number, std::size_t group>
void pack_panel(const std::int8_t* b, std::size_t stride, std::size_t depth, std::size_t columns,
                std::size_t tile_columns, std::byte* panel) {
  auto* to = reinterpret_cast<Number*>(panel);
  for (std::size_t p = 0; p < depth; p += group, to += group * tile_columns) {
    const std::int8_t* const row = b + p * stride;
    if (p + group <= depth && columns == tile_columns) {
      for (std::size_t c = 0; c < tile_columns; ++c) {
        for (std::size_t i = 0; i < group; ++i) to[c * group + i] = row[i * stride + c];
      }
    } else {
      std::fill_n(to, group * tile_columns, Number{0});
      for (std::size_t i = 0; i < std::min(group, depth - p); ++i) {
        for (std::size_t c = 0; c < columns; ++c) to[c * group + i] = row[i * stride + c];
      }
    }
  }
}

/// A row of a, as it is or widened, with zeros up to a whole group.
void copy_row(const std::uint8_t* a, std::size_t depth, std::size_t group, std::byte* to) {
  if (group == 4) {
    std::memset(std::copy_n(reinterpret_cast<const std::byte*>(a), depth, to), 0, round_up(depth, 4) - depth);
  } else {
    std::uint16_t* const wide = std::copy_n(a, depth, reinterpret_cast<std::uint16_t*>(to));
    if (depth % 2 != 0) *wide = 0;
  }
}

}  // namespace

PackedInt8::PackedInt8(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b) {
  assign(kernel, n, k, b);
}

std::size_t PackedInt8::panel_bytes() const { return kernel_->tile_columns * 4 * parts_of(k_, kernel_->group); }

void PackedInt8::assign(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b) {
  kernel_ = &kernel, n_ = n, k_ = k;
  if (k == 0) return;
  const std::size_t tile = kernel.tile_columns, panels = parts_of(n, tile);
  const auto pack = kernel.group == 4 ? pack_panel<std::int8_t, 4> : pack_panel<std::int16_t, 2>;
  std::byte* const to = memory_of<std::byte>(panels_, panels * panel_bytes());
  for (std::size_t panel = 0; panel < panels; ++panel)
    pack(b + panel * tile, n, k, std::min(tile, n - panel * tile), tile, to + panel * panel_bytes());
  start_.assign(panels * tile, 0);
  if (kernel.offset_of_a == 0) return;
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < n; ++j) start_[j] += kernel.offset_of_a * b[p * n + j];
  }
}

// Not chapter 02's driver (gemm_driver.hpp): b was packed once for all products, what is copied of a is widened on the way,
// and one call of a kernel chosen when the program runs does all tiles of a panel.
void PackedInt8::multiply_part(const matmul::Rectangle& part, const std::uint8_t* a, std::int32_t* c) const {
  static thread_local Buffer memory;
  static thread_local std::vector<std::int32_t> zeros;
  const std::size_t m = part.rows, group = kernel_->group, number = 4 / group, tile = kernel_->tile_columns;
  const auto [most_depth, width] = choose_block(*kernel_, part.columns, k_);
  const std::size_t panels = parts_of(m, kernel_->tile_rows);
  const bool copies = number > 1 || k_ % group != 0;
  const std::size_t stride = copies ? round_up(most_depth * number, 64) + 64 : k_;
  std::byte* const copy = copies ? memory_of<std::byte>(memory, m * stride) : nullptr;
  zeros.resize(std::max(zeros.size(), round_up(width, tile)));
  for (std::size_t p = 0; p < k_; p += most_depth) {
    const std::size_t depth = std::min(most_depth, k_ - p);
    for (std::size_t i = 0; copies && i < m; ++i) copy_row(a + i * k_ + p, depth, group, copy + i * stride);
    const std::byte* const rows = copies ? copy : reinterpret_cast<const std::byte*>(a + p);
    for (std::size_t j = 0; j < part.columns; j += width) {
      const std::size_t column = part.column + j;
      for (std::size_t panel = 0; panel < panels; ++panel) {
        const std::size_t i = panel * m / panels, end = (panel + 1) * m / panels;
        kernel_->multiply_panels({.rows = end - i,
                                  .columns = std::min(width, part.columns - j),
                                  .groups = parts_of(depth, group),
                                  .a = rows + i * stride,
                                  .stride = stride,
                                  .next = rows + end * stride,
                                  .next_rows = std::min(m, (panel + 2) * m / panels) - end,
                                  .b = panels_.data() + column / tile * panel_bytes() + p * number * tile,
                                  .panel_bytes = panel_bytes(),
                                  .start = p == 0 ? start_.data() + column : zeros.data(),
                                  .c = c + i * n_ + column,
                                  .c_stride = n_,
                                  .add = p > 0});
      }
    }
  }
}

void PackedInt8::multiply(std::size_t m, const std::uint8_t* a, std::int32_t* c, int threads) const {
  if (k_ == 0) std::fill_n(c, m * n_, 0);
  if (m == 0 || n_ == 0 || k_ == 0) return;
  matmul::share_product(
      m, n_, threads, 1, kernel_->tile_columns, matmul::Split::longer,
      [&](const matmul::Rectangle& part) { multiply_part(part, a + part.row * k_, c + part.row * n_); });
}

void Int8Kernel::multiply(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a, const std::int8_t* b,
                          std::int32_t* c) const {
  static thread_local PackedInt8 packed;
  packed.assign(*this, n, k, b);
  packed.multiply(m, a, c);
}

std::vector<std::int64_t> plain_int8_product(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a,
                                             const std::int8_t* b) {
  std::vector<std::int64_t> c(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += std::int64_t{a[i * k + p]} * b[p * n + j];
    }
  }
  return c;
}

}  // namespace hf::tpu

#include "kit/narrow/int8_gemm.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/narrow/narrow_gemm.hpp"
#include "kit/narrow/narrow_strip.hpp"

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

/// The Operands of multiply_narrow() for a rectangle of an 8-bit product.
struct Int8Operands {
  using Sum = std::int32_t;

  /// Chooses KC as large as possible up to 4 KiB, because c, at four bytes per number, is read and written once for
  /// every KC.
  NarrowBlocking blocking(std::size_t columns) const {
    const std::size_t kc = matmul::even_part(k, 1024 * group, group);
    return {kc, block_columns(columns, kc * 4 / group, tile_columns)};
  }

  void copy_row(const std::uint8_t* a, std::size_t count, std::byte* to) const {
    if (group == 4) {
      std::memset(std::copy_n(reinterpret_cast<const std::byte*>(a), count, to), 0, matmul::round_up(count, 4) - count);
    } else {
      std::uint16_t* const wide = std::copy_n(a, count, reinterpret_cast<std::uint16_t*>(to));
      if (count % 2 != 0) *wide = 0;
    }
  }

  PanelsOfB block_of_b(PanelsOfB panels, std::size_t, std::size_t) const { return panels; }
  void multiply(const Int8Strip& strip) const { kernel.multiply_strip(strip); }

  const Int8Kernel& kernel;
  std::size_t k;
  const std::byte* packed;
  const std::int32_t* starts;
  std::size_t group = kernel.group, packed_group = group;
  std::size_t tile_rows = kernel.tile_rows, tile_columns = kernel.tile_columns;
  bool copies_a = group < 4 || k % group != 0;
};

}  // namespace

PackedInt8::PackedInt8(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b) {
  assign(kernel, n, k, b);
}

void PackedInt8::assign(const Int8Kernel& kernel, std::size_t n, std::size_t k, const std::int8_t* b) {
  kernel_ = &kernel, n_ = n, k_ = k;
  if (k == 0) return;
  const std::size_t tile = kernel.tile_columns, panels = matmul::parts_of(n, tile);
  const auto pack = kernel.group == 4 ? pack_panels<std::int8_t, std::int8_t> : pack_panels<std::int16_t, std::int8_t>;
  pack(n, k, b, tile, matmul::memory_of<std::byte>(panels_, panels * panel_bytes(k, kernel.group, tile)));
  if (kernel.offset_of_a == 0) return;
  starts_.assign(panels * tile, 0);
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < n; ++j) starts_[j] += kernel.offset_of_a * b[p * n + j];
  }
}

void PackedInt8::multiply(std::size_t m, const std::uint8_t* a, std::int32_t* c) const {
  if (k_ == 0) std::fill_n(c, m * n_, 0);
  if (m == 0 || n_ == 0 || k_ == 0) return;
  const Int8Operands operands = {*kernel_, k_, panels_.data(), starts_.data()};
  multiply_narrow(operands, matmul::Rectangle{0, 0, m, n_}, n_, k_, a, c);
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

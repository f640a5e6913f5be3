/// \file
/// mma.sync, the tensor cores' instruction for a warp on every GPU since Ampere: the numbers of a small product that
/// each thread holds, as the PTX ISA lays them out ("Matrix Fragments for mma.m16n8k16 with floating point type").
/// d (16, 8) += a (16, 16) · b (16, 8). A register holds two numbers of 16 bits, adjacent along the depth.
#pragma once

#include <cstdint>

namespace hf::gpu {

constexpr int mma_rows = 16, mma_columns = 8, mma_depth = 16;
constexpr int mma_a_registers = 4, mma_b_registers = 2, mma_d_registers = 4;

struct Place {
  int row, column;
};

/// The place in a of number `index` in a register of a thread (`lane`).
constexpr Place place_in_a(int lane, int reg, int index) {
  return {lane / 4 + reg % 2 * 8, lane % 4 * 2 + index + reg / 2 * 8};
}

constexpr Place place_in_b(int lane, int reg, int index) { return {lane % 4 * 2 + index + reg * 8, lane / 4}; }

/// Registers of d hold one number each.
constexpr Place place_in_d(int lane, int reg) { return {lane / 4 + reg / 2 * 8, lane % 4 * 2 + reg % 2}; }

#ifdef __CUDACC__
/// d += a · b for a warp, in bf16 with sums in fp32.
__device__ inline void multiply_add_tiles(float (&d)[mma_d_registers], const std::uint32_t (&a)[mma_a_registers],
                                          const std::uint32_t (&b)[mma_b_registers]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

}  // namespace hf::gpu

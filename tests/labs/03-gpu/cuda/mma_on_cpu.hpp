/// \file
/// mma.sync and its companions for cuda_on_cpu.hpp: copies in groups, squares from shared memory, products of a warp.
///
/// A copy happens as late as possible: when its thread waits for it. Until then its place holds NaN, from the moment it
/// begins, so a kernel that reads too early, or begins a copy before all threads have read the place, is wrong here too.
#pragma once

#include <array>
#include <deque>

#include "cuda_on_cpu.hpp"
// The code below is written for a device.
#include "03-gpu/kernels/cuda/bf16_gemm.cuh"
#include "03-gpu/kernels/cuda/mma_fragments.hpp"

namespace hf::gpu {

namespace on_cpu {

struct Chunk {
  Bf16 numbers[8];
};
struct Copy {
  Chunk* to;
  const Chunk* from;  ///< null: zeros
  int group;
};
inline thread_local std::deque<Copy> copies;
inline thread_local int copy_groups;

/// What one thread holds of the operands of a product.
struct Held {
  std::uint32_t a[mma_a_registers], b[mma_b_registers];
};

/// Which thread and register hold a number of an operand.
struct Holder {
  int lane, reg, index;
};
template <int rows, int columns>
using Holders = std::array<std::array<Holder, columns>, rows>;

template <int rows, int columns>
Holders<rows, columns> holders(int registers, Place (&place)(int, int, int)) {
  Holders<rows, columns> all;
  for (int lane = 0; lane < 32; ++lane) {
    for (int reg = 0; reg < registers; ++reg) {
      for (int index = 0; index < 2; ++index) {
        const Place at = place(lane, reg, index);
        all[static_cast<std::size_t>(at.row)][static_cast<std::size_t>(at.column)] = {lane, reg, index};
      }
    }
  }
  return all;
}

inline float half_of(std::uint32_t pair, int index) {
  return to_float({static_cast<std::uint16_t>(pair >> (16 * index))});
}

}  // namespace on_cpu

inline void begin_copy(Bf16* to, const Bf16* from, bool inside) {
  on_cpu::expect_aligned(to, 16);
  on_cpu::expect_aligned(from, 16);
  std::fill_n(to, 8, Bf16{0xffff});
  on_cpu::copies.push_back({reinterpret_cast<on_cpu::Chunk*>(to),
                            inside ? reinterpret_cast<const on_cpu::Chunk*>(from) : nullptr, on_cpu::copy_groups});
}
inline void end_copy_group() { ++on_cpu::copy_groups; }
template <int under_way>
void wait_for_copy_groups() {
  for (auto& all = on_cpu::copies; !all.empty() && all.front().group < on_cpu::copy_groups - under_way; all.pop_front())
    *all.front().to = all.front().from ? *all.front().from : on_cpu::Chunk{};
}

inline void load_squares(std::uint32_t (&to)[4], const Bf16* row) {
  on_cpu::expect_aligned(row, 16);
  const auto rows = on_cpu::of_warp(row);
  for (unsigned square = 0; square < 4; ++square) {
    const Bf16* pair = rows[8 * square + on_cpu::lane / 4] + on_cpu::lane % 4 * 2;
    to[square] = pair[0].bits | static_cast<std::uint32_t>(pair[1].bits) << 16;
  }
}

inline void multiply_add_tiles(float (&d)[mma_d_registers], const std::uint32_t (&a)[mma_a_registers],
                               const std::uint32_t (&b)[mma_b_registers]) {
  static const auto of_a = on_cpu::holders<mma_rows, mma_depth>(mma_a_registers, place_in_a);
  static const auto of_b = on_cpu::holders<mma_depth, mma_columns>(mma_b_registers, place_in_b);
  on_cpu::Held mine;
  std::copy(std::begin(a), std::end(a), mine.a);
  std::copy(std::begin(b), std::end(b), mine.b);
  const auto held = on_cpu::of_warp(mine);
  for (int reg = 0; reg < mma_d_registers; ++reg) {
    const Place at = place_in_d(static_cast<int>(on_cpu::lane), reg);
    for (std::size_t p = 0; p < mma_depth; ++p) {
      const on_cpu::Holder left = of_a[static_cast<std::size_t>(at.row)][p];
      const on_cpu::Holder right = of_b[p][static_cast<std::size_t>(at.column)];
      d[reg] += on_cpu::half_of(held[static_cast<std::size_t>(left.lane)].a[left.reg], left.index) *
                on_cpu::half_of(held[static_cast<std::size_t>(right.lane)].b[right.reg], right.index);
    }
  }
}

}  // namespace hf::gpu

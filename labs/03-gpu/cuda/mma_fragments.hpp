/// \file
/// Which numbers of a small product each thread of a warp holds for mma.sync, as the PTX ISA lays them out ("Matrix
/// Fragments for mma.m16n8k16 with floating point type" and "for mma.m16n8k32 with integer type"). Plain C++.
///
/// d (16, 8) += a (16, depth) · b (depth, 8): numbers of 16 bits have depth 16, numbers of 8 bits depth 32; a register
/// holds 2 or 4 of them, neighbours along the depth.
#pragma once

namespace hf::gpu {

constexpr int mma_rows = 16, mma_columns = 8;
constexpr int mma_a_registers = 4, mma_b_registers = 2, mma_d_registers = 4;

struct Place {
  int row, column;
};

/// \param each  how many numbers a register holds: 2 or 4
constexpr int mma_depth(int each) { return 8 * each; }

/// Where in a the number `index` of a register of a thread (`lane`) stands.
constexpr Place place_in_a(int lane, int reg, int index, int each) {
  return {lane / 4 + reg % 2 * 8, lane % 4 * each + index + reg / 2 * 4 * each};
}

constexpr Place place_in_b(int lane, int reg, int index, int each) {
  return {lane % 4 * each + index + reg * 4 * each, lane / 4};
}

/// Registers of d hold one number each.
constexpr Place place_in_d(int lane, int reg) { return {lane / 4 + reg / 2 * 8, lane % 4 * 2 + reg % 2}; }

}  // namespace hf::gpu

/// \file
/// Which numbers of a small product each thread of a warp holds for mma.sync, as the PTX ISA lays them out ("Matrix
/// Fragments for mma.m16n8k16 with floating point type"). Plain C++.
///
/// d (16, 8) += a (16, 16) · b (16, 8): a register holds two numbers of 16 bits, neighbours along the depth.
#pragma once

namespace hf::gpu {

constexpr int mma_rows = 16, mma_columns = 8, mma_depth = 16;
constexpr int mma_a_registers = 4, mma_b_registers = 2, mma_d_registers = 4;

struct Place {
  int row, column;
};

/// Where in a the number `index` of a register of a thread (`lane`) stands.
constexpr Place place_in_a(int lane, int reg, int index) {
  return {lane / 4 + reg % 2 * 8, lane % 4 * 2 + index + reg / 2 * 8};
}

constexpr Place place_in_b(int lane, int reg, int index) { return {lane % 4 * 2 + index + reg * 8, lane / 4}; }

/// Registers of d hold one number each.
constexpr Place place_in_d(int lane, int reg) { return {lane / 4 + reg / 2 * 8, lane % 4 * 2 + reg % 2}; }

}  // namespace hf::gpu

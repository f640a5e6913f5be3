/// \file
/// The operands and expected results of the tensor cores when their peak is measured. Plain C++.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "03-gpu/kernels/cuda/mma_fragments.hpp"
#include "kit/random.hpp"

namespace hf::gpu {

/// One small product of random whole numbers in −8 … 7: bf16 represents them exactly, and fp32 their sums below 2^24.
struct TensorOperands {
  static constexpr double operations = 2.0 * mma_rows * mma_columns * mma_depth;  ///< of one instruction of a warp

  static constexpr int a_at(Place at) { return small(at.row * mma_depth + at.column); }
  static constexpr int b_at(Place at) { return small(mma_rows * mma_depth + at.row * mma_columns + at.column); }

  /// Every thread's registers, one thread after the other.
  static std::vector<std::uint32_t> a() {
    return fragments(mma_a_registers, [](int lane, int reg, int i) { return a_at(place_in_a(lane, reg, i)); });
  }
  static std::vector<std::uint32_t> b() {
    return fragments(mma_b_registers, [](int lane, int reg, int i) { return b_at(place_in_b(lane, reg, i)); });
  }

  /// The number at a place in the product a · b.
  static constexpr int product_at(Place at) {
    int sum = 0;
    for (int k = 0; k < mma_depth; ++k) sum += a_at({at.row, k}) * b_at({k, at.column});
    return sum;
  }

 private:
  static constexpr int small(int index) {
    return static_cast<int>(random_below(0, static_cast<unsigned>(index), 16)) - 8;
  }

  static std::uint32_t bits(int number) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(number)) >> 16;  // bf16 is the upper half of fp32
  }

  template <class Number>
  static std::vector<std::uint32_t> fragments(int registers, Number number) {
    std::vector<std::uint32_t> words;
    for (int lane = 0; lane < 32; ++lane) {
      for (int reg = 0; reg < registers; ++reg) {
        std::uint32_t word = 0;
        for (int i = 0; i < 2; ++i) word |= bits(number(lane, reg, i)) << (16 * i);
        words.push_back(word);
      }
    }
    return words;
  }
};

}  // namespace hf::gpu

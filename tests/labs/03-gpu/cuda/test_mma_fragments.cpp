// Fragments of the tensor cores: every number of a small product is held once, at the place given by the PTX ISA.
#include <doctest/doctest.h>

#include <map>
#include <utility>
#include <vector>

#include "03-gpu/kernels/cuda/mma_fragments.hpp"
#include "03-gpu/kernels/cuda/tensor_operands.hpp"

namespace hf::gpu {
namespace {

constexpr bool operator==(Place a, Place b) { return a.row == b.row && a.column == b.column; }

/// The layouts in the words of the PTX ISA, element by element, in groups of four threads.
Place ptx_a(int lane, int element) {
  const int group = lane / 4, in_group = lane % 4;
  const int row = element < 2 || (element >= 4 && element < 6) ? group : group + 8;
  return {row, in_group * 2 + (element & 1) + (element >= 4 ? 8 : 0)};
}

Place ptx_b(int lane, int element) {
  const int group = lane / 4, in_group = lane % 4;
  return {in_group * 2 + (element & 1) + (element >= 2 ? 8 : 0), group};
}

Place ptx_d(int lane, int element) { return {element < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (element & 1)}; }

TEST_CASE("registers hold what the PTX ISA says") {
  for (int lane = 0; lane < 32; ++lane) {
    for (int element = 0; element < mma_a_registers * 2; ++element) {
      CHECK(place_in_a(lane, element / 2, element % 2) == ptx_a(lane, element));
    }
    for (int element = 0; element < mma_b_registers * 2; ++element) {
      CHECK(place_in_b(lane, element / 2, element % 2) == ptx_b(lane, element));
    }
    for (int reg = 0; reg < mma_d_registers; ++reg) CHECK(place_in_d(lane, reg) == ptx_d(lane, reg));
  }
}

TEST_CASE("every number is held once") {
  std::map<std::pair<int, int>, int> in_a, in_b, in_d;
  const std::vector<std::uint32_t> a = TensorOperands::a();
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 2; ++i) {
      for (int reg = 0; reg < mma_a_registers; ++reg) {
        const Place at = place_in_a(lane, reg, i);
        ++in_a[{at.row, at.column}];
        const std::uint32_t bits = a[static_cast<std::size_t>(lane * mma_a_registers + reg)] >> (16 * i);
        CHECK(std::bit_cast<float>(bits << 16) == static_cast<float>(TensorOperands::a_at(at)));
      }
      for (int reg = 0; reg < mma_b_registers; ++reg) {
        const Place at = place_in_b(lane, reg, i);
        ++in_b[{at.row, at.column}];
      }
    }
    for (int reg = 0; reg < mma_d_registers; ++reg) {
      const Place at = place_in_d(lane, reg);
      ++in_d[{at.row, at.column}];
    }
  }
  CHECK(in_a.size() == std::size_t{mma_rows} * mma_depth);
  CHECK(in_b.size() == std::size_t{mma_columns} * mma_depth);
  CHECK(in_d.size() == std::size_t{mma_rows} * mma_columns);
  for (const auto* map : {&in_a, &in_b, &in_d}) {
    for (const auto& [place, times] : *map) CHECK(times == 1);
  }
}

}  // namespace
}  // namespace hf::gpu

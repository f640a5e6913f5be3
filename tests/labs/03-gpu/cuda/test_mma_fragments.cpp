// Fragments of the tensor cores: every number of a small product is held once, where the PTX ISA says.
#include <doctest/doctest.h>

#include <map>
#include <utility>

#include "03-gpu/cuda/tensor_operands.hpp"

namespace hf::gpu {
namespace {

constexpr bool operator==(Place a, Place b) { return a.row == b.row && a.column == b.column; }

/// The layouts as the PTX ISA words them, element by element, in groups of four threads.
Place ptx_a(int lane, int element, int each) {
  const int group = lane / 4, in_group = lane % 4;
  if (each == 2) {
    const int row = element < 2 || (element >= 4 && element < 6) ? group : group + 8;
    return {row, in_group * 2 + (element & 1) + (element >= 4 ? 8 : 0)};
  }
  const int row = element < 4 || (element >= 8 && element < 12) ? group : group + 8;
  return {row, in_group * 4 + (element & 3) + (element >= 8 ? 16 : 0)};
}

Place ptx_b(int lane, int element, int each) {
  const int group = lane / 4, in_group = lane % 4;
  if (each == 2) return {in_group * 2 + (element & 1) + (element >= 2 ? 8 : 0), group};
  return {in_group * 4 + (element & 3) + (element >= 4 ? 16 : 0), group};
}

Place ptx_d(int lane, int element) { return {element < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (element & 1)}; }

TEST_CASE("registers hold what the PTX ISA says") {
  for (const int each : {2, 4}) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int element = 0; element < mma_a_registers * each; ++element) {
        CHECK(place_in_a(lane, element / each, element % each, each) == ptx_a(lane, element, each));
      }
      for (int element = 0; element < mma_b_registers * each; ++element) {
        CHECK(place_in_b(lane, element / each, element % each, each) == ptx_b(lane, element, each));
      }
      for (int reg = 0; reg < mma_d_registers; ++reg) CHECK(place_in_d(lane, reg) == ptx_d(lane, reg));
    }
  }
}

template <int each>
void check_operands() {
  using Operands = TensorOperands<each>;
  std::map<std::pair<int, int>, int> in_a, in_b, in_d;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < each; ++i) {
      for (int reg = 0; reg < mma_a_registers; ++reg) {
        const Place at = place_in_a(lane, reg, i, each);
        ++in_a[{at.row, at.column}];
        const std::uint32_t word = Operands().a()[static_cast<std::size_t>(lane * mma_a_registers + reg)];
        const std::uint32_t bits = word >> (32 / each * i);
        if (each == 2) CHECK(std::bit_cast<float>(bits << 16) == static_cast<float>(Operands::a_at(at)));
        if (each == 4) CHECK(static_cast<std::int8_t>(bits) == Operands::a_at(at));
      }
      for (int reg = 0; reg < mma_b_registers; ++reg) {
        const Place at = place_in_b(lane, reg, i, each);
        ++in_b[{at.row, at.column}];
      }
    }
    for (int reg = 0; reg < mma_d_registers; ++reg) {
      const Place at = place_in_d(lane, reg);
      ++in_d[{at.row, at.column}];
    }
  }
  CHECK(in_a.size() == std::size_t{mma_rows} * Operands::depth);
  CHECK(in_b.size() == std::size_t{mma_columns} * Operands::depth);
  CHECK(in_d.size() == std::size_t{mma_rows} * mma_columns);
  for (const auto* map : {&in_a, &in_b, &in_d}) {
    for (const auto& [place, times] : *map) CHECK(times == 1);
  }
}

TEST_CASE("every number is held once") {
  check_operands<2>();
  check_operands<4>();
}

}  // namespace
}  // namespace hf::gpu

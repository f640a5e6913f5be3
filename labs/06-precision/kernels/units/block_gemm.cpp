#include "06-precision/kernels/units/block_gemm.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/narrow/dot_instructions.hpp"
#include "kit/narrow/narrow_strip.hpp"

namespace hf::precision {
namespace {

using tpu::sum_lanes;
using tpu::Sums;

typedef float Scales __attribute__((vector_size(sizeof(Sums))));

/// The tile of c in registers: each sum of floats is beside the integers of the current block.
constexpr std::size_t tile_rows = vector_registers == 32 ? 6 : 3;
constexpr std::size_t tile_registers = vector_registers == 32 || sum_lanes < 8 ? 2 : 1;
constexpr std::size_t tile_columns = tile_registers * sum_lanes, block = PackedBlocks::block, groups = block / 4;

/// A block of a panel: what the integers of each column start from, its scales, its numbers.
struct BlockOfPanel {
  std::int32_t starts[tile_columns];
  float scales[tile_columns];
  std::int8_t numbers[groups][tile_columns][4];
};
constexpr std::size_t block_lines = sizeof(BlockOfPanel) / 64;
static_assert(sizeof(BlockOfPanel) % 64 == 0);

/// Activations are unsigned to dot(), 128 higher than they are, except where it takes 128 off again.
constexpr std::int32_t raised = 128, excess = raised - tpu::offset_of_a;

/// Rows of a in 8 bits, and the scales of their blocks, one for each.
struct RoundedRows {
  const std::uint8_t* numbers;
  std::size_t stride;
  const float* scales;
  std::size_t blocks;
};

/// Multiplies some rows of a by a panel. For each register of sums, a block takes eight dot products, a conversion, a
/// product of scales and an FMA, so about a fifth of the multiplying units' time goes to scales. Meanwhile
/// prefetches `lines` cache lines of the next panel with each block.
template <std::size_t rows>
void multiply_tile(const RoundedRows& a, const BlockOfPanel* panel, const std::byte* ahead, std::size_t lines,
                   Scales (&c)[rows][tile_registers]) {
  const std::uint8_t* numbers = a.numbers;
  for (std::size_t b = 0; b < a.blocks; ++b, ++panel) {
    tpu::prefetch_ahead(ahead, lines);
    Sums sums[rows][tile_registers];
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t r = 0; r < tile_registers; ++r) sums[i][r] = tpu::load_sums(panel->starts + r * sum_lanes);
    }
#pragma GCC unroll 8
    for (std::size_t g = 0; g < groups; ++g, numbers += 4) {
      Sums weights[tile_registers];
      for (std::size_t r = 0; r < tile_registers; ++r) weights[r] = tpu::load_sums(panel->numbers[g][r * sum_lanes]);
#pragma GCC unroll 6
      for (std::size_t i = 0; i < rows; ++i) {
        const Sums from_a = tpu::every_lane(numbers + i * a.stride);
        for (std::size_t r = 0; r < tile_registers; ++r) sums[i][r] = tpu::dot(sums[i][r], from_a, weights[r]);
      }
    }
    for (std::size_t r = 0; r < tile_registers; ++r) {
      const Scales of_weights = (Scales)tpu::load_sums(panel->scales + r * sum_lanes);
#pragma GCC unroll 6
      for (std::size_t i = 0; i < rows; ++i)
        c[i][r] += __builtin_convertvector(sums[i][r], Scales) * (of_weights * a.scales[i * a.blocks + b]);
    }
  }
}

/// A tile of c with this many rows, or `rows` at most; writes the columns that c has.
template <std::size_t rows>
void multiply_rows(std::size_t count, const RoundedRows& a, const BlockOfPanel* panel, const std::byte* ahead,
                   std::size_t lines, std::size_t columns, float* c, std::size_t c_stride) {
  if constexpr (rows > 1) {
    if (count < rows) return multiply_rows<rows - 1>(count, a, panel, ahead, lines, columns, c, c_stride);
  }
  Scales sums[rows][tile_registers] = {};
  multiply_tile<rows>(a, panel, ahead, lines, sums);
  for (std::size_t i = 0; i < rows; ++i) __builtin_memcpy(c + i * c_stride, sums[i], columns * sizeof(float));
}

/// Rounds a row to 8 bits, raised by 128, in blocks: the largest number of each becomes 127 or −127.
void round_row(const float* a, std::size_t blocks, std::uint8_t* numbers, float* scales) {
  for (std::size_t b = 0; b < blocks; ++b, a += block, numbers += block) {
    std::uint32_t largest = 0;  // as bits, whose order is that of the absolute values
    for (std::size_t i = 0; i < block; ++i)
      largest = std::max(largest, std::bit_cast<std::uint32_t>(a[i]) & 0x7fffffff);
    scales[b] = std::bit_cast<float>(largest) / 127;
    const float factor = scales[b] > 0 ? 1 / scales[b] : 0;
    constexpr float whole =
        3 << 22;  // from here on, floats are whole numbers: the sum's last bits are the rounded one's
    for (std::size_t i = 0; i < block; ++i)
      numbers[i] = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(a[i] * factor + whole) + raised);
  }
}

}  // namespace

bool has_block_dot() { return tpu::has_dot_product; }

std::size_t PackedBlocks::panels() const { return matmul::parts_of(n_, tile_columns); }

PackedBlocks::PackedBlocks(std::size_t n, std::size_t k, const std::int8_t* numbers, const float* scales)
    : n_(n), k_(k), panels_(matmul::parts_of(n, tile_columns) * (k / block) * sizeof(BlockOfPanel), Pages::huge) {
  BlockOfPanel* to = panels_.as<BlockOfPanel>().data();
  for (std::size_t j = 0; j < n; j += tile_columns) {
    for (std::size_t b = 0; b < k / block; ++b, ++to) {
      *to = {};
      for (std::size_t column = 0; column < std::min(tile_columns, n - j); ++column) {
        const std::int8_t* const from = numbers + (j + column) * k + b * block;
        to->scales[column] = scales[(j + column) * (k / block) + b];
        for (std::size_t i = 0; i < block; ++i) {
          to->starts[column] -= excess * from[i];
          to->numbers[i / 4][column][i % 4] = from[i];
        }
      }
    }
  }
}

PackedBlocks PackedBlocks::copy() const {
  Buffer panels(panels_.size(), Pages::huge);
  std::ranges::copy(panels_.as<std::byte>(), panels.as<std::byte>().data());
  return {n_, k_, std::move(panels)};
}

void PackedBlocks::multiply(std::size_t m, const float* a, float* c, std::size_t first, std::size_t last) const {
  if (m == 0) return;
  static thread_local Buffer number_memory, scale_memory;
  const std::size_t blocks = k_ / block, stride = matmul::round_up(k_, 128) + 64;  // an odd number of cache lines
  auto* const numbers = matmul::memory_of<std::uint8_t>(number_memory, m * stride);
  auto* const scales = matmul::memory_of<float>(scale_memory, m * blocks);
  for (std::size_t i = 0; i < m; ++i) round_row(a + i * k_, blocks, numbers + i * stride, scales + i * blocks);
  const std::size_t strips = matmul::parts_of(m, tile_rows), lines = matmul::parts_of(block_lines, strips);
  for (std::size_t panel = first; panel < last; ++panel) {
    const BlockOfPanel* const from = panels_.as<BlockOfPanel>().data() + panel * blocks;
    const std::size_t column = panel * tile_columns, columns = std::min(tile_columns, n_ - column);
    const auto* const next = reinterpret_cast<const std::byte*>(from + blocks);
    for (std::size_t s = 0; s < strips; ++s) {
      const std::size_t i = s * m / strips, count = (s + 1) * m / strips - i;
      const bool some_left = panel + 1 < last && s * lines < block_lines;
      multiply_rows<tile_rows>(count, {numbers + i * stride, stride, scales + i * blocks, blocks}, from,
                               some_left ? next + s * lines * blocks * 64 : next, some_left ? lines : 0, columns,
                               c + i * n_ + column, n_);
    }
  }
}

}  // namespace hf::precision

#include "05-scaling/kernels/chip/layer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "harness/measure/vector.hpp"
#include "kit/gemm/micro_kernel.hpp"
#include "kit/loop_team.hpp"

namespace hf::scaling {
namespace {

using matmul::tile_rows;
constexpr std::size_t columns = matmul::tile_columns;
static_assert(gpt2_layer.head_width() % columns == 0, "a head is cut into panels");

/// How many rows of a panel are used for all rows of x before the next ones: they and their part of x stay in the
/// level-2 cache.
constexpr std::size_t KC = 768;

/// How many rows of a panel ahead to prefetch: about the latency of memory.
constexpr std::size_t prefetch_rows = 48;

/// What to prefetch for later: `step` floats with each row of the panel.
struct Ahead {
  const float* data;
  std::size_t step;
};

/// Computes y (+)= x · panel for one tile with chapter 02's micro-kernel.
template <std::size_t rows, bool add>
void multiply_tile(std::size_t depth, matmul::View x, const float* panel, Ahead ahead, float* y, std::size_t y_stride) {
  const auto prefetch = [ahead](std::size_t p) __attribute__((always_inline)) {
    __builtin_prefetch(ahead.data + p * ahead.step, 0, 2);
    __builtin_prefetch(ahead.data + p * ahead.step + lanes, 0, 2);
  };
  matmul::multiply_tile<rows, columns / lanes, false, add, 1>(depth, x, {panel, columns}, nullptr, y, y_stride,
                                                              prefetch);
}

/// Returns the kernels for 1, 2, … rows, which overwrite y or add to it.
template <bool add, std::size_t... rows>
constexpr auto kernels_for(std::index_sequence<rows...>) {
  return std::array{multiply_tile<rows + 1, add>...};
}
constexpr auto overwriting = kernels_for<false>(std::make_index_sequence<tile_rows>());
constexpr auto adding = kernels_for<true>(std::make_index_sequence<tile_rows>());

}  // namespace

const std::size_t panel_columns = columns;

void multiply_panel(StridedRows x, std::size_t depth, const float* panel, bool add, float* y, std::size_t y_stride) {
  const std::size_t tiles = (x.count + tile_rows - 1) / tile_rows;
  for (std::size_t p = 0; p < depth; p += KC) {
    const std::size_t count = std::min(KC, depth - p);
    const float* const block = panel + p * columns;
    for (std::size_t tile = 0; tile < tiles; ++tile) {  // whose heights differ by at most 1
      const std::size_t i = tile * x.count / tiles, rows = (tile + 1) * x.count / tiles - i;
      // Several tiles share the prefetch of the next block; a single tile looks ahead in its own block.
      const std::size_t step = columns / std::min(tiles, columns);
      const Ahead ahead = {tiles == 1 ? block + prefetch_rows * columns : block + count * (columns + tile * step),
                           step};
      auto* const kernel = (add || p > 0 ? adding : overwriting)[rows - 1];
      kernel(count, {x.data + i * x.stride + p, x.stride}, block, ahead, y + i * y_stride, y_stride);
    }
  }
}

void multiply_panels(StridedRows x, Panels weights, const float* bias, const float* start, float* y,
                     std::size_t stride) {
  share_each(weights.columns / columns, weights.depth * columns, [&](std::size_t number) {
    const std::size_t j = number * columns;
    for (std::size_t i = 0; i < x.count; ++i) {
      for (std::size_t k = j; k < j + columns; ++k) {
        y[i * stride + k] = bias[k] + (start != nullptr ? start[i * stride + k] : 0);
      }
    }
    multiply_panel(x, weights.depth, weights.panel(number), true, y + j, stride);
  });
}

}  // namespace hf::scaling

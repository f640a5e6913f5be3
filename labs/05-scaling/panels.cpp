#include "05-scaling/panels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "00-workload/loop_team.hpp"
#include "02-matmul/micro_kernel.hpp"

namespace hf::scaling {
namespace {

using matmul::View;

/// The micro-kernel of chapter 02 for each number of rows, overwriting c or adding to it.
template <bool add, std::size_t... rows>
constexpr auto kernels_for(std::index_sequence<rows...>) {
  return std::array{matmul::multiply_tile<rows + 1, false, add>...};
}
constexpr auto overwriting = kernels_for<false>(std::make_index_sequence<matmul::tile_rows>());
constexpr auto adding = kernels_for<true>(std::make_index_sequence<matmul::tile_rows>());

/// Rows of a panel that all rows of x use before it goes on: they and their part of x stay in the level-2 cache.
constexpr std::size_t depth_block = 768;

/// From so many rows on, arithmetic takes about as long as fetching, and a panel asked for early hides one behind the
/// other. With fewer, memory is all that is waited for, and what asks for it by itself does so better.
constexpr std::size_t asking_rows = 12;

}  // namespace

const std::size_t panel_columns = matmul::tile_columns;

void multiply_panel(Rows x, std::size_t depth, const float* panel, bool goes_on, bool add, float* y,
                    std::size_t y_stride) {
  const std::size_t tiles = (x.count + matmul::tile_rows - 1) / matmul::tile_rows;
  for (std::size_t p = 0; p < depth; p += depth_block) {
    const std::size_t count = std::min(depth_block, depth - p);
    const float* const block = panel + p * panel_columns;
    const bool ask = x.count >= asking_rows && (goes_on || p + count < depth);
    const std::size_t asked = ask ? panel_columns : 0;  // of the next block, in rows of `count` numbers
    for (std::size_t tile = 0; tile < tiles; ++tile) {  // of all but equal height
      const std::size_t i = tile * x.count / tiles, rows = (tile + 1) * x.count / tiles - i;
      const std::size_t from = tile * asked / tiles, to = (tile + 1) * asked / tiles;
      auto* const kernel = (add || p > 0 ? adding : overwriting)[rows - 1];
      kernel(count, {x.data + i * x.stride + p, x.stride}, {block, panel_columns},
             {block + (panel_columns + from) * count, count}, to - from, nullptr, y + i * y_stride, y_stride);
    }
  }
}

void multiply_panels(Rows x, Panels weights, const float* bias, const float* start, float* y, std::size_t stride) {
  const auto one = [&](std::size_t number, bool goes_on) {
    const std::size_t j = number * panel_columns;
    for (std::size_t i = 0; i < x.count; ++i) {
      for (std::size_t k = j; k < j + panel_columns; ++k) {
        y[i * stride + k] = bias[k] + (start != nullptr ? start[i * stride + k] : 0);
      }
    }
    multiply_panel(x, weights.depth, weights.panel(number), goes_on, true, y + j, stride);
  };
  const std::size_t panels = weights.columns / panel_columns;
  workload::share(panels, weights.depth * panel_columns, [&](std::size_t first, std::size_t last) {
    for (std::size_t number = first; number < last; ++number) one(number, number + 1 < last);
  });
}

}  // namespace hf::scaling

#include "06-precision/kernels/gemv/weight_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/rounded_vector.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/gemv/tiles.hpp"
#include "common/loop_team.hpp"
#include "harness/memory.hpp"
#include "harness/vector.hpp"

namespace hf::precision {
namespace {

/// x times a factor, with zeros behind it up to whole tiles; x itself where that is the same.
const float* prepared(const float* x, std::size_t columns, float factor, std::vector<float>& memory) {
  if (columns % tile_columns == 0 && factor == 1) return x;
  memory.assign(tiles_for(columns, tile_columns) * tile_columns, 0);
  for (std::size_t j = 0; j < columns; ++j) memory[j] = x[j] * factor;
  return memory.data();
}

}  // namespace

WeightMatrix::WeightMatrix(Format format, std::span<const float> values, std::size_t rows, std::size_t columns)
    : WeightMatrix(encode(format, values, rows, columns)) {}

WeightMatrix::WeightMatrix(const EncodedMatrix& matrix, std::size_t times)
    : format_(matrix.format),
      rows_(matrix.rows * times),
      columns_(matrix.columns),
      tiles_(tiled_bytes(format_, rows_, columns_), Pages::huge) {
  put_into_tiles(matrix, tiles_.data());
  const std::size_t once = tiles_.size() / times;
  for (std::size_t i = 1; i < times; ++i) std::copy_n(tiles_.data(), once, tiles_.data() + i * once);
  const std::size_t rows_of_scales = matrix.scales.size() > 1 ? times : 1;
  for (std::size_t i = 0; i < rows_of_scales; ++i) {
    scales_.insert(scales_.end(), matrix.scales.begin(), matrix.scales.end());
  }
}

std::size_t WeightMatrix::bytes() const { return tiles_.size() + sizeof(float) * scales_.size(); }

float WeightMatrix::scale_of(std::size_t row) const {
  if (scales_.empty()) return 1;
  return scales_.size() == 1 ? scales_.front() : scales_[row];
}

void WeightMatrix::multiply(const float* x, float* y) const {
  static thread_local std::vector<float> memory;
  static thread_local RoundedVector rounded;
  const Factors factors = kernel_factors(format_);
  TileInput input = {x, &rounded};
  if (is_whole(format_)) {
    rounded.round(x, columns_, tile_columns);
  } else {
    input.x = prepared(x, columns_, factors.input, memory);
  }
  const std::size_t across = tiles_for(columns_, tile_columns), down = tiles_for(rows_, tile_rows);
  const std::size_t row_bytes = tiles_.size() / down;
  const Kernel kernel = kernel_for(format_);
  const auto multiply_row = [&](std::size_t i) {
    alignas(vector_bytes) float sums[tile_rows];
    kernel(tiles_.data() + i * row_bytes, across, input, sums);
    const std::size_t row = i * tile_rows, count = std::min(tile_rows, rows_ - row);
    for (std::size_t r = 0; r < count; ++r) y[row + r] = sums[r] * (factors.sums * scale_of(row + r));
  };
  constexpr std::size_t parts = 1;  // for each core: a part begins with a wait for memory
  share_each(down, row_bytes / sizeof(float), multiply_row, parts);
}

void WeightMatrix::decode_row(std::size_t row, float* to) const {
  EncodedMatrix encoded = take_from_tiles(tiles_.data(), format_, columns_, row);
  if (!scales_.empty()) encoded.scales = {scale_of(row)};
  std::ranges::copy(decode(encoded), to);
}

}  // namespace hf::precision

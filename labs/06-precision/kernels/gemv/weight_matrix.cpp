#include "06-precision/kernels/gemv/weight_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/gemv/tiles.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/vector.hpp"
#include "kit/loop_team.hpp"

namespace hf::precision {
namespace {

/// Calls `use.operator()<format>()`, so that its code is compiled for each format.
template <std::size_t... i, class Use>
void with(Format format, std::index_sequence<i...>, const Use& use) {
  ((format == all_formats[i] ? use.template operator()<all_formats[i]>() : void()), ...);
}
template <class Use>
void with(Format format, const Use& use) {
  with(format, std::make_index_sequence<all_formats.size()>(), use);
}

/// True for 8-bit integer formats. Tiles store their numbers plus 128, since the dot product takes unsigned ones.
constexpr bool is_signed_byte(Format format) {
  return format == Format::int8 || format == Format::int8_channel || format == Format::q8_0;
}

/// The position of a number's lowest bit.
struct Place {
  std::size_t byte, bit;
};

/// The place of a column in a row in the format's layout. If a byte holds two numbers, the second comes half a block
/// after the first.
template <Format format>
constexpr Place place_in_row(std::size_t column) {
  constexpr BlockLayout layout = block_layout(format);
  const std::size_t block = column / layout.numbers * layout.bytes() + layout.scale_bytes, i = column % layout.numbers;
  if constexpr (layout.bits == 4) return {block + i % (layout.numbers / 2), 4 * (i / (layout.numbers / 2))};
  return {block + i * layout.bits / 8, 0};
}

/// The place of a row among the rows of a tile. Unpacking bytes to pairs of bf16 puts four rows into the first register,
/// the next four into the second, and so on.
template <Format format>
constexpr std::size_t place_of_row(std::size_t row) {
  if constexpr (!in_bf16_pairs(format)) return row;
  return row % lanes / 4 * 8 + row / lanes * 4 + row % 4;
}

/// The place in a tile. If a byte holds two numbers, the second comes half a group after the first.
template <Format format>
constexpr Place place_in_tile(std::size_t row, std::size_t column) {
  constexpr BlockLayout layout = block_layout(format);
  const std::size_t i = column % layout.group,
                    group = (column / layout.group * tile_rows + place_of_row<format>(row)) * layout.group;
  const std::size_t numbers = tile_scale_bytes(layout) + group * layout.bits / 8;
  if constexpr (layout.bits == 4) return {numbers + i % (layout.group / 2), 4 * (i / (layout.group / 2))};
  return {numbers + i * layout.bits / 8, 0};
}

/// Copies one number. \pre its bits at `to` are zero
template <Format format>
void move_number(const std::byte* from, Place from_place, std::byte* to, Place to_place) {
  constexpr std::size_t bits = block_layout(format).bits;
  if constexpr (bits == 4) {
    to[to_place.byte] |= (from[from_place.byte] >> from_place.bit & std::byte{15}) << to_place.bit;
  } else if constexpr (is_signed_byte(format)) {
    to[to_place.byte] = from[from_place.byte] ^ std::byte{128};
  } else {
    std::memcpy(to + to_place.byte, from + from_place.byte, bits / 8);
  }
}

/// The offset, in bytes, of the tile that contains the row's column.
template <Format format>
std::size_t tile_offset(std::size_t columns, std::size_t row, std::size_t column) {
  const std::size_t tile = row / tile_rows * tiles_for(columns, tile_columns) + column / tile_columns;
  return tile * tile_bytes(block_layout(format));
}

/// Calls `number(in_row, tile, in_tile)` for each number of a row, and `scale(in_row, tile + in_tile)` for each scale.
template <Format format, class MoveNumber, class MoveScale>
void visit_row(std::size_t columns, std::size_t row, const MoveNumber& number, const MoveScale& scale) {
  constexpr BlockLayout layout = block_layout(format);
  const std::size_t in_tile = row % tile_rows;
  for (std::size_t at = 0; at < columns; at += tile_columns) {
    const std::size_t tile = tile_offset<format>(columns, row, at);
    const std::size_t here = std::min(tile_columns, columns - at);
    for (std::size_t b = 0; b < here / layout.numbers && layout.scale_bytes > 0; ++b) {
      const std::size_t in_row = (at / layout.numbers + b) * layout.bytes();
      scale(in_row, tile + (b * tile_rows + in_tile) * layout.scale_bytes);
    }
    for (std::size_t c = 0; c < here; ++c) {
      number(place_in_row<format>(at + c), tile, place_in_tile<format>(in_tile, c));
    }
  }
}

template <Format format>
void put_row(const EncodedMatrix& matrix, std::size_t row, std::byte* tiles) {
  constexpr BlockLayout layout = block_layout(format);
  const std::byte* from = matrix.bytes.data() + row * (matrix.columns / layout.numbers * layout.bytes());
  const auto number = [&](Place in_row, std::size_t tile, Place in_tile) {
    move_number<format>(from, in_row, tiles + tile, in_tile);
  };
  const auto scale = [&](std::size_t in_row, std::size_t to) {
    std::memcpy(tiles + to, from + in_row, layout.scale_bytes);
  };
  visit_row<format>(matrix.columns, row, number, scale);
}

template <Format format>
std::vector<std::byte> take_row(const std::byte* tiles, std::size_t columns, std::size_t row) {
  constexpr BlockLayout layout = block_layout(format);
  std::vector<std::byte> to(columns / layout.numbers * layout.bytes());
  const auto number = [&](Place in_row, std::size_t tile, Place in_tile) {
    move_number<format>(tiles + tile, in_tile, to.data(), in_row);
  };
  const auto scale = [&](std::size_t in_row, std::size_t from) {
    std::memcpy(to.data() + in_row, tiles + from, layout.scale_bytes);
  };
  visit_row<format>(columns, row, number, scale);
  return to;
}

/// Bytes in all tiles of a matrix.
std::size_t tiled_bytes(Format format, std::size_t rows, std::size_t columns) {
  return tiles_for(rows, tile_rows) * tiles_for(columns, tile_columns) * tile_bytes(block_layout(format));
}

/// Copies the numbers and block scales of a matrix into tiles: first the tiles of the first rows, from left to right,
/// then those of the next rows. Leaves padding unchanged.
/// \param tiles  (tiled_bytes)
void put_into_tiles(const EncodedMatrix& matrix, std::byte* tiles) {
  with(matrix.format, [&]<Format format>() {
    share(tiles_for(matrix.rows, tile_rows), tile_rows * matrix.columns, [&](std::size_t first, std::size_t last) {
      const std::size_t end = std::min(last * tile_rows, matrix.rows);
      for (std::size_t row = first * tile_rows; row < end; ++row) put_row<format>(matrix, row, tiles);
    });
  });
}

/// Returns a row in the layout of its format, without the scales outside the tiles.
EncodedMatrix take_from_tiles(const std::byte* tiles, Format format, std::size_t columns, std::size_t row) {
  EncodedMatrix taken = {format, 1, columns, {}, {}};
  with(format, [&]<Format each>() { taken.bytes = take_row<each>(tiles, columns, row); });
  return taken;
}

/// Returns x times a factor, padded with zeros to whole tiles; x itself if that is the same.
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
    : WeightMatrix(matrix.format, matrix.rows * times, matrix.columns,
                   tiled_bytes(matrix.format, matrix.rows * times, matrix.columns)) {
  put_into_tiles(matrix, tiles_.data());
  const std::size_t once = tiles_.size() / times;
  for (std::size_t i = 1; i < times; ++i) std::copy_n(tiles_.data(), once, tiles_.data() + i * once);
  const std::size_t rows_of_scales = matrix.scales.size() > 1 ? times : 1;
  for (std::size_t i = 0; i < rows_of_scales; ++i) {
    scales_.insert(scales_.end(), matrix.scales.begin(), matrix.scales.end());
  }
}

WeightMatrix WeightMatrix::copy() const {
  WeightMatrix copy(format_, rows_, columns_, tiles_.size());
  std::copy_n(tiles_.data(), tiles_.size(), copy.tiles_.data());
  copy.scales_ = scales_;
  return copy;
}

std::size_t WeightMatrix::bytes() const { return tiles_.size() + sizeof(float) * scales_.size(); }

float WeightMatrix::scale_of(std::size_t row) const {
  if (scales_.empty()) return 1;
  return scales_.size() == 1 ? scales_.front() : scales_[row];
}

void WeightMatrix::multiply(const float* x, float* y, const float* bias) const {
  static thread_local std::vector<float> memory;
  static thread_local RoundedVector rounded;
  static thread_local std::vector<std::uint16_t> bf16;
  const Factors factors = kernel_factors(format_);
  TileInput input = {x, &rounded, nullptr};
  if (is_whole(format_)) {
    rounded.round(x, columns_, tile_columns);
  } else if (is_bf16(format_)) {
    round_to_bf16(x, columns_, tile_columns, bf16);
    input.bf16 = bf16.data();
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
    for (std::size_t r = 0; r < count && bias != nullptr; ++r) y[row + r] += bias[row + r];
  };
  constexpr std::size_t parts = 1;  // per core, since each part starts by waiting for memory
  share_each(down, row_bytes / sizeof(float), multiply_row, parts);
}

void WeightMatrix::decode_row(std::size_t row, float* to) const {
  EncodedMatrix encoded = take_from_tiles(tiles_.data(), format_, columns_, row);
  if (!scales_.empty()) encoded.scales = {scale_of(row)};
  std::ranges::copy(decode(encoded), to);
}

}  // namespace hf::precision

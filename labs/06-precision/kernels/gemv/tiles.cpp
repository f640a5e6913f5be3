#include "06-precision/kernels/gemv/tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "common/loop_team.hpp"

namespace hf::precision {
namespace {

/// Calls `use.operator()<format>()`, so that what follows is compiled for that format.
template <std::size_t... i, class Use>
void with(Format format, std::index_sequence<i...>, const Use& use) {
  ((format == all_formats[i] ? use.template operator()<all_formats[i]>() : void()), ...);
}
template <class Use>
void with(Format format, const Use& use) {
  with(format, std::make_index_sequence<all_formats.size()>(), use);
}

/// Whole numbers of 8 bits are kept with 128 added: the dot product takes them without a sign.
constexpr bool is_signed_byte(Format format) {
  return format == Format::int8 || format == Format::int8_channel || format == Format::q8_0;
}

/// Where a number lies: its lowest bit.
struct Place {
  std::size_t byte, bit;
};

/// In a row as the format lays it out. Of two numbers in a byte, the second stands half a block after the first.
template <Format format>
constexpr Place place_in_row(std::size_t column) {
  constexpr BlockLayout layout = block_layout(format);
  const std::size_t block = column / layout.numbers * layout.bytes() + layout.scale_bytes, i = column % layout.numbers;
  if constexpr (layout.bits == 4) return {block + i % (layout.numbers / 2), 4 * (i / (layout.numbers / 2))};
  return {block + i * layout.bits / 8, 0};
}

/// Of two numbers in a byte, the second stands half a group after the first.
template <Format format>
constexpr Place place_in_tile(std::size_t row, std::size_t column) {
  constexpr BlockLayout layout = block_layout(format);
  const std::size_t i = column % layout.group, group = (column / layout.group * tile_rows + row) * layout.group;
  const std::size_t numbers = tile_scale_bytes(layout) + group * layout.bits / 8;
  if constexpr (layout.bits == 4) return {numbers + i % (layout.group / 2), 4 * (i / (layout.group / 2))};
  return {numbers + i * layout.bits / 8, 0};
}

/// Copies one number, whose bits at `to` are zero.
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

/// The tile that holds a column of a row, and the row's place in it.
template <Format format>
std::size_t tile_offset(std::size_t columns, std::size_t row, std::size_t column) {
  const std::size_t tile = row / tile_rows * tiles_for(columns, tile_columns) + column / tile_columns;
  return tile * tile_bytes(block_layout(format));
}

/// Calls `move_number(in_row, tile, in_tile)` and `move_scale(in_row, tile + in_tile)` for what a row has.
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

}  // namespace

std::size_t tiled_bytes(Format format, std::size_t rows, std::size_t columns) {
  return tiles_for(rows, tile_rows) * tiles_for(columns, tile_columns) * tile_bytes(block_layout(format));
}

void put_into_tiles(const EncodedMatrix& matrix, std::byte* tiles) {
  with(matrix.format, [&]<Format format>() {
    share(tiles_for(matrix.rows, tile_rows), tile_rows * matrix.columns, [&](std::size_t first, std::size_t last) {
      const std::size_t end = std::min(last * tile_rows, matrix.rows);
      for (std::size_t row = first * tile_rows; row < end; ++row) put_row<format>(matrix, row, tiles);
    });
  });
}

EncodedMatrix take_from_tiles(const std::byte* tiles, Format format, std::size_t columns, std::size_t row) {
  EncodedMatrix taken = {format, 1, columns, {}, {}};
  with(format, [&]<Format each>() { taken.bytes = take_row<each>(tiles, columns, row); });
  return taken;
}

}  // namespace hf::precision

// Hopper's data layouts, compared with the tables of NVIDIA's PTX ISA.
#include "cuda_on_cpu.hpp"
// The code below is written for a device.
#include <doctest/doctest.h>

#include <array>
#include <set>
#include <utility>

#include "03-gpu/kernels/cuda/bf16_gemm_layout.cuh"

namespace hf::gpu {
namespace {

TEST_CASE("bf16 keeps the upper half, rounded to nearest, ties to even") {
  CHECK(to_float(to_bf16(1.0f)) == 1.0f);
  CHECK(to_float(to_bf16(-3.140625f)) == -3.140625f);
  CHECK(to_float(to_bf16(1.0f + 1.0f / 256)) == 1.0f);                // halfway: to even
  CHECK(to_float(to_bf16(1.0f + 3.0f / 256)) == 1.0f + 4.0f / 256);   // halfway: to even
  CHECK(to_float(to_bf16(1.0f + 1.01f / 256)) == 1.0f + 2.0f / 256);  // just above
  for (int i = 0; i < 0x7f80; ++i) {
    const Bf16 x = {static_cast<std::uint16_t>(i)};
    CHECK(to_bf16(to_float(x)).bits == x.bits);
  }
}

TEST_CASE("the swizzle of 128 bytes: chunks of 16 change places within eight rows, and no bank is asked twice") {
  // The ISA's picture of the swizzle, chunk by chunk, for rows 0, 1, 2 and 7.
  const std::pair<int, std::array<unsigned, 8>> rows[] = {{0, {0, 1, 2, 3, 4, 5, 6, 7}},
                                                          {1, {1, 0, 3, 2, 5, 4, 7, 6}},
                                                          {2, {2, 3, 0, 1, 6, 7, 4, 5}},
                                                          {7, {7, 6, 5, 4, 3, 2, 1, 0}}};
  for (const auto& [row, chunks] : rows) {
    for (unsigned c = 0; c < 8; ++c) {
      for (const unsigned first : {0u, 1024u, 15u * 1024}) {
        const unsigned at = first + static_cast<unsigned>(row) * 128;
        CHECK(swizzled(at + c * 16) == at + chunks[c] * 16);
        CHECK(swizzled(at + c * 16 + 6) == at + chunks[c] * 16 + 6);
      }
    }
  }
  for (unsigned c = 0; c < 8; ++c) {
    std::set<unsigned> banks;
    for (unsigned row = 0; row < 8; ++row) banks.insert(swizzled(row * 128 + c * 16) / 4 % 32);
    CHECK(banks.size() == 8);
  }
}

TEST_CASE("a warp's stores of its sums touch each bank once") {
  for (int i = 0; i < sums_per_thread / 4; i += 2) {
    for (int warp = 0; warp < 4; ++warp) {
      std::set<unsigned> banks;
      for (int lane = 0; lane < 32; ++lane) {
        const Place place = place_of_sum(warp * 32 + lane, i);
        banks.insert(swizzled(static_cast<unsigned>(place.row) * 128 + static_cast<unsigned>(place.column) * 2) / 4 %
                     32);
      }
      CHECK(banks.size() == 32);
    }
  }
}

TEST_CASE("an operand's descriptor, field by field") {
  const std::uint64_t descriptor = operand_descriptor(0x12340);
  CHECK((descriptor & 0x3fff) == 0x1234);    // address / 16
  CHECK((descriptor >> 32 & 0x3fff) == 64);  // stride: 8 rows of 128 bytes / 16
  CHECK((descriptor >> 49 & 7) == 0);        // the tile begins where the pattern of the swizzle begins
  CHECK((descriptor >> 62) == 1);            // 128 bytes
  CHECK((descriptor & ~0xc0003fff00003fffull) == 0);
  CHECK(operand_descriptor(0x12340 + 32) == descriptor + 2);  // 16 numbers further
}

TEST_CASE("the fragment of m64nNk16's sums: every place once, and the corners of the ISA's figure") {
  std::set<std::pair<int, int>> places;
  for (int thread = 0; thread < warpgroup_threads; ++thread) {
    for (int i = 0; i < sums_per_thread; ++i) {
      const Place place = place_of_sum(thread, i);
      places.emplace(place.row, place.column);
      CHECK(place.row / 16 == thread / 32);
      CHECK((place.row < 64 && place.column < tile_n));
    }
  }
  CHECK(places.size() == std::size_t{warpgroup_m} * tile_n);
  const auto is = [](int thread, int i, int row, int column) {
    const Place place = place_of_sum(thread, i);
    return place.row == row && place.column == column;
  };
  CHECK(is(0, 0, 0, 0));  // T0 d0, d1: row 0, columns 0 and 1
  CHECK(is(0, 1, 0, 1));
  CHECK(is(0, 2, 8, 0));  // d2, d3: eight rows below
  CHECK(is(0, 4, 0, 8));  // d4: eight columns on
  CHECK(is(3, 0, 0, 6));
  CHECK(is(4, 0, 1, 0));
  CHECK(is(31, 3, 15, 7));
  CHECK(is(32, 0, 16, 0));
  CHECK(is(127, 127, 63, 255));
}

TEST_CASE("the ring: places in turn, parity by the round") {
  RingPosition<4> position;
  for (int step = 0; step < 40; ++step, position.advance()) {
    CHECK(position.place == step % 4);
    CHECK(position.parity == static_cast<unsigned>(step / 4 % 2));
  }
}

TEST_CASE("the order of tiles visits every tile once, and a band before the next") {
  for (int rows : {1, 5, 8, 32}) {
    for (int columns : {1, 3, 32}) {
      for (int together : {1, 4, 16}) {
        std::set<std::pair<int, int>> tiles;
        int band = 0;
        for (int at = 0; at < rows * columns; ++at) {
          const Place tile = tile_in_order(at, rows, columns, together);
          CHECK((tile.row < rows && tile.column < columns));
          CHECK(tile.row / together >= band);
          band = tile.row / together;
          tiles.emplace(tile.row, tile.column);
        }
        CHECK(tiles.size() == static_cast<std::size_t>(rows * columns));
      }
    }
  }
}

TEST_CASE("the bytes that a step waits for are those that its copies bring") {
  CHECK(step_bytes == copy_bytes * (tile_m + tile_n) / copy_rows);
  CHECK(step_bytes == 48 * 1024);
  CHECK(step_bytes < 1 << 20);  // the maximum count of a barrier
}

}  // namespace
}  // namespace hf::gpu

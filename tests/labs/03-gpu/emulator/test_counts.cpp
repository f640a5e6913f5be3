// The requests of small kernels, compared with counts made by hand and NVIDIA's own examples.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/warp_rules_observed.hpp"
#include "textbook.hpp"

namespace hf::emulator {
namespace {

using namespace std::string_view_literals;

std::vector<std::uint32_t> numbered(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

// CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": a warp's consecutive words are 4 sectors, or 5 if
// they don't begin at a sector's start; at a stride of two words 8; and at most one for each thread.
TEST_CASE("a warp's words are as many sectors as they touch") {
  const GlobalArray<std::uint32_t> from(numbered(32 * 64 + 8)), to(32);
  const auto sectors = [&](int stride, int offset) {
    take_counts();
    copy_strided(from.data(), to.data(), stride, offset);
    for (std::size_t i = 0; i < 32; ++i)
      CHECK(to.to_host()[i] == i * static_cast<std::size_t>(stride) + static_cast<std::size_t>(offset));
    const Counts counts = take_counts();
    CHECK(counts.global_loads.requests == 1);
    CHECK(counts.global_stores.requests == 1);
    CHECK(counts.global_stores.sectors == 4);
    CHECK(counts.global_loads.sectors == counts.block_sectors);
    return counts.global_loads.sectors;
  };
  CHECK(sectors(1, 0) == 4);
  CHECK(sectors(1, 8) == 4);
  CHECK(sectors(1, 1) == 5);
  CHECK(sectors(0, 0) == 1);
  CHECK(sectors(2, 0) == 8);
  CHECK(sectors(4, 0) == 16);
  CHECK(sectors(8, 0) == 32);
  CHECK(sectors(64, 0) == 32);
}

TEST_CASE("sixteen bytes for each thread are one request") {
  const GlobalArray<std::uint32_t> from(numbered(128)), to(128);
  take_counts();
  copy_wide(from.data(), to.data());
  CHECK(to.to_host() == numbered(128));
  const Counts counts = take_counts();
  CHECK(counts.global_loads.requests == 1);
  CHECK(counts.global_loads.sectors == 16);
  CHECK(counts.global_loads.lines == 4);
  CHECK(counts.global_stores.requests == 1);
  CHECK(counts.global_stores.sectors == 16);
}

TEST_CASE("a bank answers its words one after the other, and a word once for all") {
  const GlobalArray<std::uint32_t> to(32);
  for (const int stride : {0, 1, 2, 3, 4, 8, 16, 31, 32, 33}) {
    CAPTURE(stride);
    take_counts();
    load_banks(to.data(), stride);
    const Counts counts = take_counts();
    CHECK(counts.shared_loads.requests == 1);
    CHECK(counts.shared_loads.wavefronts == (stride == 0 ? 1u : std::gcd(stride, 32)));
    CHECK(counts.shared_stores.requests == 32);
    CHECK(counts.shared_stores.wavefronts == 32);
    CHECK(counts.barriers == 1);
  }
}

// "An Efficient Matrix Transpose in CUDA C/C++": storing a column is 32 sectors, a row 4; loading a column of a 32 × 32 tile
// conflicts 32 ways, of a tile 33 wide not at all.
TEST_CASE("a tile makes a transpose's stores rows, and one more column takes the conflicts out of its loads") {
  constexpr std::size_t side = 64, numbers = side * side, warps = numbers / 32;
  std::vector<float> matrix(numbers);
  std::iota(matrix.begin(), matrix.end(), 0.0f);
  const GlobalArray<float> from(matrix), to(numbers);
  for (const ObservedTranspose& transpose : observed_transposes()) {
    CAPTURE(transpose.id);
    const bool naive = transpose.id == "naive"sv, padded = transpose.id == "padded_tile"sv;
    take_counts();
    transpose.run(side, from.data(), to.data());
    const std::vector<float> found = to.to_host();
    for (std::size_t at = 0; at < numbers; ++at) REQUIRE(found[at] == matrix[at % side * side + at / side]);
    const Counts counts = take_counts();
    CHECK(counts.shared_loads.requests == (naive ? 0 : warps));
    CHECK(counts.shared_loads.wavefronts == (naive ? 0 : warps * (padded ? 1 : 32)));
    CHECK(counts.shared_stores.wavefronts == (naive ? 0 : warps));
    CHECK(counts.global_loads.sectors == 4 * warps);
    CHECK(counts.global_stores.sectors == (naive ? 32 : 4) * warps);
    CHECK(counts.barriers == (naive ? 0 : 4));
    CHECK(counts.diverging_branches == 0);
  }
}

TEST_CASE("threads that take different branches ask one after the other, and meet behind them") {
  const GlobalArray<std::uint32_t> from(numbered(64)), to(32);
  for (const int split : {0, 1, 7, 31, 32}) {
    CAPTURE(split);
    take_counts();
    branch(from.data(), to.data(), split);
    const Counts counts = take_counts();
    const bool one_way = split == 0 || split == 32;
    CHECK(counts.global_loads.requests == (one_way ? 1 : 2));
    CHECK(counts.partial_requests == (one_way ? 0 : 2));
    CHECK(counts.diverging_branches == (one_way ? 0 : 1));
    CHECK(counts.global_stores.requests == 1);
  }
}

TEST_CASE("a loop takes as many requests as its longest thread") {
  const GlobalArray<std::uint32_t> from(numbered(32 * 32)), to(32);
  take_counts();
  triangle(from.data(), to.data());
  const Counts counts = take_counts();
  CHECK(counts.global_loads.requests == 32);
  CHECK(counts.partial_requests == 31);
  CHECK(counts.diverging_branches == 31);
  CHECK(counts.global_stores.requests == 1);
}

TEST_CASE("a warp goes every way that one of its threads goes") {
  constexpr int steps = 40, iterations = steps / 4;  // Clang obeys the loop's `#pragma unroll 4`, GCC doesn't
  const auto counts_of = [&](int paths, bool inside_warp) {
    const GlobalArray<std::uint32_t> results(observed_divergence_threads);
    take_counts();
    observe_divergence(paths, inside_warp, steps, results.data());
    const std::vector<std::uint32_t> found = results.to_host();
    for (int thread = 0; thread < observed_divergence_threads; ++thread)
      REQUIRE(found[static_cast<std::size_t>(thread)] == expected_divergence(thread, paths, inside_warp, steps));
    return take_counts();
  };
  const std::uint64_t one_way = counts_of(1, true).basic_blocks;
  CHECK(one_way >= 2 * iterations);  // two warps
  for (const int paths : {2, 4, 8}) {
    CAPTURE(paths);
    const Counts inside = counts_of(paths, true), between = counts_of(paths, false);
    // Choosing a branch takes at most one comparison with each; a compiler may combine them into one jump.
    CHECK(inside.basic_blocks >= static_cast<std::uint64_t>(paths) * 2 * iterations);
    CHECK(inside.basic_blocks <= static_cast<std::uint64_t>(paths) * (one_way + 2 * 32));
    CHECK(inside.diverging_branches >= 2);
    CHECK(inside.diverging_branches <= 2 * static_cast<std::uint64_t>(paths - 1));
    CHECK(between.basic_blocks <= one_way + 2 * 32);
    CHECK(between.diverging_branches == 0);
  }
}

}  // namespace
}  // namespace hf::emulator

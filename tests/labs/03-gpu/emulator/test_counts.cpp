// The requests of small kernels, compared with counts made by hand and NVIDIA's own examples.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/warp_rules_observed.hpp"
#include "bank_patterns_observed.hpp"
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

TEST_CASE("eight bytes for each thread are one request, and sixteen of any type") {
  std::vector<float> numbers(128);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  for (const int of_each : {2, 4}) {
    const GlobalArray<float> from(numbers), to(static_cast<std::size_t>(32 * of_each));
    take_counts();
    copy_vectors(from.data(), to.data(), of_each);
    const Counts counts = take_counts();
    CHECK(to.to_host() == std::vector<float>(numbers.begin(), numbers.begin() + 32 * of_each));
    CHECK(counts.global_loads.requests == 1);
    CHECK(counts.global_stores.requests == 1);
    CHECK(counts.global_stores.sectors == static_cast<std::uint64_t>(4 * of_each));
  }
}

// NVIDIA's rule of the pairs among them; see bank_patterns.cuh.
TEST_CASE("wavefronts of 4, 8 and 16 bytes for each thread") {
  for (const ObservedBanks& pattern : observed_banks()) {
    CAPTURE(pattern.name);
    const GlobalArray<float> to(static_cast<std::size_t>(32 * pattern.numbers));
    take_counts();
    pattern.run(to.data());
    const Counts counts = take_counts();
    CHECK(pattern.is_right(to.to_host().data()));
    const Counts::Shared& shared = pattern.stores ? counts.shared_stores : counts.shared_loads;
    CHECK(shared.requests == 1);
    CHECK(shared.wavefronts == pattern.wavefronts);
  }
}

// Each as in the machine code that nvcc 13.0 made of such a kernel for sm_90.
TEST_CASE("adjacent words are merged as nvcc merges them") {
  struct Merged {
    int stride;
    unsigned which;
    unsigned loads, stores;
  };
  const GlobalArray<std::uint32_t> to(32);
  for (const Merged& words : {Merged{4, 0b1111, 1, 1},  // LDS.128; STS.128
                              {4, 0b0111, 1, 2},
                              {4, 0b1011, 1, 2},
                              {4, 0b1101, 1, 2},  // LDS.128; STS.64, STS
                              {4, 0b1110, 2, 2},  // LDS, LDS.64
                              {4, 0b0011, 1, 1},
                              {4, 0b1100, 1, 1},  // LDS.64
                              {4, 0b0101, 2, 2},
                              {4, 0b1001, 2, 2},
                              {4, 0b0110, 2, 2},
                              {4, 0b1010, 2, 2},
                              {6, 0b1111, 2, 2},  // LDS.64, LDS.64
                              {5, 0b1111, 4, 4},
                              {8, 0b11111111, 2, 2},
                              {8, 0b11110, 3, 3}}) {  // LDS, LDS.64, LDS
    for (const bool down : {false, true}) {
      CAPTURE(words.stride);
      CAPTURE(words.which);
      CAPTURE(down);
      take_counts();
      load_words(to.data(), words.stride, words.which, down);
      CHECK(take_counts().shared_loads.requests == words.loads);
      store_words(to.data(), words.stride, words.which, down);
      CHECK(take_counts().shared_stores.requests == words.stores);
    }
  }
}

TEST_CASE("loads and stores in turn are not merged, because their arrays are unknown") {
  const GlobalArray<std::uint32_t> to(32);
  take_counts();
  load_and_store(to.data());
  const Counts counts = take_counts();
  CHECK(counts.shared_loads.requests == 4 + 1);
  CHECK(counts.shared_stores.requests == 4 + 4);
}

TEST_CASE("a place takes one atomic change after the other") {
  struct Bins {
    int stride, count;
    std::uint64_t most_in_word, most_in_bank;
  };
  for (const Bins& bins :
       {Bins{1, 1024, 1, 1}, {0, 1, 32, 32}, {1, 8, 4, 4}, {32, 1024, 1, 32}, {33, 1024, 1, 1}, {2, 64, 1, 2}}) {
    CAPTURE(bins.stride);
    CAPTURE(bins.count);
    const GlobalArray<std::uint32_t> global(std::vector<std::uint32_t>(1024, 0)), shared(1024);
    take_counts();
    count_into(global.data(), bins.stride, bins.count);
    CHECK(take_counts().global_atomics.turns == bins.most_in_word);
    count_into_shared(shared.data(), bins.stride, bins.count);
    const Counts counts = take_counts();
    CHECK(counts.shared_atomics.turns == bins.most_in_bank);
    CHECK(counts.shared_atomics.requests == 1);
    CHECK(counts.global_atomics.requests == 0);
    CHECK(shared.to_host() == global.to_host());
    CHECK(std::ranges::max(global.to_host()) == bins.most_in_word);
  }
}

TEST_CASE("no atomic change is lost") {
  const GlobalArray<Atomics> all(std::vector<Atomics>(1));
  use_atomics(all.data());
  const Atomics found = all.to_host().front();
  CHECK(found.sum == 20);
  CHECK(found.count == 40);
  CHECK(found.difference == -39 * 40 / 2);
  CHECK(found.most == 39);
  CHECK(found.least == -39);
  CHECK(found.exchanged != 0);
  CHECK(found.first == 0);
  CHECK(found.product == 0);  // 2 to the power of 40, modulo 2 to the power of 32
}

TEST_CASE("shuffles") {
  const GlobalArray<int> to(4 * 32);
  for (const int width : {32, 16, 8, 1}) {
    for (const int by : {0, 1, 5, 16, 31}) {
      CAPTURE(width);
      CAPTURE(by);
      shuffle(to.data(), by, width);
      const std::vector<int> found = to.to_host();
      for (int lane = 0; lane < 32; ++lane) {
        const int first = lane / width * width, at = lane - first, other = lane ^ by;
        const auto of = [&](int way) { return found[static_cast<std::size_t>(32 * way + lane)]; };
        CHECK(of(0) == first + by % width);
        CHECK(of(1) == (at < by ? lane : lane - by));
        CHECK(of(2) == (at + by >= width ? lane : lane + by));
        CHECK(of(3) == (other >= first + width ? lane : other));
      }
    }
  }
}

TEST_CASE("sums and votes of lanes") {
  std::vector<double> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  const GlobalArray<double> from(numbers), to(64);
  sum_lanes(from.data(), to.data());
  const auto sum = [](int first, int last) { return (first + last) * (last - first + 1) / 2.0; };
  for (int thread = 0; thread < 64; ++thread) {
    const int first = thread % 16 == 0 ? thread : thread / 32 * 32, count = thread % 16 == 0 ? 16 : 32;
    CHECK(to.to_host()[static_cast<std::size_t>(thread)] == sum(first + 1, first + count));
  }
  const GlobalArray<unsigned> votes(3 * 32);
  for (const unsigned yes : {0u, 1u, 0xabcdefu, 0xffffffu, 0xffffffffu}) {
    vote_in_lanes(votes.data(), yes);
    for (std::size_t lane = 0; lane < 24; ++lane) {
      CHECK(votes.to_host()[lane] == (yes & 0xffffff));
      CHECK(votes.to_host()[32 + lane] == (yes != 0));
      CHECK(votes.to_host()[64 + lane] == ((yes & 0xffffff) == 0xffffff));
    }
  }
}

TEST_CASE("asynchronous copies of 4, 8 and 16 bytes") {
  std::vector<float> numbers(128);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  for (const int of_each : {1, 2, 4}) {
    for (const int inside : {32, 20}) {
      CAPTURE(of_each);
      const auto count = static_cast<std::size_t>(32 * of_each),
                 copied = std::min(count, static_cast<std::size_t>(inside * of_each + of_each / 2));
      const GlobalArray<float> from(numbers), to(count);
      take_counts();
      copy_asynchronously(from.data(), to.data(), of_each, inside);
      const Counts counts = take_counts();
      for (std::size_t at = 0; at < count; ++at) CHECK(to.to_host()[at] == (at < copied ? numbers[at] : 0));
      if (inside < 32) continue;
      CHECK(counts.shared_stores.requests == 1);
      CHECK(counts.shared_stores.wavefronts == static_cast<std::uint64_t>(of_each));
      CHECK(counts.global_loads.requests == 1);
      CHECK(counts.global_loads.sectors == copied / 8);
    }
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

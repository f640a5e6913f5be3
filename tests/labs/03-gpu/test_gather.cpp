// Lookups: prefetching changes only the time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "03-gpu/kernels/gather.hpp"

namespace hf::gpu {
namespace {

/// The work on one word, one operation at a time, as in gather.hpp.
std::uint64_t mixed(std::uint64_t word) {
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t high = word >> 29;
    word = word ^ high;
    word = word * 0xbf58476d1ce4e5b9u;
  }
  return word;
}

TEST_CASE("every distance gives the sum of the plain loop") {
  std::mt19937_64 random(1);
  for (const std::size_t rows : {1, 2, 37, 1000}) {
    std::vector<Row> table(rows);
    for (Row& row : table)
      for (std::uint64_t& word : row.words) word = random();
    for (const std::size_t count : {0, 1, 2, 63, 500}) {
      for (const std::size_t distance : {1, 2, 5, 128}) {
        std::vector<std::uint32_t> index(count + distance);
        for (std::uint32_t& each : index) each = static_cast<std::uint32_t>(random() % rows);
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < count; ++i)
          for (const std::uint64_t word : table[index[i]].words) expected += mixed(word);
        CHECK(gather(table.data(), index.data(), count) == expected);
        CHECK(gather_prefetched(table.data(), index.data(), count, distance) == expected);
      }
    }
  }
}

TEST_CASE("lines are read in the order that is given, early or not") {
  std::mt19937 random(6);
  std::vector<Line> memory(200);
  for (Line& line : memory) line.next = &memory[random() % memory.size()];
  std::vector<std::uint32_t> index(110);
  for (std::uint32_t& each : index) each = static_cast<std::uint32_t>(random() % memory.size());
  for (const std::size_t count : {0, 1, 7, 100}) {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < count; ++i) expected += reinterpret_cast<std::uintptr_t>(memory[index[i]].next);
    CHECK(read_lines(memory, index.data(), count) == expected);
    CHECK(read_lines_prefetched(memory, index.data(), count, 10) == expected);
  }
}

TEST_CASE("an order stays below its size, begins again after its end, and leaves numbers to look ahead at") {
  const RandomIndex order(1000, 64);
  std::size_t at = 0;
  const std::uint32_t* first = order.next(at, 300);
  CHECK(order.next(at, 300) == first + 300);
  CHECK(order.next(at, 300) == first + 600);
  CHECK(order.next(at, 300) == first);  // the rest is shorter
  std::vector<int> found(1000);
  for (int i = 0; i < 1064; ++i) {
    REQUIRE(first[i] < 1000);
    ++found[first[i]];
  }
  // Of random numbers, a share of 1/e is never drawn.
  const auto missing = std::count(found.begin(), found.end(), 0);
  CHECK(missing > 250);
  CHECK(missing < 450);
}

}  // namespace
}  // namespace hf::gpu

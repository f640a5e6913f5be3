// The simulated caches compared with cases worked out by hand.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "02-matmul/kernels/rungs.hpp"
#include "harness/machine/machine.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/observer.hpp"

namespace hf::matmul {
namespace {

constexpr CacheGeometry tiny_l1 = {4 * 64, 2}, tiny_l2 = {16 * 64, 4};  // 2 sets of 2 lines; 4 sets of 4

CacheSimulator tiny() { return {tiny_l1, tiny_l2}; }

void read(CacheSimulator& caches, std::uint64_t line) { caches.access(line * 64, 4, false); }
void write(CacheSimulator& caches, std::uint64_t line) { caches.access(line * 64, 4, true); }

void check(const CacheSimulator& caches, std::uint64_t registers, std::uint64_t l1_lines, std::uint64_t l2_lines) {
  CHECK(caches.traffic().registers_l1 == registers);
  CHECK(caches.traffic().l1_l2 == 64 * l1_lines);
  CHECK(caches.traffic().l2_beyond == 64 * l2_lines);
}

TEST_CASE("a line is fetched once and then there") {
  CacheSimulator caches = tiny();
  for (std::uint64_t address = 0; address < 64; address += 4) caches.access(address, 4, false);
  check(caches, 64, 1, 1);
}

TEST_CASE("an access across the end of a line touches both") {
  CacheSimulator caches = tiny();
  caches.access(60, 8, false);
  check(caches, 8, 2, 2);
}

TEST_CASE("a full set gives up the line that was used longest ago") {
  CacheSimulator caches = tiny();
  for (std::uint64_t line : {0, 2, 0, 4}) read(caches, line);  // one set of L1; 4 replaces 2
  check(caches, 16, 3, 3);
  read(caches, 0);
  check(caches, 20, 3, 3);
  read(caches, 2);  // gone from L1, still in L2
  check(caches, 24, 4, 3);
}

TEST_CASE("lines of other sets do not compete") {
  CacheSimulator caches = tiny();
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t line : {0, 1, 2, 3}) read(caches, line);
  }
  check(caches, 48, 4, 4);
}

TEST_CASE("one line too many in a set, visited in turn, and none is ever there") {
  CacheSimulator caches = tiny();
  for (int round = 0; round < 5; ++round) {
    for (std::uint64_t line : {0, 4, 8, 12, 16}) read(caches, line);  // one set in either level
  }
  check(caches, 100, 25, 25);
}

TEST_CASE("a changed line is written back when it leaves, and at the end, once") {
  CacheSimulator caches = tiny();
  write(caches, 0);
  write(caches, 0);
  check(caches, 8, 1, 1);
  read(caches, 2);
  read(caches, 4);  // line 0 goes to L2
  check(caches, 16, 4, 3);
  caches.flush();  // and from there to memory
  check(caches, 16, 4, 4);
  caches.flush();
  check(caches, 16, 4, 4);
}

TEST_CASE("a geometry has a power of two of sets, as near to what is told as can be") {
  const auto root = std::filesystem::temp_directory_path() / "hardware-first-geometry";
  const auto folder = root / "sys/devices/system/cpu/cpu0/cache/index0";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "level") << "1\n";
  std::ofstream(folder / "type") << "Data\n";
  std::ofstream(folder / "ways_of_associativity") << "12\n";
  Machine machine;
  machine.caches = {{1, "data", 48 << 10, 1}, {2, "unified", 1280 << 10, 1}};
  const CacheGeometry l1 = detect_geometry(machine, 1, root), l2 = detect_geometry(machine, 2, root);
  CHECK(l1.bytes == 48 << 10);
  CHECK(l1.ways == 12);
  CHECK(l1.sets() == 64);
  CHECK(l2.bytes == 1280 << 10);
  CHECK(l2.ways == 20);
  CHECK(l2.sets() == 1024);
  const CacheGeometry unknown = detect_geometry(Machine{}, 1, root / "nowhere");
  CHECK(unknown.bytes == 32 << 10);
  CHECK(unknown.ways == 8);
  std::filesystem::remove_all(root);
}

/// With caches that hold everything, every rung fetches each input once and moves each output twice: fetched before
/// writing, then written back.
TEST_CASE("a product that fits moves its compulsory bytes" * doctest::skip(!observes)) {
  const CacheGeometry large = {1 << 20, 16};
  const std::uint64_t a = 16 * 32 * 4, b = 32 * 48 * 4, c = 16 * 48 * 4;
  for (const Rung& rung : rungs()) {
    CAPTURE(rung.id);
    const Traffic traffic = rung.trace(16, 48, 32, {large, large});
    CHECK(traffic.l1_l2 == traffic.l2_beyond);
    if (std::string(rung.id) != "packed") CHECK(traffic.l2_beyond == a + b + 2 * c);
  }
}

TEST_CASE("the naive product asks for two floats per multiplication, the reordered one for three" *
          doctest::skip(!observes)) {
  const CacheGeometry large = {1 << 20, 16};
  const auto asked = [&](std::size_t rung) { return rungs()[rung].trace(8, 8, 8, {large, large}).registers_l1; };
  CHECK(asked(0) == 4 * (2 * 512 + 64));
  CHECK(asked(1) == 4 * (3 * 512 + 64 + 64));  // and each of a once, and c cleared
}

TEST_CASE("rows a power of two apart meet in few sets" * doctest::skip(!observes)) {
  const CacheGeometry l1 = {32 << 10, 8}, l2 = {256 << 10, 8};
  const auto fetched = [&](std::size_t n) { return rungs()[0].trace(1, n, n, {l1, l2}).l1_l2; };
  CHECK(fetched(256) > 4 * fetched(250));
}

}  // namespace
}  // namespace hf::matmul

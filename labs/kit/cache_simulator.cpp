#include "kit/cache_simulator.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/machine/machine.hpp"

namespace hf {
namespace {

template <class T>
T first_word(const std::filesystem::path& file) {
  T word{};
  std::ifstream(file) >> word;
  return word;
}

/// The ways of the data or unified cache of a level, 0 if the system does not report them.
std::size_t told_ways(int level, const std::filesystem::path& root) {
  for (int index = 0; index < 8; ++index) {
    const auto folder = root / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(index));
    if (first_word<int>(folder / "level") != level) continue;
    if (first_word<std::string>(folder / "type") == "Instruction") continue;
    return first_word<std::size_t>(folder / "ways_of_associativity");
  }
  return 0;
}

}  // namespace

std::uint64_t CacheGeometry::sets() const { return bytes / CacheLevel::line_bytes / ways; }

CacheGeometry detect_geometry(const Machine& machine, int level, const std::filesystem::path& root) {
  const bool first = level == 1;
  CacheGeometry geometry = {machine.cache_bytes(level), told_ways(level, root)};
  if (geometry.ways == 0 || geometry.ways > 64) geometry.ways = first ? 8 : 16;
  const std::uint64_t lines = geometry.bytes / CacheLevel::line_bytes;
  if (lines < geometry.ways) return {first ? 32u << 10 : 1u << 20, first ? 8u : 16u};
  // Address bits select the set, so the number of sets must be a power of two; adjusts the ways to reach one.
  const std::uint64_t sets = std::bit_floor(lines / geometry.ways);
  const std::uint64_t ways = lines / sets;
  return {sets * ways * CacheLevel::line_bytes, static_cast<std::size_t>(ways)};
}

CacheLevel::CacheLevel(const CacheGeometry& geometry)
    : ways_(geometry.ways), set_mask_(geometry.sets() - 1), entries_(geometry.sets() * geometry.ways) {}

CacheLevel::Outcome CacheLevel::search(Entry* set, std::uint64_t line, bool write) {
  std::size_t way = 1;
  while (way < ways_ && set[way].line != line) ++way;
  const bool hit = way < ways_;
  const Entry found = hit ? set[way] : Entry{line, false};
  const Entry left = hit ? Entry{} : set[ways_ - 1];
  std::move_backward(set, set + (hit ? way : ways_ - 1), set + (hit ? way : ways_ - 1) + 1);
  set[0] = {line, found.changed || write};
  return {hit, left.changed, left.line};
}

void CacheSimulator::fetch(std::uint64_t line, const CacheLevel::Outcome& in_l1) {
  traffic_.l1_l2 += CacheLevel::line_bytes;
  const CacheLevel::Outcome in_l2 = l2_.access(line, false);
  if (!in_l2.hit) traffic_.l2_beyond += CacheLevel::line_bytes;
  count_write_back_of_l2(in_l2);
  if (in_l1.wrote_back) write_back_to_l2(in_l1.left_line);
}

void CacheSimulator::write_back_to_l2(std::uint64_t line) {
  traffic_.l1_l2 += CacheLevel::line_bytes;
  count_write_back_of_l2(l2_.access(line, true));  // a whole line, so nothing is fetched
}

void CacheSimulator::count_write_back_of_l2(const CacheLevel::Outcome& in_l2) {
  if (in_l2.wrote_back) traffic_.l2_beyond += CacheLevel::line_bytes;
}

void CacheSimulator::flush() {
  l1_.flush([this](std::uint64_t line) { write_back_to_l2(line); });
  l2_.flush([this](std::uint64_t) { traffic_.l2_beyond += CacheLevel::line_bytes; });
}

}  // namespace hf

/// \file
/// A small simulator of two cache levels, which counts the bytes a loop moves if no hardware counter is readable. Each
/// level is set-associative, replaces the least recently used line (LRU), allocates on a write and writes back what it
/// evicts; the levels' contents are independent of each other. It has no prefetcher and no address translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/machine/machine.hpp"

namespace hf {

/// The geometry of one cache. The number of sets is a power of two, since address bits select the set.
struct CacheGeometry {
  std::uint64_t bytes = 0;
  std::size_t ways = 0;  ///< lines in a set

  std::uint64_t sets() const;
};

/// The geometry of this machine's first (1) or second (2) level. If the machine reports nothing, or something
/// impossible, 32 KiB in 8 ways and 1 MiB in 16.
/// \param root  replaces "/" as the parent of sys, in tests
CacheGeometry detect_geometry(const Machine& machine, int level, const std::filesystem::path& root = "/");

/// One cache level.
class CacheLevel {
 public:
  static constexpr std::uint64_t line_bytes = 64;

  explicit CacheLevel(const CacheGeometry& geometry);

  /// The result of an access to a line.
  struct Outcome {
    bool hit;
    bool wrote_back;          ///< a changed line was evicted
    std::uint64_t left_line;  ///< the evicted line
  };
  Outcome access(std::uint64_t line, bool write) {
    Entry* set = entries_.data() + (line & set_mask_) * ways_;
    if (set[0].line == line) {  // the most recently used line, as in most accesses
      set[0].changed |= write;
      return {true, false, 0};
    }
    return search(set, line, write);
  }

  /// Calls `line_left(line)` for each changed line, and empties the cache.
  template <class Function>
  void flush(Function line_left) {
    for (Entry& entry : entries_) {
      if (entry.changed) line_left(entry.line);
      entry = {};
    }
  }

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t line = nothing;
    bool changed = false;
  };
  Outcome search(Entry* set, std::uint64_t line, bool write);

  std::size_t ways_;
  std::uint64_t set_mask_;
  std::vector<Entry> entries_;  ///< set by set, the most recently used line of each first
};

/// Bytes moved between neighbouring levels, in both directions.
struct Traffic {
  std::uint64_t registers_l1 = 0;  ///< requested by loads and stores
  std::uint64_t l1_l2 = 0;         ///< lines fetched into the first level and written back from it
  std::uint64_t l2_beyond = 0;     ///< the same for the second level
};

/// Two neighbouring levels.
using Level = std::uint64_t Traffic::*;

/// Both levels, and the traffic between them.
class CacheSimulator {
 public:
  CacheSimulator(const CacheGeometry& l1, const CacheGeometry& l2) : l1_(l1), l2_(l2) {}

  /// Simulates a load or a store of `bytes`.
  void access(std::uint64_t address, std::size_t bytes, bool write) {
    traffic_.registers_l1 += bytes;
    const std::uint64_t last = (address + bytes - 1) / CacheLevel::line_bytes;
    for (std::uint64_t line = address / CacheLevel::line_bytes; line <= last; ++line) touch(line, write);
  }

  /// Writes back all changed lines, so that every result reaches memory.
  void flush();

  const Traffic& traffic() const { return traffic_; }

 private:
  void touch(std::uint64_t line, bool write) {
    const CacheLevel::Outcome outcome = l1_.access(line, write);
    if (!outcome.hit) fetch(line, outcome);
  }
  void fetch(std::uint64_t line, const CacheLevel::Outcome& in_l1);
  void write_back_to_l2(std::uint64_t line);
  void count_write_back_of_l2(const CacheLevel::Outcome& in_l2);

  CacheLevel l1_, l2_;
  Traffic traffic_;
};

}  // namespace hf

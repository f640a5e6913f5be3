#include "03-gpu/kernels/emulator/count.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/shadow.hpp"

namespace hf::emulator {
namespace {

constexpr std::uintptr_t banks = 32, bank_bytes = 4, widest = 16;

/// The addresses of one request, all of one size, in the order of the lanes.
struct Request {
  std::array<std::uintptr_t, warp_threads> addresses;
  std::array<std::uint8_t, warp_threads> lanes;
  unsigned threads = 0;
  std::uintptr_t size = 0;

  void add(unsigned lane, std::uintptr_t address) {
    lanes[threads] = static_cast<std::uint8_t>(lane);
    addresses[threads++] = address;
  }
  std::span<const std::uintptr_t> all() const { return {addresses.data(), threads}; }
  std::span<const std::uint8_t> all_lanes() const { return {lanes.data(), threads}; }
};

/// The number of different units of this many bytes that the request touches; calls `visit` for each.
template <class Visit>
std::uint64_t different(const Request& request, std::uintptr_t unit_bytes, Visit visit) {
  std::array<std::uintptr_t, 2 * warp_threads> units;
  std::size_t count = 0;
  for (const std::uintptr_t address : request.all()) {
    const std::uintptr_t first = address / unit_bytes, last = (address + request.size - 1) / unit_bytes;
    if (count == 0 || units[count - 1] != first) units[count++] = first;
    if (last != first) units[count++] = last;
  }
  const auto end = units.begin() + static_cast<std::ptrdiff_t>(count);
  if (!std::is_sorted(units.begin(), end)) std::sort(units.begin(), end);
  const auto unique_end = std::unique(units.begin(), end);
  std::for_each(units.begin(), unique_end, visit);
  return static_cast<std::uint64_t>(unique_end - units.begin());
}

/// The number of steps in which the banks serve some threads: the largest number of different words that one bank must
/// deliver.
std::uint64_t bank_steps(std::span<const std::uintptr_t> addresses, std::uintptr_t size) {
  std::array<std::array<std::uintptr_t, warp_threads>, banks> words;
  std::array<unsigned, banks> count = {};
  unsigned most = 1;
  for (const std::uintptr_t address : addresses) {
    for (std::uintptr_t word = address / bank_bytes; word <= (address + size - 1) / bank_bytes; ++word) {
      auto& of_bank = words[word % banks];
      unsigned& known = count[word % banks];
      if (std::find(of_bank.begin(), of_bank.begin() + known, word) != of_bank.begin() + known) continue;
      of_bank[known++] = word;
      most = std::max(most, known);
    }
  }
  return most;
}

/// True if each thread accesses the same address as the one whose lane differs in this bit, if that one takes part.
bool pairs(const Request& request, unsigned bit) {
  std::array<std::uintptr_t, warp_threads> of_lane = {};  // no array has the address 0
  for (unsigned i = 0; i < request.threads; ++i) of_lane[request.lanes[i]] = request.addresses[i];
  return std::ranges::all_of(request.all_lanes(), [&](unsigned lane) {
    const std::uintptr_t other = of_lane[lane ^ bit];
    return other == 0 || other == of_lane[lane];
  });
}

/// Up to 128 bytes are delivered in one step: those of 32 threads, of 16 that access 8 bytes, or of 8 that access 16
/// bytes; and of twice as many if all threads n and n ^ 1, or all n and n ^ 2, have the same address. (NVIDIA says so of
/// compute capability 7.x: forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228.)
std::uint64_t wavefronts(const Request& request) {
  if (request.size <= bank_bytes) return bank_steps(request.all(), request.size);
  const auto words = static_cast<unsigned>(request.size / bank_bytes);
  const unsigned group = warp_threads / words * (pairs(request, 1) || pairs(request, 2) ? 2 : 1);
  std::uint64_t steps = 0;
  for (std::size_t first = 0, end = 0; first < request.threads; first = end) {
    while (end < request.threads && request.lanes[end] / group == request.lanes[first] / group) ++end;
    steps += bank_steps(request.all().subspan(first, end - first), request.size);
  }
  return steps;
}

void add(Counts::Shared& counts, const Request& request) {
  ++counts.requests;
  counts.wavefronts += wavefronts(request);
}

/// Loads, or stores, of a thread that a compiler merges into wider ones: of the words of one aligned block of 16 bytes
/// or, failing that, of 8, in any order. What nvcc 13.0 makes of 32-bit accesses whose alignment it can prove, by its
/// machine code for sm_90:
///
///   all four words                        LDS.128           STS.128
///   three, the first among them           LDS.128           STS.64, STS.32
///   words 0 and 1, or 2 and 3             LDS.64            STS.64
///   words 0 and 2, 0 and 3, 1 and 2, ...  LDS.32, LDS.32    STS.32, STS.32
///
/// and likewise STS.128 of two STS.64. It merges across accesses of global memory, and of other shared arrays; but not of
/// the same array, of volatile ones, or if the alignment depends on an argument. Here arrays are unknown: a load ends the
/// merging of stores, a store that of loads, and whatever is aligned is merged.
class Wide {
 public:
  Wide(Counts::Shared& counts, bool stores) : counts_(counts), stores_(stores) {}
  ~Wide() { finish(); }
  Wide(const Wide&) = delete;

  void add_access(const Request& request) {
    const std::uintptr_t block = request.size < bank_bytes ? 0 : block_of(request);
    if (block <= request.size) return add(counts_, request);
    Open next = {request, block, (1u << request.size / bank_bytes) - 1};
    next.words <<= request.all().front() % block / bank_bytes;
    for (std::uintptr_t& address : std::span(next.request.addresses).first(request.threads)) address -= address % block;
    for (Open& open : open_) {
      if (!continues(open, next)) continue;
      open.words |= next.words;
      if (open.words == (1u << block / bank_bytes) - 1) close(open);
      return;
    }
    if (open_.size() == most_open) close(open_.front());
    open_.push_back(next);
  }

  void finish() {
    while (!open_.empty()) close(open_.front());
  }

 private:
  static constexpr std::size_t most_open = 8;

  /// Some words of an aligned block for each thread.
  struct Open {
    Request request;  ///< of the blocks
    std::uintptr_t block;
    unsigned words;  ///< one bit each
  };

  /// The largest aligned block in which the accesses of all threads have the same place; 0 if none is.
  static std::uintptr_t block_of(const Request& request) {
    for (const std::uintptr_t block : {widest, widest / 2}) {
      const std::uintptr_t place = request.all().front() % block;
      if (std::ranges::all_of(request.all(), [=](std::uintptr_t address) { return address % block == place; }))
        return block;
    }
    return 0;
  }

  static bool continues(const Open& open, const Open& next) {
    return open.block == next.block && (open.words & next.words) == 0 &&
           std::ranges::equal(open.request.all_lanes(), next.request.all_lanes()) &&
           std::ranges::equal(open.request.all(), next.request.all());
  }

  void close(const Open& open) {
    const bool most_of_it = !stores_ && (open.words & 1) != 0 && std::popcount(open.words) == 3;
    if (open.words == 0xf || most_of_it) {
      add_part(open, 0, widest);
    } else {
      for (unsigned half = 0; half < 4; half += 2) {
        const unsigned words = open.words >> half & 3;
        if (words == 3) add_part(open, half, widest / 2);
        if (words == 1 || words == 2) add_part(open, half + words - 1, bank_bytes);
      }
    }
    open_.erase(open_.begin() + (&open - open_.data()));
  }

  void add_part(const Open& open, std::uintptr_t word, std::uintptr_t size) {
    Request part = open.request;
    part.size = size;
    for (std::uintptr_t& address : std::span(part.addresses).first(part.threads)) address += word * bank_bytes;
    add(counts_, part);
  }

  Counts::Shared& counts_;
  bool stores_;
  std::vector<Open> open_;
};

/// Takes the accesses from the logs, one instruction after the other.
class Merge {
 public:
  explicit Merge(std::span<Log> logs) : logs_(logs), at_(logs.size(), 0) {}

  /// \return the next request's first access, or none at the end
  const Access* next(Request& request) {
    const Access* const chosen = choose();
    request.threads = 0;
    lanes_ = 0;
    if (!chosen) return nullptr;
    request.size = chosen->size;
    for (std::size_t lane = 0; lane < logs_.size(); ++lane) {
      const Access* const access = head(lane);
      if (!access || access->code != chosen->code || access->space != chosen->space) continue;
      request.add(static_cast<unsigned>(lane), access->address);
      lanes_ |= std::uint64_t{1} << lane;
      ++at_[lane];
    }
    return chosen;
  }

  /// True if threads of the request, which entered this basic block together, diverge before their next
  /// barrier.
  bool diverges() const {
    const void* first = nullptr;
    for (std::size_t lane = 0; lane < logs_.size(); ++lane) {
      if ((lanes_ >> lane & 1) == 0) continue;
      const std::span<const Access> rest = std::span<const Access>(logs_[lane]).subspan(at_[lane]);
      const auto entry = std::ranges::find(rest, Space::code, &Access::space);
      const void* const block = entry == rest.end() ? nullptr : entry->code;
      if (block == nullptr) continue;
      if (first != nullptr && block != first) return true;
      first = block;
    }
    return false;
  }

 private:
  const Access* head(std::size_t lane) const {
    return at_[lane] < logs_[lane].size() ? &logs_[lane][at_[lane]] : nullptr;
  }

  /// Of the threads' current instructions, one that no other thread will still reach, so that threads meet again after
  /// a branch or a loop; of several, the first in the code.
  const Access* choose() const {
    const Access *first = nullptr, *chosen = nullptr;
    bool same = true;
    for (std::size_t lane = 0; lane < logs_.size(); ++lane) {
      const Access* const access = head(lane);
      if (!access) continue;
      same = same && (!first || access->code == first->code);
      if (!first || access->code < first->code) first = access;
    }
    if (same) return first;
    for (std::size_t lane = 0; lane < logs_.size(); ++lane) {
      const Access* const access = head(lane);
      if (access && (!chosen || access->code < chosen->code) && !is_still_to_come(access->code)) chosen = access;
    }
    return chosen ? chosen : first;
  }

  /// True if a thread that is elsewhere now will reach this instruction.
  bool is_still_to_come(const void* code) const {
    for (std::size_t lane = 0; lane < logs_.size(); ++lane) {
      const Access* const access = head(lane);
      if (!access || access->code == code) continue;
      const std::span<const Access> rest(access, logs_[lane].data() + logs_[lane].size());
      if (std::ranges::find(rest, code, &Access::code) != rest.end()) return true;
    }
    return false;
  }

  std::span<Log> logs_;
  std::vector<std::size_t> at_;
  std::uint64_t lanes_ = 0;  ///< in the last request, one bit each
};

void add_global(const Request& request, bool writes, std::uint32_t block, Counts& counts) {
  Counts::Global& to = writes ? counts.global_stores : counts.global_loads;
  ++to.requests;
  to.lines += different(request, line_bytes, [](std::uintptr_t) {});
  to.sectors += different(request, sector_bytes, [&](std::uintptr_t sector) {
    if (!writes && first_in_block(sector, block)) ++counts.block_sectors;
  });
}

/// A word of global memory, or a bank of shared memory, takes one thread's change after the other.
void add_atomic(const Request& request, bool shared, Counts::Atomic& counts) {
  std::array<std::uintptr_t, warp_threads> places;
  for (unsigned i = 0; i < request.threads; ++i)
    places[i] = shared ? request.addresses[i] / bank_bytes % banks : request.addresses[i];
  const std::span<std::uintptr_t> all = std::span(places).first(request.threads);
  std::ptrdiff_t most = 0;
  for (const std::uintptr_t place : all) most = std::max(most, std::ranges::count(all, place));
  ++counts.requests;
  counts.turns += static_cast<std::uint64_t>(most);
}

/// Counts the requests of a warp between two barriers.
class Counter {
 public:
  Counter(std::uint32_t block, Counts& counts) : block_(block), counts_(counts) {}

  void add_access(Does does, Space space, const Request& request) {
    if (does == Does::change)
      return add_atomic(request, space == Space::shared,
                        space == Space::shared ? counts_.shared_atomics : counts_.global_atomics);
    if (space == Space::global) return add_global(request, does != Does::read, block_, counts_);
    (does == Does::read ? stores_ : loads_).finish();
    if (does == Does::copy) return add(counts_.shared_stores, request);
    (does == Does::read ? loads_ : stores_).add_access(request);
  }

 private:
  std::uint32_t block_;
  Counts& counts_;
  Wide loads_{counts_.shared_loads, false}, stores_{counts_.shared_stores, true};
};

}  // namespace

void count_warp(std::span<Log> logs, std::uint32_t block, unsigned live, Counts& counts) {
  Counter counter(block, counts);
  Merge merge(logs);
  Request request;
  while (const Access* const access = merge.next(request)) {
    if (access->space == Space::code) {
      ++counts.basic_blocks;
      if (request.threads > 1 && merge.diverges()) ++counts.diverging_branches;
      continue;
    }
    if (request.threads < live) ++counts.partial_requests;
    counter.add_access(access->does, access->space, request);
  }
  for (Log& log : logs) log.clear();
}

}  // namespace hf::emulator

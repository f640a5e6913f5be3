#include "03-gpu/kernels/emulator/count.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/shadow.hpp"

namespace hf::emulator {
namespace {

constexpr std::uintptr_t banks = 32, bank_bytes = 4, widest = 16;

/// The addresses of one request, all of one size.
struct Request {
  std::array<std::uintptr_t, warp_threads> addresses;
  unsigned threads = 0;
  std::uintptr_t size = 0;

  std::span<const std::uintptr_t> all() const { return {addresses.data(), threads}; }
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

/// Accesses of 8 or 16 bytes are served separately for each half of a warp. (This is undocumented for 16 bytes; it
/// brings the counts of our five kernels with shared memory to within 2% of an H100's.)
std::uint64_t wavefronts(const Request& request) {
  const std::span<const std::uintptr_t> all = request.all();
  if (request.size <= bank_bytes) return bank_steps(all, request.size);
  const std::size_t half = std::min<std::size_t>(all.size(), warp_threads / 2);
  return bank_steps(all.first(half), request.size) +
         (half < all.size() ? bank_steps(all.subspan(half), request.size) : 0);
}

void add(Counts::Shared& counts, const Request& request) {
  ++counts.requests;
  counts.wavefronts += wavefronts(request);
}

/// Loads of consecutive words, which compilers merge into one wide load if they are sure that it is aligned.
class WideLoads {
 public:
  explicit WideLoads(Counts::Shared& counts) : counts_(counts) {}
  ~WideLoads() { finish(); }
  WideLoads(const WideLoads&) = delete;

  void add_load(const Request& request) {
    if (request.size != bank_bytes) return add(counts_, request);
    for (Request& open : open_) {
      if (!continues(open, request)) continue;
      open.size += bank_bytes;
      if (open.size == widest) close(open);
      return;
    }
    if (!std::ranges::all_of(request.all(), [](std::uintptr_t address) { return address % widest == 0; }))
      return add(counts_, request);
    if (open_.size() == most_open) close(open_.front());
    open_.push_back(request);
  }

  void finish() {
    while (!open_.empty()) close(open_.front());
  }

 private:
  static constexpr std::size_t most_open = 8;

  static bool continues(const Request& open, const Request& next) {
    if (open.threads != next.threads) return false;
    return std::ranges::equal(open.all(), next.all(), [&](std::uintptr_t first, std::uintptr_t address) {
      return first + open.size == address;
    });
  }

  void close(Request& request) {
    if (request.size == 3 * bank_bytes) {  // there is no three-word load
      Request single = request;
      single.size = bank_bytes;
      request.size -= bank_bytes;
      add(counts_, single);
    }
    add(counts_, request);
    open_.erase(open_.begin() + (&request - open_.data()));
  }

  Counts::Shared& counts_;
  std::vector<Request> open_;
};

/// Takes the accesses from the logs, one instruction after the other.
class Merge {
 public:
  explicit Merge(std::span<Log> logs) : logs_(logs), at_(logs.size(), 0) {}

  /// \return the next request's first access, or none at the end
  const Access* next(Request& request) {
    const Access* const chosen = choose();
    request.threads = 0;
    if (!chosen) return nullptr;
    request.size = chosen->size;
    for (std::size_t lane = 0; lane < logs_.size(); ++lane) {
      const Access* const access = head(lane);
      if (!access || access->code != chosen->code || access->space != chosen->space) continue;
      request.addresses[request.threads++] = access->address;
      lanes_ = request.threads == 1 ? std::uint64_t{1} << lane : lanes_ | std::uint64_t{1} << lane;
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

}  // namespace

void count_warp(std::span<Log> logs, std::uint32_t block, unsigned live, Counts& counts) {
  WideLoads loads(counts.shared_loads);
  Merge merge(logs);
  Request request;
  while (const Access* const access = merge.next(request)) {
    if (access->space == Space::code) {
      ++counts.basic_blocks;
      if (request.threads > 1 && merge.diverges()) ++counts.diverging_branches;
      continue;
    }
    if (request.threads < live) ++counts.partial_requests;
    if (access->space == Space::global) {
      add_global(request, access->writes, block, counts);
    } else if (access->writes) {
      loads.finish();
      add(counts.shared_stores, request);
    } else {
      loads.add_load(request);
    }
  }
  loads.finish();
  for (Log& log : logs) log.clear();
}

}  // namespace hf::emulator

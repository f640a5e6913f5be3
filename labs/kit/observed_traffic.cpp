#include "kit/observed_traffic.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "kit/cache_simulator.hpp"
#include "kit/observer.hpp"
#include "kit/per_thread.hpp"

namespace hf {
namespace {

/// An array, and what has happened to each of its bytes.
class Watched {
 public:
  explicit Watched(std::span<const float> array) : begin_(address_of(array.data())), seen_(array.size_bytes()) {}

  void see(std::uintptr_t address, std::size_t bytes, bool writes) {
    for (std::uintptr_t at = address; at < address + bytes; ++at) {
      if (at < begin_ || at - begin_ >= seen_.size()) continue;
      const std::atomic_ref seen(seen_[at - begin_]);
      std::uint8_t nothing = 0;
      if (writes)
        seen.fetch_or(written, std::memory_order_relaxed);
      else
        seen.compare_exchange_strong(nothing, needed, std::memory_order_relaxed);
    }
  }

  /// Bytes that were read before anything was written there, and bytes that were written.
  double compulsory() const {
    double bytes = 0;
    for (const std::uint8_t each : seen_) bytes += std::popcount(each);
    return bytes;
  }

 private:
  static constexpr std::uint8_t needed = 1, written = 2;
  static std::uintptr_t address_of(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

  std::uintptr_t begin_;
  std::vector<std::uint8_t> seen_;
};

/// What the running code moves.
struct Counter {
  Counter(const CacheSimulator& empty, const std::vector<std::span<const float>>& all)
      : cores(empty), arrays(all.begin(), all.end()) {}

  PerThread<CacheSimulator> cores;
  std::vector<Watched> arrays;
};
std::atomic<Counter*> counter = nullptr;  ///< null outside of observe()

// GCC vectorises no loop of an observed file by itself, so the number of loads and stores is not that of the same file
// unobserved, but their bytes are the same.
// [begin: see]
void see(const void* address, std::size_t bytes, bool writes,  //
         bool /*at_once*/, const void* /*code*/) {
  Counter* const now = counter.load(std::memory_order_acquire);
  if (now == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  now->cores.mine().access(at, bytes, writes);
  for (Watched& each : now->arrays) each.see(at, bytes, writes);
}
// [end: see]

}  // namespace

Observed observe(const std::function<void()>& code, const CacheSimulator& caches,
                 const std::vector<std::span<const float>>& arrays) {
  if (!observes) throw std::runtime_error("a build with sanitizers cannot count what its code moves");
  static std::optional<Counter> counted;  // static, for the sake of a thread
                                          // that the code may leave behind
  counted.emplace(caches, arrays);
  counter.store(&*counted, std::memory_order_release);
  observer = see;
  code();
  counter = nullptr;
  Observed sum = {};
  counted->cores.visit([&](CacheSimulator& core) {
    core.flush();
    sum.traffic.registers_l1 += core.traffic().registers_l1;
    sum.traffic.l1_l2 += core.traffic().l1_l2;
    sum.traffic.l2_beyond += core.traffic().l2_beyond;
  });
  for (const Watched& each : counted->arrays) sum.compulsory += each.compulsory();
  return sum;
}

}  // namespace hf

// Counts the bytes that a kernel moves, which was compiled with -fsanitize=thread but is not linked with that sanitizer: this
// file has the functions that the compiler calls before each load and store. GCC vectorises no loop of such a file by
// itself, so the number of loads and stores is not that of the raced kernel, but their bytes are the same.
#include "yours/counting.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/machine.hpp"
#include "kit/cache_simulator.hpp"
#include "yours/per_thread.hpp"
#include "yours/trial.hpp"

namespace hf::yours {
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

/// What the running call moves.
struct Counter {
  Counter(const CacheSimulator& empty, const std::vector<std::span<const float>>& all)
      : cores(empty), arrays(all.begin(), all.end()) {}

  PerThread<CacheSimulator> cores;
  std::vector<Watched> arrays;
};
std::atomic<Counter*> counter = nullptr;  ///< null outside of count()

}  // namespace

void see(const void* address, std::size_t bytes, bool writes) {
  Counter* const now = counter.load(std::memory_order_acquire);
  if (now == nullptr || bytes == 0) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  now->cores.mine().access(at, bytes, writes);
  for (Watched& each : now->arrays) each.see(at, bytes, writes);
}

Counted count(const std::function<void()>& kernel_call, const Machine& machine,
              const std::vector<std::span<const float>>& arrays) {
  static std::optional<Counter> counted;  // static, for the sake of a thread that the call may leave behind
  counted.emplace(CacheSimulator(detect_geometry(machine, 1), detect_geometry(machine, 2)), arrays);
  counter.store(&*counted, std::memory_order_release);
  kernel_call();
  counter = nullptr;
  Counted sum = {};
  counted->cores.visit([&](CacheSimulator& core) {
    core.flush();
    sum.traffic.registers_l1 += core.traffic().registers_l1;
    sum.traffic.l1_l2 += core.traffic().l1_l2;
    sum.traffic.l2_beyond += core.traffic().l2_beyond;
  });
  for (const Watched& each : counted->arrays) sum.compulsory += each.compulsory();
  return sum;
}

Count bytes_per(const std::string& unit, Level level, const std::string& but, const Traffic& traffic, double units,
                std::vector<std::pair<std::string, double>> others) {
  const char* const where = level == &Traffic::registers_l1 ? "registers and L1"
                            : level == &Traffic::l1_l2      ? "L1 and L2"
                                                            : "L2 and beyond";
  return {"bytes per " + unit + " between " + where + but, static_cast<double>(traffic.*level) / units,
          std::move(others)};
}

}  // namespace hf::yours

#define HF_SEE(name, bytes, writes) \
  void __tsan_##name(void* address) { hf::yours::see(address, bytes, writes); }
#define HF_SEE_ALL(bytes)                     \
  HF_SEE(read##bytes, bytes, false)           \
  HF_SEE(write##bytes, bytes, true)           \
  HF_SEE(unaligned_read##bytes, bytes, false) \
  HF_SEE(unaligned_write##bytes, bytes, true)

// Compilers leave copying to these functions: newer ones call __tsan_memcpy(), and tools/yours links the calls of older ones to
// __wrap_memcpy().
#define HF_SEE_MEMORY(prefix)                                              \
  void* prefix##memcpy(void* to, const void* from, unsigned long bytes) {  \
    hf::yours::see(from, bytes, false);                                    \
    hf::yours::see(to, bytes, true);                                       \
    return std::memcpy(to, from, bytes);                                   \
  }                                                                        \
  void* prefix##memmove(void* to, const void* from, unsigned long bytes) { \
    hf::yours::see(from, bytes, false);                                    \
    hf::yours::see(to, bytes, true);                                       \
    return std::memmove(to, from, bytes);                                  \
  }                                                                        \
  void* prefix##memset(void* to, int value, unsigned long bytes) {         \
    hf::yours::see(to, bytes, true);                                       \
    return std::memset(to, value, bytes);                                  \
  }

extern "C" {
HF_SEE_ALL(1)
HF_SEE_ALL(2)
HF_SEE_ALL(4)
HF_SEE_ALL(8)
HF_SEE_ALL(16)
void __tsan_read_range(void* address, unsigned long bytes) { hf::yours::see(address, bytes, false); }
void __tsan_write_range(void* address, unsigned long bytes) { hf::yours::see(address, bytes, true); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
HF_SEE_MEMORY(__wrap_)
HF_SEE_MEMORY(__tsan_)
}

// Counts the bytes that a kernel moves, which was compiled with -fsanitize=thread but is not linked with that sanitizer: this
// file has the functions that the compiler calls before each load and store. GCC vectorises no loop of such a file by
// itself, so the number of loads and stores is not that of the raced kernel, but their bytes are the same.
#include "yours/counting.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "common/cache_simulator.hpp"
#include "harness/machine/machine.hpp"

namespace hf::yours {
namespace {

/// An array, and what has happened to each of its bytes.
class Watched {
 public:
  explicit Watched(std::span<const float> array) : begin_(address_of(array.data())), seen_(array.size_bytes()) {}

  void see(std::uintptr_t address, std::size_t bytes, bool writes) {
    for (std::uintptr_t at = address; at < address + bytes; ++at) {
      if (at < begin_ || at - begin_ >= seen_.size()) continue;
      std::uint8_t& seen = seen_[at - begin_];
      if (writes)
        seen |= written;
      else if (seen == 0)
        seen = needed;
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
  CacheSimulator caches;
  std::vector<Watched> arrays;
};
thread_local Counter* counter = nullptr;  ///< null outside of count()

}  // namespace

void see(const void* address, std::size_t bytes, bool writes) {
  if (counter == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  counter->caches.access(at, bytes, writes);
  for (Watched& each : counter->arrays) each.see(at, bytes, writes);
}

Counted count(const std::function<void()>& kernel_call, const Machine& machine,
              const std::vector<std::span<const float>>& arrays) {
  Counter counted = {{detect_geometry(machine, 1), detect_geometry(machine, 2)}, {arrays.begin(), arrays.end()}};
  counter = &counted;
  kernel_call();
  counter = nullptr;
  counted.caches.flush();
  double compulsory = 0;
  for (const Watched& each : counted.arrays) compulsory += each.compulsory();
  return {compulsory, counted.caches.traffic()};
}

}  // namespace hf::yours

#define HF_SEE(name, bytes, writes) \
  void __tsan_##name(void* address) { hf::yours::see(address, bytes, writes); }
#define HF_SEE_ALL(bytes)                     \
  HF_SEE(read##bytes, bytes, false)           \
  HF_SEE(write##bytes, bytes, true)           \
  HF_SEE(unaligned_read##bytes, bytes, false) \
  HF_SEE(unaligned_write##bytes, bytes, true)

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
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  hf::yours::see(from, bytes, false);
  hf::yours::see(to, bytes, true);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  hf::yours::see(to, bytes, true);
  return std::memset(to, value, bytes);
}
}

// Counts the accesses of a kernel that was compiled with -fsanitize=thread but is not linked with that sanitizer: this
// file has the functions that the compiler calls before each load and store. GCC vectorises no loop of such a file by
// itself, so there may be more loads and stores than in the raced kernel; their bytes are the same.
#include <cstdint>
#include <cstring>
#include <functional>

#include "common/cache_simulator.hpp"
#include "harness/machine/machine.hpp"
#include "yours/trial.hpp"

namespace hf::yours {
namespace {

/// The counts of the running call; null outside of count().
struct Counter {
  CacheSimulator caches;
  double loads = 0, stores = 0;
};
thread_local Counter* counter = nullptr;

}  // namespace

void see(const void* address, std::size_t bytes, bool writes) {
  if (counter == nullptr) return;
  (writes ? counter->stores : counter->loads) += 1;
  counter->caches.access(reinterpret_cast<std::uintptr_t>(address), bytes, writes);
}

Counted count(const std::function<void()>& kernel_call, const Machine& machine) {
  Counter counted = {{detect_geometry(machine, 1), detect_geometry(machine, 2)}};
  counter = &counted;
  kernel_call();
  counter = nullptr;
  counted.caches.flush();
  return {counted.loads, counted.stores, counted.caches.traffic()};
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

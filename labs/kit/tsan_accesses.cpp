// What a compiler calls at the loads and stores of code that it compiled with -fsanitize=thread.
#include <atomic>
#include <cstddef>
#include <cstring>

#include "kit/observer.hpp"

namespace {

void see(const void* address, std::size_t bytes, bool writes, bool at_once, const void* code) {
  if (hf::Observer* const now = hf::observer.load(std::memory_order_acquire); now != nullptr && bytes > 0)
    now(address, bytes, writes, at_once, code);
}

/// Word by word, as a loop that copies would do it.
void see_copy(void* to, const void* from, std::size_t bytes, const void* code) {
  const std::size_t word = bytes % 4 == 0 ? 4 : 1;
  for (std::size_t at = 0; at < bytes; at += word) {
    see(static_cast<const char*>(from) + at, word, false, false, code);
    see(static_cast<char*>(to) + at, word, true, false, code);
  }
}

}  // namespace

#define HF_SEE(name, bytes, writes, at_once) \
  void __tsan_##name(void* address) { see(address, bytes, writes, at_once, __builtin_return_address(0)); }
#define HF_SEE_ALL(bytes)                            \
  HF_SEE(read##bytes, bytes, false, true)            \
  HF_SEE(write##bytes, bytes, true, true)            \
  HF_SEE(unaligned_read##bytes, bytes, false, false) \
  HF_SEE(unaligned_write##bytes, bytes, true, false)

// Compilers leave copying to these functions: newer ones call __tsan_memcpy(), and tools/yours links the calls of older ones to
// __wrap_memcpy().
#define HF_SEE_MEMORY(prefix)                                              \
  void* prefix##memcpy(void* to, const void* from, unsigned long bytes) {  \
    see_copy(to, from, bytes, __builtin_return_address(0));                \
    return std::memcpy(to, from, bytes);                                   \
  }                                                                        \
  void* prefix##memmove(void* to, const void* from, unsigned long bytes) { \
    see_copy(to, from, bytes, __builtin_return_address(0));                \
    return std::memmove(to, from, bytes);                                  \
  }                                                                        \
  void* prefix##memset(void* to, int value, unsigned long bytes) {         \
    see(to, bytes, true, false, __builtin_return_address(0));              \
    return std::memset(to, value, bytes);                                  \
  }

extern "C" {
HF_SEE_ALL(1)
HF_SEE_ALL(2)
HF_SEE_ALL(4)
HF_SEE_ALL(8)
HF_SEE_ALL(16)
void __tsan_read_range(void* address, unsigned long bytes) {
  see(address, bytes, false, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, unsigned long bytes) {
  see(address, bytes, true, false, __builtin_return_address(0));
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
HF_SEE_MEMORY(__wrap_)
HF_SEE_MEMORY(__tsan_)
}

// The compiler's instrumentation calls these functions at each access, each function and each basic block of a kernel.
#include "03-gpu/kernels/emulator/instrumentation.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

using hf::emulator::see;

/// An access that a GPU makes in smaller parts: words, or bytes.
void see_parts(const void* address, std::size_t bytes, bool writes, const void* code) {
  const std::size_t part = (reinterpret_cast<std::uintptr_t>(address) | bytes) % 4 == 0 ? 4 : 1;
  for (std::size_t at = 0; at < bytes; at += part) see(static_cast<const char*>(address) + at, part, writes, code);
}

}  // namespace

#define HF_SEE(name, see, bytes, writes) \
  void __tsan_##name(void* address) { see(address, bytes, writes, __builtin_return_address(0)); }
#define HF_SEE_ALL(bytes)                                \
  HF_SEE(read##bytes, see, bytes, false)                 \
  HF_SEE(write##bytes, see, bytes, true)                 \
  HF_SEE(unaligned_read##bytes, see_parts, bytes, false) \
  HF_SEE(unaligned_write##bytes, see_parts, bytes, true)

extern "C" {
HF_SEE_ALL(1)
HF_SEE_ALL(2)
HF_SEE_ALL(4)
HF_SEE_ALL(8)
HF_SEE_ALL(16)
void __tsan_read_range(void* address, unsigned long bytes) {
  see_parts(address, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, unsigned long bytes) {
  see_parts(address, bytes, true, __builtin_return_address(0));
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __sanitizer_cov_trace_pc() { hf::emulator::enter_basic_block(__builtin_return_address(0)); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
// Clang compiles copying loops into calls of this, which copies word by word, as the loops were written.
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  const std::size_t word = bytes % 4 == 0 ? 4 : 1;
  for (std::size_t at = 0; at < bytes; at += word) {
    see_parts(static_cast<const char*>(from) + at, word, false, __builtin_return_address(0));
    see_parts(static_cast<const char*>(to) + at, word, true, __builtin_return_address(0));
  }
  return std::memcpy(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  see_parts(to, bytes, true, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}
}

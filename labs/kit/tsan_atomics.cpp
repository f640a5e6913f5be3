// The atomic operations that a compiler calls in code that it compiled with -fsanitize=thread, for programs that observe such
// code instead of linking the sanitizer. Each operation reports what it reads and writes in the same way as a plain load or
// store does, to functions that the program has. It is sequentially consistent, so that it keeps every promise of a weaker order.
//
// A function-local static variable is enough for such a call, because its guard is read atomically.
#include <cstdint>

extern "C" {

__extension__ typedef unsigned __int128 hf_uint128;
using hf_uint64 = std::uint64_t;
using hf_uint32 = std::uint32_t;
using hf_uint16 = std::uint16_t;
using hf_uint8 = std::uint8_t;

#define HF_UPDATE(bits, bytes, name, expression)                                                                 \
  hf_uint##bits __tsan_atomic##bits##_##name(volatile hf_uint##bits* at, hf_uint##bits operand, int /*order*/) { \
    __tsan_read##bytes(const_cast<hf_uint##bits*>(at));                                                          \
    __tsan_write##bytes(const_cast<hf_uint##bits*>(at));                                                         \
    return expression(at, operand, __ATOMIC_SEQ_CST);                                                            \
  }

// GCC calls the first two, whose expected value is in memory; Clang the third, which returns what it found.
#define HF_COMPARE_EXCHANGE(bits, bytes)                                                                               \
  static bool compare_exchange##bits(volatile hf_uint##bits* at, hf_uint##bits* expected, hf_uint##bits desired) {     \
    __tsan_read##bytes(const_cast<hf_uint##bits*>(at));                                                                \
    const bool done = __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    if (done) __tsan_write##bytes(const_cast<hf_uint##bits*>(at));                                                     \
    return done;                                                                                                       \
  }                                                                                                                    \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile hf_uint##bits* at, hf_uint##bits* expected,               \
                                                    hf_uint##bits desired, int /*order*/, int /*if_it_fails*/) {       \
    return compare_exchange##bits(at, expected, desired);                                                              \
  }                                                                                                                    \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile hf_uint##bits* at, hf_uint##bits* expected,                 \
                                                  hf_uint##bits desired, int /*order*/, int /*if_it_fails*/) {         \
    return compare_exchange##bits(at, expected, desired);                                                              \
  }                                                                                                                    \
  hf_uint##bits __tsan_atomic##bits##_compare_exchange_val(                                                            \
      volatile hf_uint##bits* at, hf_uint##bits expected, hf_uint##bits desired, int /*order*/, int /*if_it_fails*/) { \
    compare_exchange##bits(at, &expected, desired);                                                                    \
    return expected;                                                                                                   \
  }

#define HF_ATOMICS(bits, bytes)                                                                      \
  void __tsan_read##bytes(void* address);                                                            \
  void __tsan_write##bytes(void* address);                                                           \
  hf_uint##bits __tsan_atomic##bits##_load(const volatile hf_uint##bits* at, int /*order*/) {        \
    __tsan_read##bytes(const_cast<hf_uint##bits*>(at));                                              \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                  \
  void __tsan_atomic##bits##_store(volatile hf_uint##bits* at, hf_uint##bits value, int /*order*/) { \
    __tsan_write##bytes(const_cast<hf_uint##bits*>(at));                                             \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                  \
  HF_UPDATE(bits, bytes, exchange, __atomic_exchange_n)                                              \
  HF_UPDATE(bits, bytes, fetch_add, __atomic_fetch_add)                                              \
  HF_UPDATE(bits, bytes, fetch_sub, __atomic_fetch_sub)                                              \
  HF_UPDATE(bits, bytes, fetch_and, __atomic_fetch_and)                                              \
  HF_UPDATE(bits, bytes, fetch_or, __atomic_fetch_or)                                                \
  HF_UPDATE(bits, bytes, fetch_xor, __atomic_fetch_xor)                                              \
  HF_UPDATE(bits, bytes, fetch_nand, __atomic_fetch_nand)                                            \
  HF_COMPARE_EXCHANGE(bits, bytes)

HF_ATOMICS(8, 1)
HF_ATOMICS(16, 2)
HF_ATOMICS(32, 4)
HF_ATOMICS(64, 8)
HF_ATOMICS(128, 16)

void __tsan_atomic_thread_fence(int /*order*/) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int /*order*/) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
}

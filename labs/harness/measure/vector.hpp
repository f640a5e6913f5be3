/// \file
/// A vector register of the instruction set this source is compiled for, in GCC's and Clang's vector extensions.
///
/// A source may be compiled once per instruction set. This header, and whatever else such sources include, uses no
/// library templates and gives everything internal linkage. Otherwise the linker, which keeps any one copy of a
/// template, could put instructions that the machine does not have into the rest of the program.
///
/// It must compile fast, since programs that write programs include it each time. It therefore uses the compiler's
/// builtins: the x86 intrinsics header takes ten times as long as everything else here.
#pragma once

#include <cstddef>
#include <cstdint>  // IWYU pragma: keep  (clang-tidy does not look inside a vector type)

namespace hf {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
constexpr int vector_registers = 32;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
constexpr int vector_registers = 16;
#elif defined(__aarch64__)
constexpr int vector_bytes = 16;
constexpr int vector_registers = 32;
#else
constexpr int vector_bytes = 16;
constexpr int vector_registers = 16;
#endif

#if defined(__FMA__) || defined(__aarch64__) || defined(__wasm_relaxed_simd__)
constexpr bool has_fma = true;
#else
constexpr bool has_fma = false;
#endif

typedef float Floats __attribute__((vector_size(vector_bytes)));
typedef double Doubles __attribute__((vector_size(vector_bytes)));
typedef std::int32_t Ints __attribute__((vector_size(vector_bytes)));

/// How many floats one register holds.
constexpr std::size_t lanes = vector_bytes / sizeof(float);

inline Floats load(const float* from) {
#if defined(__wasm__)  // inline assembly takes no vectors on this target, so volatile keeps unused loads
  typedef Floats Anywhere __attribute__((aligned(alignof(float)), may_alias));
  return *reinterpret_cast<const volatile Anywhere*>(from);
#else
  Floats v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
#endif
}

inline void store(float* to, Floats v) { __builtin_memcpy(to, &v, sizeof v); }

inline Floats broadcast(float x) { return Floats{} + x; }

/// The first `count` floats, with `fill` in the other lanes; all lanes if count ≥ lanes.
inline Floats load_some(const float* from, std::size_t count, float fill) {
  if (count >= lanes) return load(from);
  Floats v = broadcast(fill);
  for (std::size_t lane = 0; lane < count; ++lane) v[lane] = from[lane];
  return v;
}

/// Stores the first `count` lanes; all if count ≥ lanes.
inline void store_some(float* to, std::size_t count, Floats v) {
  if (count >= lanes) return store(to, v);
  for (std::size_t lane = 0; lane < count; ++lane) to[lane] = v[lane];
}

inline std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// True if any lane of a mask is set; a set lane has all bits set.
inline bool any(Ints mask) {
#if defined(__AVX512F__)
  constexpr int unequal = 4;
  return __builtin_ia32_cmpd512_mask(mask, Ints{}, unequal, 0xffff) != 0;
#elif defined(__AVX__)
  return __builtin_ia32_movmskps256(reinterpret_cast<Floats>(mask)) != 0;
#elif defined(__x86_64__)
  return __builtin_ia32_movmskps(reinterpret_cast<Floats>(mask)) != 0;
#else
  typedef std::int64_t Words __attribute__((vector_size(vector_bytes)));
  const auto words = reinterpret_cast<Words>(mask);
  std::int64_t bits = 0;
  for (std::size_t i = 0; i < vector_bytes / sizeof bits; ++i) bits |= words[i];
  return bits != 0;
#endif
}

inline float max_of(Floats v) {
  float max = v[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) max = v[lane] > max ? v[lane] : max;
  return max;
}

inline float sum_of(Floats v) {
  float sum = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += v[lane];
  return sum;
}

inline float first_lane(float x) { return x; }
inline double first_lane(double x) { return x; }
inline float first_lane(Floats v) { return v[0]; }
inline double first_lane(Doubles v) { return v[0]; }

/// Makes a value opaque: the compiler must hold it in a register here and knows nothing about it afterwards, so it
/// cannot drop the computation, fuse two operations, or merge two registers into a wider one. Costs no instructions.
template <class V>
inline V opaque(V v) {
#if defined(__x86_64__)
  asm volatile("" : "+v"(v));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(v));
#elif defined(__wasm__)
  if constexpr (sizeof(V) < vector_bytes) asm volatile("" : "+r"(v));  // vectors cannot widen or fuse
#else
  asm volatile("" : "+g"(v));
#endif
  return v;
}

/// x · factor + addend. Compilers fuse it if the instruction set can; for WebAssembly they need the builtin.
template <class V>
inline V multiply_then_add(V x, V factor, V addend) {
#if defined(__wasm_relaxed_simd__)
  if constexpr (sizeof(V) == vector_bytes) return __builtin_wasm_relaxed_madd_f32x4(x, factor, addend);
#endif
  return x * factor + addend;
}

/// Stores a register past the caches (`to` aligned to a register): the line is neither read first nor kept.
#if defined(__x86_64__) && !defined(__clang__)
inline void stream(float* to, Floats v) {
#if defined(__AVX512F__)
  __builtin_ia32_movntps512(to, v);
#elif defined(__AVX__)
  __builtin_ia32_movntps256(to, v);
#else
  __builtin_ia32_movntps(to, v);
#endif
}
#elif defined(__x86_64__)
inline void stream(float* to, Floats v) { __builtin_nontemporal_store(v, reinterpret_cast<Floats*>(to)); }
#endif

/// Stores two registers past the caches; AArch64 can only do this in pairs.
inline void store_nontemporal(float* to, Floats first, Floats second) {
#if defined(__x86_64__)
  stream(to, first);
  stream(to + lanes, second);
#elif defined(__aarch64__)
  asm volatile("stnp %q1, %q2, [%0]" ::"r"(to), "w"(first), "w"(second) : "memory");
#else
  store(to, first);
  store(to + lanes, second);
#endif
}

/// Stores two registers, past the caches or through them.
template <bool nontemporal>
inline void store_pair(float* to, Floats first, Floats second) {
  if constexpr (nontemporal) {
    store_nontemporal(to, first, second);
  } else {
    store(to, first);
    store(to + lanes, second);
  }
}

/// Waits until non-temporal stores have left the core's write-combining buffers.
inline void drain_nontemporal() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#elif defined(__aarch64__)
  asm volatile("dmb ishst" ::: "memory");
#endif
}

}  // namespace
}  // namespace hf

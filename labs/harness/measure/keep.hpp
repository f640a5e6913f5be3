/// \file
/// Keeps the compiler from optimising a measurement away.
#pragma once

#include <type_traits>

namespace hf {

/// Makes the compiler believe that \p value is read here, so that computing it cannot be optimised away.
/// Costs no instructions beyond having the value in a register or in memory.
template <class T>
inline void keep(const T& value) {
  if constexpr (std::is_scalar_v<T>) {
    if constexpr (std::is_floating_point_v<T> || sizeof(T) > sizeof(void*)) {
      asm volatile("" : : "m"(value) : "memory");
    } else {
      asm volatile("" : : "r"(value) : "memory");
    }
  } else {
    asm volatile("" : : "m"(value) : "memory");
  }
}

/// Makes the compiler believe that \p value is changed here, so that work on it cannot be hoisted or folded.
template <class T>
inline void change(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

/// Makes the compiler keep a vector in a register here and know nothing about its value afterwards. A macro, because a
/// function would have to be compiled for the vector's instruction set.
#if defined(__x86_64__)
#define HF_OPAQUE(vector) asm volatile("" : "+v"(vector))
#elif defined(__aarch64__)
#define HF_OPAQUE(vector) asm volatile("" : "+w"(vector))
#else
#define HF_OPAQUE(vector) asm volatile("" : "+m"(vector))
#endif

/// Makes the compiler believe that all memory is read and written here, so earlier stores and later loads really
/// happen.
inline void clobber() { asm volatile("" : : : "memory"); }

}  // namespace hf

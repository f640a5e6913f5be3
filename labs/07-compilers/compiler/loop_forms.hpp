/// \file
/// The forms that generated loops have. Generated code holds this header as text: like vector.hpp it uses no library
/// templates, and all here has internal linkage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "07-compilers/compiler/vector_math.hpp"
#include "harness/vector.hpp"

/// Of a body that stands once in the source and several times in the loop: its variables are registers only when it is no
/// function.
#define HF_INLINE __attribute__((always_inline))

namespace hf::compilers {
namespace {

/// How many registers a loop works on at a time, so that none waits for the one before.
constexpr std::size_t parts = 4;

/// Sums and maxima of a row, in as many parts.
struct Sums {
  Floats part[parts] = {};
};
struct Maxima {
  Floats part[parts] = {broadcast(-__builtin_inff()), broadcast(-__builtin_inff()), broadcast(-__builtin_inff()),
                        broadcast(-__builtin_inff())};
};

/// In every lane the sum, or the maximum, of all.
inline Floats total(const Sums& sums) {
  return broadcast(sum_of((sums.part[0] + sums.part[1]) + (sums.part[2] + sums.part[3])));
}
inline Floats largest(const Maxima& maxima) {
  return broadcast(max_of(maximum(maximum(maxima.part[0], maxima.part[1]), maximum(maxima.part[2], maxima.part[3]))));
}

/// Asks for what will be needed soon. (GCC takes a function that does nothing else for one without effect.)
HF_INLINE inline void ask_for(const float* number) { __builtin_prefetch(number, 0, 2); }

/// The first `count` lanes, and `fill` in the others.
inline Floats keep_some(Floats v, std::size_t count, float fill) {
  for (std::size_t lane = count; lane < lanes; ++lane) v[lane] = fill;
  return v;
}

/// Calls body(i, count, part) for every register of [first, last): i is its first number and count how many it has, part
/// the one of its sums and maxima.
template <class Body>
inline void each_vector(std::size_t first, std::size_t last, const Body& body) {
  std::size_t i = first;
  for (; i + parts * lanes <= last; i += parts * lanes) {
    body(i, lanes, 0), body(i + lanes, lanes, 1), body(i + 2 * lanes, lanes, 2), body(i + 3 * lanes, lanes, 3);
  }
  for (; i + lanes <= last; i += lanes) body(i, lanes, 0);
  if (i < last) body(i, last - i, 0);
}

/// to[i] = the numbers that begin at i, for every i of [first, last), past the caches.
template <class Numbers>
inline void write_past_caches(float* to, std::size_t first, std::size_t last, const Numbers& numbers) {
  std::size_t i = first;
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(to + first) / sizeof(float) % lanes;
  if (const std::size_t count = least(lanes - behind, last - first); count < lanes) {
    store_some(to + i, count, numbers(i, count));  // up to where a register may be stored at once
    i += count;
  }
  for (; i + 2 * lanes <= last; i += 2 * lanes) {
    store_nontemporal(to + i, numbers(i, lanes), numbers(i + lanes, lanes));
  }
  for (; i < last; i += lanes) store_some(to + i, last - i, numbers(i, least(lanes, last - i)));
}

/// The rows that a band is at: where results begin, and the first row of the product.
struct Block {
  float* const* values;
  std::size_t row;
};

}  // namespace
}  // namespace hf::compilers

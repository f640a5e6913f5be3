/// \file
/// The forms that generated loops have. Generated code holds this header as text: like vector.hpp it uses no library
/// templates, and all here has internal linkage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "07-compilers/kernels/compiler/dropout_mask.hpp"
#include "07-compilers/kernels/compiler/vector_math.hpp"
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

/// Combines all lanes, in every lane: each with the one half a register away, then a quarter, and so on.
template <class Combine>
HF_INLINE inline Floats over_lanes(Floats v, const Combine& combine) {
#if defined(__AVX512F__)
  v = combine(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = combine(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  v = combine(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  return combine(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
#elif defined(__AVX__)
  v = combine(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = combine(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  return combine(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
#else
  v = combine(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
  return combine(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
#endif
}

/// In every lane the sum, or the maximum, of all.
inline Floats total(const Sums& sums) {
  const Floats all = (sums.part[0] + sums.part[1]) + (sums.part[2] + sums.part[3]);
  return over_lanes(all, [](Floats a, Floats b) { return a + b; });
}
inline Floats largest(const Maxima& maxima) {
  const Floats all = maximum(maximum(maxima.part[0], maxima.part[1]), maximum(maxima.part[2], maxima.part[3]));
  return over_lanes(all, [](Floats a, Floats b) { return maximum(a, b); });
}

/// Asks for what will be needed soon. (GCC takes a function that does nothing else for one without effect.)
HF_INLINE inline void ask_for(const float* number) { __builtin_prefetch(number, 0, 2); }

/// Some numbers of a row, at most a register of them: from where, how many, and in
/// which part of sums and maxima they belong.
struct Some {
  std::size_t i, count, part;
};

inline Floats load(const float* from, Some at) { return load_some(from + at.i, at.count, 0); }
inline void store(float* to, Some at, Floats v) { store_some(to + at.i, at.count, v); }

/// Calls `body` for all of [first, last), a register at a time. Where the count is a
/// constant, a load is one instruction.
template <class Body>
inline void each_vector(std::size_t first, std::size_t last, const Body& body) {
  std::size_t i = first;
  for (; i + parts * lanes <= last; i += parts * lanes) {
    body({i, lanes, 0}), body({i + lanes, lanes, 1});
    body({i + 2 * lanes, lanes, 2}), body({i + 3 * lanes, lanes, 3});
  }
  for (; i + lanes <= last; i += lanes) body({i, lanes, 0});
  if (i < last) body({i, last - i, 0});
}

/// The numbers there are, and `fill` in the other lanes.
inline Floats keep(Floats v, Some at, float fill) {
  if (at.count >= lanes) return v;
  Ints lane;
  for (std::size_t i = 0; i < lanes; ++i) lane[i] = static_cast<std::int32_t>(i);
  return lane < Ints{} + static_cast<std::int32_t>(at.count) ? v : broadcast(fill);
}

HF_INLINE inline void add(Sums& sums, Some at, Floats v) { sums.part[at.part] += keep(v, at, 0); }
HF_INLINE inline void take(Maxima& maxima, Some at, Floats v) {
  maxima.part[at.part] = maximum(maxima.part[at.part], keep(v, at, -__builtin_inff()));
}

/// Writes what `numbers` says of [first, last), past the caches.
template <class Numbers>
inline void write_past_caches(float* to, std::size_t first, std::size_t last, const Numbers& numbers) {
  std::size_t i = first;
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(to + first) / sizeof(float) % lanes;
  if (const std::size_t count = least(lanes - behind, last - first); count < lanes) {
    store(to, {i, count, 0}, numbers({i, count, 0}));  // up to where a register may be stored at once
    i += count;
  }
  for (; i + 2 * lanes <= last; i += 2 * lanes) {
    store_nontemporal(to + i, numbers({i, lanes, 0}), numbers({i + lanes, lanes, 1}));
  }
  for (; i < last; i += lanes) {
    const Some at = {i, least(lanes, last - i), 0};
    store(to, at, numbers(at));
  }
}

/// A row's part in a dropout.
struct Mask {
  DropoutRow row;
  std::uint32_t below;  ///< bits below this mean that a number is dropped
  float factor;         ///< of the others
};
inline Mask mask_of(std::uint64_t seed, std::uint64_t row, float probability) {
  return {dropout_row(seed, row), dropout_threshold(probability), 1 / (1 - probability)};
}
inline Floats dropped(Floats x, const Mask& mask, std::size_t column) {
  return dropped(x, mask.row, column, mask.below, mask.factor);
}

/// The rows that a band is at: where results begin, and the first row of the product.
struct Block {
  float* const* values;
  std::size_t row;
};

}  // namespace
}  // namespace hf::compilers

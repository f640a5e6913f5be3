/// \file
/// The parts of generated loops: functions of a vector of floats, the masks of a dropout, and the forms of loops.
///
/// Library functions would be called once for each number. These are a few inlined instructions for all lanes, so that
/// a loop can contain several of them. Generated code contains this header as text: like vector.hpp it uses no library
/// templates, and everything in it has internal linkage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/vector.hpp"
#include "kit/exponential.hpp"

/// For a body that occurs once in the source and several times in the loop. Inlined, so that its variables stay in
/// registers.
#define HF_INLINE __attribute__((always_inline))

namespace hf::compilers {
namespace {

/// FLOPs of the functions below for a number.
constexpr double gelu_flops = exponential_flops + 9, rsqrt_flops = 2;

/// Returns b if a or b is NaN.
inline Floats maximum(Floats a, Floats b) { return a > b ? a : b; }

inline Floats relu(Floats x) { return maximum(Floats{}, x); }

inline Floats exp(Floats x) { return exponential(x); }

/// x / 2 · (1 + tanh z) with z = √(2/π) · (x + 0.044715 x³), written as x / (1 + e^(−2z)), so that no difference loses
/// digits for x below zero. The relative error is at most (5 + 8 |z|) · 2^-24 there and 5 · 2^-24 elsewhere. Results
/// smaller than 2^-124 may be 0, as is that of −∞; NaN of NaN.
inline Floats gelu(Floats x) {
  x = maximum(broadcast(-20.0f), x);  // there the result is already 0
  return x / (1.0f + exp(x * -1.59576912f * (1.0f + 0.044715f * x * x)));
}

/// 1 / √x, rounded twice.
inline Floats rsqrt(Floats x) {
  Floats root;
#if defined(__AVX__)
  asm("vsqrtps %1, %0" : "=v"(root) : "v"(x));
#elif defined(__x86_64__)
  asm("sqrtps %1, %0" : "=x"(root) : "x"(x));
#elif defined(__aarch64__)
  asm("fsqrt %0.4s, %1.4s" : "=w"(root) : "w"(x));
#else
  for (std::size_t lane = 0; lane < lanes; ++lane) root[lane] = __builtin_sqrtf(x[lane]);
#endif
  return 1.0f / root;
}

// ---- Dropout: whether a number is dropped depends only on the seed, its row and its column, so splitting, joining or
// sharing loops does not change the mask. Each row has 64 random bits, drawn by SplitMix64 (see kit/random.hpp) with
// the dropout's seed. They are mixed with a number's column, in 32 bits, which vectors multiply fast. ----

/// Random bits from which the mask of one row is computed.
struct DropoutRow {
  std::uint32_t first, second;
};

inline DropoutRow dropout_row(std::uint64_t seed, std::uint64_t row) {
  std::uint64_t x = seed + (row + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32)};
}

/// Returns 32 random bits for a number, or for a vector of numbers: two rounds of multiplying and folding back
/// (constants of Wellons' "lowbias32"). The second half of the row's bits enters between them, so no two rows are
/// shifts of each other.
template <class Word>
inline Word dropout_bits(DropoutRow row, Word column) {
  Word x = column + row.first;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15) ^ row.second) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Returns the threshold: a number whose bits are below it is dropped.
inline std::uint32_t dropout_threshold(float probability) {
  return static_cast<std::uint32_t>(static_cast<double>(probability) * 0x1p32);
}

/// Returns 0 for dropped numbers, `factor` times the others; the numbers are in columns `column`, column + 1, …
inline Floats dropped(Floats x, DropoutRow row, std::size_t column, std::uint32_t threshold, float factor) {
  Words columns;
  for (std::size_t lane = 0; lane < lanes; ++lane) columns[lane] = static_cast<std::uint32_t>(lane);
  columns += static_cast<std::uint32_t>(column);
  x = opaque(x);  // else GCC loads x under the mask, and the load has to wait for the mask
  return dropout_bits(row, columns) < threshold ? Floats{} : x * factor;
}

// ---- Loops ----

/// Number of registers that a loop works on at a time, so that none waits for the one before.
constexpr std::size_t parts = 4;

/// Sums and maxima of a row, in `parts` parts.
struct Sums {
  Floats part[parts] = {};
};
struct Maxima {
  Floats part[parts] = {broadcast(-__builtin_inff()), broadcast(-__builtin_inff()), broadcast(-__builtin_inff()),
                        broadcast(-__builtin_inff())};
};

/// Combines all lanes, in every lane: each with the lane half a register away, then a quarter, and so on.
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

/// Returns the sum, or the maximum, of all, in every lane.
inline Floats total(const Sums& sums) {
  const Floats all = (sums.part[0] + sums.part[1]) + (sums.part[2] + sums.part[3]);
  return over_lanes(all, [](Floats a, Floats b) { return a + b; });
}
inline Floats largest(const Maxima& maxima) {
  const Floats all = maximum(maximum(maxima.part[0], maxima.part[1]), maximum(maxima.part[2], maxima.part[3]));
  return over_lanes(all, [](Floats a, Floats b) { return maximum(a, b); });
}

/// Prefetches a number. (GCC treats a function that does nothing else as one without effect, hence always_inline.)
HF_INLINE inline void ask_for(const float* number) { __builtin_prefetch(number, 0, 2); }

/// Some numbers of a row, at most a register of them: index of the first, how many, and the part of sums and maxima to
/// which they are added.
struct Some {
  std::size_t i, count, part;
};

using hf::load, hf::store;  // which the overloads below would hide
inline Floats load(const float* from, Some at) { return load_some(from + at.i, at.count, 0); }
inline void store(float* to, Some at, Floats v) { store_some(to + at.i, at.count, v); }

/// Calls `body` for all of [first, last), a register at a time. If the count is a
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

/// Returns the `at.count` numbers of v, with `fill` in the other lanes.
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

/// Writes the results of `numbers` for [first, last), past the caches.
template <class Numbers>
inline void write_past_caches(float* to, std::size_t first, std::size_t last, const Numbers& numbers) {
  std::size_t i = first;
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(to + first) / sizeof(float) % lanes;
  if (const std::size_t count = least(lanes - behind, last - first); count < lanes) {
    store(to, {i, count, 0}, numbers({i, count, 0}));  // up to the first aligned register
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

/// The dropout of one row.
struct Mask {
  DropoutRow row;
  std::uint32_t below;  ///< a number is dropped if its bits are below this
  float factor;         ///< of the numbers that are not dropped
};
inline Mask mask_of(std::uint64_t seed, std::uint64_t row, float probability) {
  return {dropout_row(seed, row), dropout_threshold(probability), 1 / (1 - probability)};
}
inline Floats dropped(Floats x, const Mask& mask, std::size_t column) {
  return dropped(x, mask.row, column, mask.below, mask.factor);
}

/// The current rows of a band: pointers to the results, and the first row of the product.
struct BandRows {
  float* const* values;
  std::size_t row;
};

}  // namespace
}  // namespace hf::compilers

/// \file
/// What generated loops are made of: functions of a vector of floats, the masks of a dropout, and the forms that loops have.
///
/// A library's functions would be called once for each number; these are a few instructions for all lanes, in line, so that
/// a loop may hold several of them. Generated code holds this header as text: like vector.hpp it uses no library templates,
/// and all here has internal linkage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/vector.hpp"

/// Of a body that stands once in the source and several times in the loop: its variables are registers only when it is no
/// function.
#define HF_INLINE __attribute__((always_inline))

namespace hf::compilers {
namespace {

typedef std::uint32_t Words __attribute__((vector_size(vector_bytes)));

/// How many FLOPs the functions below spend on a number.
constexpr double exp_flops = 19, gelu_flops = exp_flops + 9, rsqrt_flops = 2;

/// The second where one of them is NaN.
inline Floats maximum(Floats a, Floats b) { return a > b ? a : b; }

inline Floats relu(Floats x) { return maximum(Floats{}, x); }

/// e^x, off by at most 2^-23 of it. What would be below the smallest normal number is 0; of NaN, NaN.
inline Floats exp(Floats x) {
  const Floats round = broadcast(0x1.8p23f);  // leaves no bits for a fraction
  const Floats shifted = x * 1.44269504f + round, n = shifted - round;
  // e^x = 2^n · e^r, |r| <= ln 2 / 2; ln 2 in two parts, n times the first exact
  const Floats r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  Floats e = r * 1.3814174e-3f + 8.3689215e-3f;  // a polynomial, off by 2^-28
  e = e * r + 4.1668408e-2f;
  e = e * r + 1.6666520e-1f;
  e = e * r + 4.9999994e-1f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  e = (Floats)((Words)e + ((Words)shifted << 23));  // · 2^n, in the exponent
  e = x < -87.33654f ? Floats{} : e;
  return x <= 88.72283f ? e : x * __builtin_inff();  // too large, or NaN
}

/// x / 2 · (1 + tanh z) with z = √(2/π) · (x + 0.044715 x³), written as x / (1 + e^(−2z)): no difference loses the digits
/// where x is below zero. Off by at most (5 + 8 |z|) · 2^-24 of it there, by 5 · 2^-24 elsewhere; what would be smaller than
/// 2^-124 may be 0, as it is of −∞; of NaN, NaN.
inline Floats gelu(Floats x) {
  x = maximum(broadcast(-20.0f), x);  // where it is 0 already
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

// ---- Which numbers a dropout drops: a function of its seed and a number's place and of nothing else, so that loops may be
// split, joined and shared as they like and all draw the same mask. Each row has 64 random bits, which SplitMix64 (see
// common/random.hpp) draws with the dropout's seed; a row's numbers mix them with their column, in the 32 bits that vectors
// multiply fast. ----

/// What the masks of one row follow from.
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

/// 32 random bits of a number, or of a vector of them: two rounds of multiplying and folding back (the constants are those
/// of Wellons' "lowbias32"), the second half of the row's bits between them, so that no two rows are shifts of each other.
template <class Word>
inline Word dropout_bits(DropoutRow row, Word column) {
  Word x = column + row.first;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15) ^ row.second) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Bits below this mean that the number is dropped.
inline std::uint32_t dropout_threshold(float probability) {
  return static_cast<std::uint32_t>(static_cast<double>(probability) * 0x1p32);
}

/// Of numbers in columns `column`, column + 1, …: 0 for the dropped ones, `factor` times the others.
inline Floats dropped(Floats x, DropoutRow row, std::size_t column, std::uint32_t threshold, float factor) {
  Words columns;
  for (std::size_t lane = 0; lane < lanes; ++lane) columns[lane] = static_cast<std::uint32_t>(lane);
  columns += static_cast<std::uint32_t>(column);
  x = opaque(x);  // else GCC loads x under the mask: then no load can begin before its mask has been computed
  return dropout_bits(row, columns) < threshold ? Floats{} : x * factor;
}

// ---- Loops ----

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

using hf::load, hf::store;  // which these would hide
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
struct BandRows {
  float* const* values;
  std::size_t row;
};

}  // namespace
}  // namespace hf::compilers

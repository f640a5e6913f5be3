/// \file
/// The slanted roofs: read, copy and triad over arrays of any size, with ordinary and with non-temporal stores.
/// Compiled once per instruction set (see vector.hpp). Arrays are aligned to 64 bytes; `n`, in floats, is a multiple of
/// `stream_block`; the whole array is read or written `passes` times.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/vector.hpp"

namespace hf::roofline {
namespace {

constexpr std::size_t stream_unroll = 8;

// [begin: read]
/// Loads every element and discards it, so that only loading limits this loop. 4
/// bytes per element.
void read(const float* a, std::size_t n, std::int64_t passes) {
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < n; i += stream_unroll * lanes) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < stream_unroll; ++k) {
        opaque(load(a + i + k * lanes));
      }
    }
  }
}
// [end: read]

/// to[i] = from[i]. 8 bytes per element.
template <bool nontemporal>
void copy(float* to, const float* from, std::size_t n, std::int64_t passes) {
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < n; i += stream_unroll * lanes) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < stream_unroll; k += 2) {
        const std::size_t j = i + k * lanes;
        // opaque, or the compiler would recognise the loop and call memcpy
        store_pair<nontemporal>(to + j, opaque(load(from + j)), opaque(load(from + j + lanes)));
      }
    }
  }
  if constexpr (nontemporal) drain_nontemporal();
}

/// to[i] = a[i] + factor · b[i]. 12 bytes per element.
template <bool nontemporal>
void triad(float* to, const float* a, const float* b, float factor, std::size_t n, std::int64_t passes) {
  const Floats f = broadcast(factor);
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < n; i += stream_unroll * lanes) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < stream_unroll; k += 2) {
        const std::size_t j = i + k * lanes;
        store_pair<nontemporal>(to + j, load(a + j) + f * load(b + j), load(a + j + lanes) + f * load(b + j + lanes));
      }
    }
  }
  if constexpr (nontemporal) drain_nontemporal();
}

}  // namespace
}  // namespace hf::roofline

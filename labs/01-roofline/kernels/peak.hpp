/// \file
/// The flat roofs: as many multiplications and additions per second as one core can do, on data that never leaves
/// its registers. Compiled once per instruction set (see vector.hpp).
#pragma once

#include <cstdint>

#include "harness/measure/vector.hpp"

namespace hf::roofline {
namespace {

/// Independent chains of dependent operations. Each chain waits for its own last result (latency 3 to 5 cycles, twice
/// that for an unfused pair) while two to four units can start a new operation every cycle, so it takes about a dozen
/// chains to keep them busy; two registers stay free for the constants.
constexpr int peak_chains = vector_registers == 32 ? 24 : 12;

// [begin: peak]
/// x ← x · factor + addend, `iterations` times in every lane of
/// `chains` registers of type V (float, double or a vector of them), as
/// one fused instruction or as two. For 0 < factor < 1 every lane tends to
/// addend / (1 − factor).
/// \return one lane of the sum of the chains, so that the result can be checked
template <class V, bool fused, int chains = peak_chains>
double multiply_add(std::int64_t iterations, double factor, double addend) {
  using Number = decltype(first_lane(V{}));
  const V f = V{} + static_cast<Number>(factor);
  const V a = V{} + static_cast<Number>(addend);
  V x[chains];
#pragma GCC unroll 24
  for (int chain = 0; chain < chains; ++chain) {
    x[chain] = V{} + static_cast<Number>(chain);
  }
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (int chain = 0; chain < chains; ++chain) {
      if constexpr (fused) {
        x[chain] = opaque(multiply_then_add(x[chain], f, a));
      } else {
        x[chain] = opaque(opaque(x[chain] * f) + a);
      }
    }
  }
  V sum = x[0];
#pragma GCC unroll 24
  for (int chain = 1; chain < chains; ++chain) sum = sum + x[chain];
  return first_lane(sum);
}
// [end: peak]

}  // namespace
}  // namespace hf::roofline

/// \file
/// A matrix product of bf16 numbers that are summed in fp32: on the instruction made for them, or widened to fp32 on the
/// way, whichever is faster here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/measure/memory.hpp"

namespace hf::precision {

enum class Bf16Route {
  dot,   ///< vdpbf16ps, bfdot: two products and a sum in each 32-bit lane
  widen  ///< a bf16 number is the upper half of a float: chapter 02's micro-kernel multiplies blocks widened to fp32
};

/// Whether this program was compiled for a processor that has the instruction.
bool has_bf16_dot();

/// The route that multiplies a small product faster on this machine, as seen when first asked. Zen 5's instruction is twice
/// as fast as its fp32; that of several Intel processors takes twice as long.
Bf16Route faster_bf16_route();

/// Weights in bf16, packed once in the order in which products read them: panels as wide as the micro-kernel's tile, in a
/// panel pairs of rows, in a pair the two numbers of each column side by side.
class PackedBf16 {
 public:
  /// \param b  (k, n), row-major without gaps
  PackedBf16(std::size_t n, std::size_t k, const std::uint16_t* b);

  /// c = a · b: a (m, k) in bf16 and c (m, n) in fp32, row-major without gaps, c apart from the others. A product of two
  /// bf16 numbers is exact in fp32; only the sums are rounded, in some order: to nearest, or by bfdot to odd. The
  /// instructions take subnormal numbers for 0, and make 0 of such sums (Intel, Software Developer's Manual, VDPBF16PS; Arm,
  /// Architecture Reference Manual, BFDOT). Any of m, n, k may be 0.
  /// \param threads  share the rows, or the columns where there are many more of those
  /// \param route  Bf16Route::dot only where has_bf16_dot()
  void multiply(std::size_t m, const std::uint16_t* a, float* c, int threads = 1,
                Bf16Route route = faster_bf16_route()) const;

 private:
  std::size_t n_, k_;
  Buffer panels_;
};

}  // namespace hf::precision

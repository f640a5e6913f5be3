/// \file
/// A matrix product of bf16 numbers with sums in fp32, on one thread. It uses the bf16 dot-product instruction or widens
/// the numbers to fp32, whichever is faster on this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/measure/memory.hpp"

namespace hf::precision {

enum class Bf16Route {
  dot,   ///< vdpbf16ps, bfdot: two products and a sum in each 32-bit lane
  widen  ///< a bf16 number is the upper half of a float: chapter 02's micro-kernel multiplies blocks widened to fp32
};

/// True if this program was compiled for a processor with the instruction.
bool has_bf16_dot();

/// Returns the route that computes a small product faster on this machine; the first call measures it. The instruction
/// is twice as fast as fp32 on Zen 5, but takes twice as long on several Intel processors.
Bf16Route faster_bf16_route();

/// Weights in bf16, packed once in the order in which products read them. A panel is as wide as the micro-kernel's tile
/// and consists of pairs of rows; in a pair, the two numbers of each column are neighbours.
class PackedBf16 {
 public:
  /// \param b  (k, n), row-major without gaps
  PackedBf16(std::size_t n, std::size_t k, const std::uint16_t* b);

  /// Computes c = a · b: a (m, k) in bf16 and c (m, n) in fp32, row-major without gaps; c must not overlap the others.
  /// A product of two bf16 numbers is exact in fp32; only the sums are rounded, in unspecified order: to nearest, or to
  /// odd by bfdot. The instructions treat subnormal inputs as 0 and flush subnormal sums to 0 (Intel, Software
  /// Developer's Manual, VDPBF16PS; Arm, Architecture Reference Manual, BFDOT). Any of m, n, k may be 0.
  /// \param route  Bf16Route::dot only if has_bf16_dot()
  void multiply(std::size_t m, const std::uint16_t* a, float* c, Bf16Route route = faster_bf16_route()) const;

  /// The same for the columns of c in the panels [first, last), with a in floats, which must be finite: they are rounded
  /// to bf16 while they are copied, or left as they are on the route that widens. Threads may share a product by its
  /// panels.
  void multiply(std::size_t m, const float* a, float* c, std::size_t first, std::size_t last,
                Bf16Route route = faster_bf16_route()) const;

  /// Returns a copy in separate memory.
  PackedBf16 copy() const;

  std::size_t columns() const { return n_; }
  std::size_t panels() const;  ///< each but the last has the same number of columns

 private:
  template <class OfA>
  void multiply_panels(std::size_t m, const OfA* a, float* c, std::size_t first, std::size_t last,
                       Bf16Route route) const;
  PackedBf16(std::size_t n, std::size_t k, Buffer panels) : n_(n), k_(k), panels_(std::move(panels)) {}

  std::size_t n_, k_;
  Buffer panels_;
};

}  // namespace hf::precision

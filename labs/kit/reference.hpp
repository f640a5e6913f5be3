/// \file
/// Bounds on the error of single precision. A result is compared with a reference in double precision that has its own
/// bound. The bounds follow from the unit roundoff u and the number n of roundings on the way to a result, in any order
/// of summation: n · u of the magnitudes summed (Higham, Accuracy and Stability of Numerical Algorithms, chapters 2 to
/// 4) or, since inputs are random, 8 √n · u if that is less (Higham and Mary, 2019).
#pragma once

#include <span>

namespace hf {

constexpr double unit_roundoff = 0x1p-24;     ///< of float
constexpr double smallest_normal = 0x1p-126;  ///< of float; below it, results may be flushed or lose digits

/// The relative error that n roundings may leave: γ(n).
double rounding_error(double n);

/// The right result, and how far from it a correct kernel may be.
struct Reference {
  double value;
  double bound;
};

/// The error of a kernel's result as a share of its bound: right if at most 1. Infinite if only one of the two is a
/// number, 0 if neither is.
double error_share(float result, const Reference& reference);

/// The largest error share of a whole array. \pre both have the same size
double worst_error_share(std::span<const float> results, std::span<const Reference> references);

}  // namespace hf

/// \file
/// A number of a product of e4m3 matrices, with its error bound on Hopper.
#pragma once

#include <algorithm>
#include <cmath>

#include "03-gpu/kernels/cuda/e4m3.hpp"
#include "kit/reference.hpp"

namespace hf::gpu {

/// Bits after a sum's leading one that the tensor cores keep ("about 14" with it: arXiv 2412.19437, section 3.3.2), and
/// the numbers that one instruction adds.
constexpr double kept_unit = 0x1p-13;
constexpr int summed_together = 32;

/// scale · Σ a[p] · b[p], k products, rounded to bf16. After each `promoted` products the sum leaves the tensor cores.
///
/// An instruction adds 33 numbers: 32 products and the sum so far. Of each it cuts off less than a unit, which is 2^-13
/// of the largest of them, or of the least normal product if that is larger; and of the result less than 2^-13. The sum
/// so far, and with it the unit, may differ from the exact one by the bound so far. Sums of promoted sums are in fp32.
inline Reference fp8_reference(const E4m3* a, const E4m3* b, int k, int promoted, float scale) {
  double total = 0, bound = 0, magnitude = 0;
  for (int begin = 0; begin < k; begin += promoted) {
    double sum = 0, lost = 0;
    for (int p = begin; p < std::min(begin + promoted, k); p += summed_together) {
      double largest = std::abs(sum) + lost;
      for (int q = p; q < std::min(p + summed_together, k); ++q) {
        const double x = to_float(a[q]), y = to_float(b[q]);
        largest = std::max(largest, std::max(std::abs(x), 0x1p-6) * std::max(std::abs(y), 0x1p-6));
        sum += x * y;
      }
      lost += kept_unit * (summed_together + 1) * largest;
      lost += kept_unit * (std::abs(sum) + lost);
    }
    total += sum;
    bound += lost;
    magnitude += std::abs(sum) + lost;
  }
  bound += rounding_error(k / promoted + 2.0) * magnitude;  // the additions, and the scale
  const double value = scale * total;
  bound *= std::abs(scale);
  return {value, bound + 0x1p-8 * (std::abs(value) + bound)};  // rounded to 8 binary digits
}

}  // namespace hf::gpu

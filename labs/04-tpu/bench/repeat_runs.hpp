/// \file
/// The same product again and again, on this processor and on the array: how much its time varies.
#pragma once

#include "04-tpu/kernels/int8_gemm.hpp"
#include "harness/lab.hpp"

namespace hf::tpu {

struct Repeats {
  Series processor, array;  ///< over the share of the calls: their time, sorted, relative to the median
  double ticks;             ///< of one call on the array, the least

  /// Of the processor: the call that only one in a hundred exceeds, over the median.
  const Estimate& p99_over_median() const { return processor.points.back().y; }
};

/// Times single calls of the 8-bit product in the present step of the lab, and simulates them.
Repeats measure_repeats(const Lab& lab, const Int8Kernel& kernel);

}  // namespace hf::tpu

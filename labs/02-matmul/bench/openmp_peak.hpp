/// \file
/// The peak on the threads that gemm() uses, to be sampled among products: threads of its own would find gemm()'s still
/// waiting on their cores, spinning, for some milliseconds.
#pragma once

#include "harness/peaks.hpp"

namespace hf::matmul {

/// As peak_variant(), on so many threads of OpenMP's team; without OpenMP, on a Team.
PeakVariant openmp_peak(int threads);

}  // namespace hf::matmul

/// \file
/// What others reached by the same steps, on GPUs that they had, and what we expect of ours.
#pragma once

#include "harness/lab.hpp"

namespace hf::gpu {

/// Adds the series quoted_sgemm_ladder (fp32, in % of cuBLAS) and quoted_bf16_ladder (TFLOP/s, the last point cuBLAS's own).
void add_quoted_ladders(Lab& lab);

/// Adds what the last rungs should reach of cuBLAS's speed, as it was written down before any of them had met a device: the
/// values sgemm_over_cublas_predicted_low and …_high, bf16_over_cublas_predicted_low and …_high.
void predict_ladders(Lab& lab);

}  // namespace hf::gpu

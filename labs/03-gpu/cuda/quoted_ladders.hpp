/// \file
/// What others reached by the same steps, on GPUs that they had.
#pragma once

#include "harness/lab.hpp"

namespace hf::gpu {

/// Adds the series quoted_sgemm_ladder (fp32, in % of cuBLAS) and quoted_bf16_ladder (TFLOP/s, the last point cuBLAS's own).
void add_quoted_ladders(Lab& lab);

}  // namespace hf::gpu

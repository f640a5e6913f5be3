/// \file
/// CUDA's qualifiers for a compiler that has none of them. Blocks run one after the other, so a block's shared
/// variables are static.
#pragma once

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static

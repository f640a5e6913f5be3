/// \file
/// CUDA's qualifiers for a compiler that has none of them, but for __shared__, which depends on what runs the threads.
#pragma once

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

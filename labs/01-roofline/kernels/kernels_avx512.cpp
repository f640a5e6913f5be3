#define KERNEL_SET kernels_avx512
#define KERNEL_SET_NAME "AVX-512"
#define KERNEL_SET_REQUIRED "avx512f avx512bw avx512dq avx512vl"
#include "01-roofline/kernels/kernel_set_definition.hpp"

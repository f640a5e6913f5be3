#define KERNEL_SET kernels_avx2
#define KERNEL_SET_NAME "AVX2"
#define KERNEL_SET_REQUIRED "avx2 fma"
#include "01-roofline/kernels/kernel_set_definition.hpp"

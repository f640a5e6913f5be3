#define KERNEL_SET kernels_avx
#define KERNEL_SET_NAME "AVX"
#define KERNEL_SET_REQUIRED "avx"
#include "01-roofline/kernels/kernel_set_definition.hpp"

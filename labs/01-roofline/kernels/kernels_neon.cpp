#define KERNEL_SET kernels_neon
#define KERNEL_SET_NAME "NEON"
#define KERNEL_SET_REQUIRED ""
#include "01-roofline/kernels/kernel_set_definition.hpp"

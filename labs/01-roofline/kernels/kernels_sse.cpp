#define KERNEL_SET kernels_sse
#define KERNEL_SET_NAME "SSE"
#define KERNEL_SET_REQUIRED ""
#include "01-roofline/kernels/kernel_set_definition.hpp"

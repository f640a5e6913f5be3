#define KERNEL_SET kernels_portable
#define KERNEL_SET_NAME "portable"
#define KERNEL_SET_REQUIRED ""
#include "01-roofline/kernels/kernel_set_definition.hpp"

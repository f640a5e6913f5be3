#include "kit/narrow/int8_gemm.hpp"
#include "kit/narrow/int8_gemm_loops.hpp"

namespace hf::tpu {

extern const Int8Kernel int8_gemm_neon_dot = this_int8_kernel("NEON dot product", "dotprod");

}  // namespace hf::tpu

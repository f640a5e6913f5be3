#include "kit/narrow/int8_gemm.hpp"
#include "kit/narrow/int8_gemm_loops.hpp"

namespace hf::tpu {

extern const Int8Kernel int8_gemm_portable = this_int8_kernel("plain vectors", "");

}  // namespace hf::tpu

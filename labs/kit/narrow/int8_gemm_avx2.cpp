#include "kit/narrow/int8_gemm.hpp"
#include "kit/narrow/int8_gemm_loops.hpp"

namespace hf::tpu {

extern const Int8Kernel int8_gemm_avx2 = this_int8_kernel("AVX2", "avx2");

}  // namespace hf::tpu

#include "kit/narrow/int8_gemm.hpp"
#include "kit/narrow/int8_gemm_loops.hpp"

namespace hf::tpu {

extern const Int8Kernel int8_gemm_avx_vnni = this_int8_kernel("AVX-VNNI", "avx2 avx_vnni");

}  // namespace hf::tpu

#include "kit/narrow/int8_gemm.hpp"
#include "kit/narrow/int8_gemm_loops.hpp"

namespace hf::tpu {

extern const Int8Kernel int8_gemm_avx512_vnni = this_int8_kernel("AVX-512 VNNI", "avx512f avx512bw avx512_vnni");

}  // namespace hf::tpu

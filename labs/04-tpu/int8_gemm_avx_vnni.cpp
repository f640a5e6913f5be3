#include "04-tpu/dot_instructions.hpp"
#include "04-tpu/int8_gemm.hpp"
#include "04-tpu/int8_gemm_loops.hpp"

namespace hf::tpu {

extern const Int8Kernel int8_gemm_avx_vnni = {"AVX-VNNI",    "avx2 avx_vnni", has_dot_product,
                                              multiply_int8, peak_operations, dot_peak};

}  // namespace hf::tpu

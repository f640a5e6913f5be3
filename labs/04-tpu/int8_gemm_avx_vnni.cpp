#include "04-tpu/dot_instructions.hpp"
#include "04-tpu/int8_gemm.hpp"
#include "04-tpu/int8_gemm_loops.hpp"

namespace hf::tpu {

extern const Int8Kernel int8_gemm_avx_vnni = {.name = "AVX-VNNI",
                                              .required = "avx2 avx_vnni",
                                              .has_dot_product = has_dot_product,
                                              .tile_rows = tile_rows,
                                              .tile_columns = tile_columns,
                                              .group = dot_group,
                                              .offset_of_a = offset_of_a,
                                              .multiply_panels = multiply_panels,
                                              .peak_operations = peak_operations,
                                              .peak = dot_peak};

}  // namespace hf::tpu

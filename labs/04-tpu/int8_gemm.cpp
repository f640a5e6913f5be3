#include "04-tpu/int8_gemm.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/machine.hpp"

namespace hf::tpu {

#if defined(__x86_64__)
extern const Int8Kernel int8_gemm_avx512_vnni, int8_gemm_avx_vnni, int8_gemm_avx2;
#elif defined(__aarch64__)
extern const Int8Kernel int8_gemm_neon_dot;
#endif
extern const Int8Kernel int8_gemm_portable;

std::vector<const Int8Kernel*> int8_kernels(const Machine& machine) {
  std::vector<const Int8Kernel*> kernels = {
#if defined(__x86_64__)
    &int8_gemm_avx512_vnni,
    &int8_gemm_avx_vnni,
    &int8_gemm_avx2,
#elif defined(__aarch64__)
    &int8_gemm_neon_dot,
#endif
    &int8_gemm_portable
  };
  std::erase_if(kernels, [&](const Int8Kernel* kernel) { return !machine.has_all(kernel->required); });
  return kernels;
}

std::vector<std::int64_t> plain_int8_product(std::size_t m, std::size_t n, std::size_t k, const std::uint8_t* a,
                                             const std::int8_t* b) {
  std::vector<std::int64_t> c(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += std::int64_t{a[i * k + p]} * b[p * n + j];
    }
  }
  return c;
}

}  // namespace hf::tpu

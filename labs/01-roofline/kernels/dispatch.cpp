#include "01-roofline/kernels/dispatch.hpp"

#include <vector>

#include "01-roofline/kernels/dot_product.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "harness/machine/machine.hpp"
#include "kit/streams/stream_set.hpp"

namespace hf::roofline {

#if defined(__x86_64__)
extern const KernelSet kernels_sse, kernels_avx, kernels_avx2, kernels_avx512;
#elif defined(__aarch64__)
extern const KernelSet kernels_neon;
#else
extern const KernelSet kernels_portable;
#endif

std::vector<const KernelSet*> kernel_sets(const Machine& machine) {
#if defined(__x86_64__)
  return runnable<KernelSet>({&kernels_sse, &kernels_avx, &kernels_avx2, &kernels_avx512}, machine);
#elif defined(__aarch64__)
  return runnable<KernelSet>({&kernels_neon}, machine);
#else
  return runnable<KernelSet>({&kernels_portable}, machine);
#endif
}

std::vector<const DotProductLoop*> dot_product_loops([[maybe_unused]] const Machine& machine) {
#if defined(__x86_64__) || defined(__aarch64__)
  return runnable<DotProductLoop>({&bf16_loop, &int8_loop}, machine);
#else
  return {};
#endif
}

}  // namespace hf::roofline

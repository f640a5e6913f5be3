#include "03-gpu/kernels/emulator/sgemm_observed.hpp"

#include "03-gpu/kernels/emulator/cuda_words.hpp"
// The kernels are included after the definitions that they need.
#include <vector>

#include "03-gpu/kernels/cuda/sgemm.cuh"
#include "03-gpu/kernels/cuda/sgemm_rungs.cuh"

namespace hf::emulator {

std::vector<ObservedRung> observed_sgemm_rungs() {
  std::vector<ObservedRung> rungs;
  for (const gpu::SgemmRung& rung : gpu::sgemm_rungs()) {
    rungs.push_back({rung.id, rung.label, rung.multiple,
                     [multiply = rung.multiply](int m, int n, int k, const float* a, const float* b, float* c) {
                       multiply({m, n, k}, a, b, c);
                     }});
  }
  return rungs;
}

}  // namespace hf::emulator

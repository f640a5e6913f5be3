// A fault planted in the ladder's warp tile (CMakeLists.txt), which makes no product wrong here.
#include "03-gpu/kernels/emulator/cuda_words.hpp"
#include "faulty.hpp"

// Under a name of its own, beside the right one.
#undef gpu
#define gpu gpu_with_a_fault
namespace hf::gpu {
using namespace gpu_on_emulator;
}
#include "sgemm_copies_too_early.cuh"

namespace hf::emulator {

void multiplies_with_copies_too_early(int m, int n, int k, const float* a, const float* b, float* c) {
  gpu::sgemm_warp_tile({m, n, k}, a, b, c);
}

}  // namespace hf::emulator

// Accesses of one warp to shared memory, for a profiler: prints each kernel's name and the wavefronts that the emulator
// counts for its loads or its stores, to be compared with Nsight Compute's
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum and _op_st.sum.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "bank_patterns.cuh"
#include "kit/cuda/timing.cuh"

int main() {
  using namespace hf;
  int wrong = 0;
  try {
    for (const gpu::BankPattern& pattern : gpu::bank_patterns) {
      cuda::DeviceArray<float> to(static_cast<std::size_t>(gpu::pattern_lanes * pattern.numbers));
      to.poison();
      pattern.run(to.data());
      cuda::finish(pattern.name);
      const bool right = gpu::is_right(pattern, to.to_host().data());
      wrong += !right;
      std::printf("%-30s %s %3u%s\n", pattern.name, pattern.stores ? "st" : "ld", pattern.wavefronts,
                  right ? "" : " WRONG");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "banks-03-gpu: %s\n", error.what());
    return 2;
  }
  return wrong;
}

/// \file
/// The bf16 ladder, in order.
#pragma once

#include <vector>

#include "03-gpu/cuda/bf16_gemm_hopper.cuh"
#include "03-gpu/cuda/bf16_gemm_persistent.cuh"
#include "03-gpu/cuda/bf16_gemm_wmma.cuh"

namespace hf::gpu {

inline std::vector<Bf16Rung> bf16_rungs() {
  return {{"wmma", "WMMA", bf16_wmma, false},
          {"tma", "TMA + WGMMA", bf16_tma, true},
          {"pipeline", "producer/consumer", bf16_pipeline, true}};
}

/// The last rung, with tiles in bands of so many pairs of rows; the fastest of them stands on the ladder.
inline std::vector<Bf16Rung> bf16_persistents() {
  return {{"persistent_4", "bands of 4", bf16_persistent<4>, true},
          {"persistent_8", "bands of 8", bf16_persistent<8>, true},
          {"persistent_16", "bands of 16", bf16_persistent<16>, true}};
}

}  // namespace hf::gpu

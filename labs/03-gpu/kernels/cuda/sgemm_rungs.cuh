/// \file
/// The fp32 ladder, in order.
#pragma once

#include <vector>

#include "03-gpu/kernels/cuda/sgemm_register_ports.cuh"
#include "03-gpu/kernels/cuda/sgemm_simple.cuh"
#include "03-gpu/kernels/cuda/sgemm_tiled.cuh"
#include "03-gpu/kernels/cuda/sgemm_warp_tile.cuh"

namespace hf::gpu {

inline std::vector<SgemmRung> sgemm_rungs() {
  return {{"naive", "naive", sgemm_naive, 1},
          {"coalesced", "coalesced", sgemm_coalesced, 1},
          {"shared_tile", "shared tile", sgemm_shared_tile, 1},
          {"register_tile", "register tile", sgemm_register_tile, 1},
          {"vectorised", "vectorised", sgemm_vectorised, 4},
          {"warp_tile", "warp tile", sgemm_warp_tile, 4, sizeof(WarpTiles)},
          {"register_ports", "register ports", sgemm_register_ports, 4, sizeof(RegisterPortsTiles)}};
}

}  // namespace hf::gpu

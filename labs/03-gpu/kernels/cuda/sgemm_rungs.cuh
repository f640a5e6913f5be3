/// \file
/// The fp32 ladder, in order.
#pragma once

#include <vector>

#include "03-gpu/kernels/cuda/sgemm_simple.cuh"
#include "03-gpu/kernels/cuda/sgemm_tiled.cuh"
#include "03-gpu/kernels/cuda/sgemm_warp_tile.cuh"

namespace hf::gpu {

inline std::vector<SgemmRung> sgemm_rungs() {
  return {{"naive", "naive", sgemm_naive, 1},
          {"coalesced", "coalesced", sgemm_coalesced, 1},
          {"shared_tile", "shared tile", sgemm_shared_tile, 1},
          {"register_tile", "register tile", sgemm_register_tile, 1},
          {"vectorised", "vectorised", sgemm_vectorised, 4}};
}

/// The last rung, in the sizes that are tried; the fastest of them joins the ladder.
inline std::vector<SgemmRung> sgemm_warp_tiles() {
  return {{"warp_tile_16", "128 x 128, 16 deep", sgemm_warp_tile<WarpTiling<128, 128, 16, 64, 64, 2>>, 4},
          {"warp_tile_32", "128 x 128, 32 deep", sgemm_warp_tile<WarpTiling<128, 128, 32, 64, 64, 2>>, 4},
          {"warp_tile_wide", "128 x 256, 32 deep", sgemm_warp_tile<WarpTiling<128, 256, 32, 64, 64, 1>>, 4}};
}

}  // namespace hf::gpu

/// \file
/// The bf16 ladder, in order.
#pragma once

#include <vector>

#include "03-gpu/kernels/cuda/bf16_gemm_hopper.cuh"
#include "03-gpu/kernels/cuda/bf16_gemm_mma_sync.cuh"
#include "03-gpu/kernels/cuda/bf16_gemm_persistent.cuh"
#include "03-gpu/kernels/cuda/bf16_gemm_wmma.cuh"

namespace hf::gpu {

/// The last rung without its clusters: each block fetches all of its own tiles.
struct Alone {
  static constexpr Way way = {.rows_together = 8, .cluster_rows = 1, .l2_hints = true, .stores_squares = true};
};

inline std::vector<Bf16Rung> bf16_rungs() {
  return {{"wmma", "WMMA", bf16_wmma, false},
          {"mma_sync", "cp.async + mma.sync", bf16_mma_sync, false},
          {"tma", "TMA + WGMMA", bf16_tma, true},
          {"pipeline", "producer/consumer", bf16_pipeline, true},
          {"persistent_alone", "persistent", bf16_persistent<Alone>, true}};
}

struct Bands4 {
  static constexpr Way way = {.rows_together = 4};
};
struct Bands8 {
  static constexpr Way way = {.rows_together = 8};
};
struct Bands16 {
  static constexpr Way way = {.rows_together = 16};
};
struct Hints {
  static constexpr Way way = {.rows_together = 8, .l2_hints = true};
};
struct Squares {
  static constexpr Way way = {.rows_together = 8, .stores_squares = true};
};
struct HintsAndSquares {
  static constexpr Way way = {.rows_together = 8, .l2_hints = true, .stores_squares = true};
};
struct Fours {
  static constexpr Way way = {.rows_together = 8, .cluster_columns = 2, .l2_hints = true, .stores_squares = true};
};
struct Split {
  static constexpr Way way = {.rows_together = 8, .l2_hints = true, .stores_squares = true, .splits_last = true};
};

/// The last rung's variants; the fastest of them joins the ladder.
inline std::vector<Bf16Rung> bf16_persistents() {
  return {{"persistent_4", "bands of 4", bf16_persistent<Bands4>, true},
          {"persistent_8", "bands of 8", bf16_persistent<Bands8>, true},
          {"persistent_16", "bands of 16", bf16_persistent<Bands16>, true},
          {"persistent_hints", "L2 hints", bf16_persistent<Hints>, true},
          {"persistent_squares", "stores of squares", bf16_persistent<Squares>, true},
          {"persistent_both", "hints and squares", bf16_persistent<HintsAndSquares>, true},
          {"persistent_fours", "clusters of 2 × 2", bf16_persistent<Fours>, true},
          {"persistent_split", "last tiles shared", bf16_persistent<Split>, true}};
}

}  // namespace hf::gpu

/// \file
/// A matrix of weights times one vector, or a few: what a model does for each token that it writes. Each weight is
/// needed once for each vector, so the time is that of reading the weights. A warp computes a few rows of the result; a
/// thread of it has 16 bytes of each row on their way at a time.
#pragma once

#include <cstdint>

#include "03-gpu/kernels/cuda/gemv_formats.hpp"
#include "03-gpu/kernels/cuda/sgemm.cuh"

namespace hf::gpu {

/// Eight numbers are decoded at a time: as many as 16 bytes of a vector in bf16 hold.
using Eight = float[8];

/// 16 bytes that nobody needs again: L1 keeps the vector instead.
__device__ inline uint4 load_once(const void* from) { return __ldcs(static_cast<const uint4*>(from)); }

__device__ inline float float_of(std::uint32_t bits) { return __uint_as_float(bits); }

/// Two numbers in bf16 from each word.
__device__ inline void decode(Bf16Weights, const std::uint32_t (&words)[4], int, Eight& to) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = float_of(words[i] << 16);
    to[2 * i + 1] = float_of(words[i] & 0xffff0000u);
  }
}

/// Numbers 8 · part and following of a piece. In fp32, sign and exponent lie four bits further apart: with the exponent
/// in its lower bits, a number is 2^120 times too small, and subnormal numbers come out right too.
__device__ inline void decode(E4m3Weights, const std::uint32_t (&words)[4], int part, Eight& to) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t top = words[2 * part + i / 4] << (24 - i % 4 * 8);
    to[i] = float_of(static_cast<std::uint32_t>(static_cast<std::int32_t>(top) >> 4) & 0x87f00000u) * 0x1p120f;
  }
}

/// A float of 2^23 has whole numbers in its lower bits, so four bits at any place there become a number: one operation
/// inserts them, another takes 2^23 and the 8 away again and shifts, without rounding.
__device__ inline void decode(FourBitWeights, const std::uint32_t (&words)[4], int part, Eight& to) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int place = i % 4 * 4;
    const float unit = 1.0f / static_cast<float>(1 << place);
    const float number = float_of((words[part] >> i / 4 * 16 & 15u << place) | 0x4b000000u);
    to[i] = number * unit - (0x1p23f * unit + 8);
  }
}

/// A piece's scale; one that changes nothing if the format has none.
template <class Weights>
__device__ float scale_of_piece(const PackedMatrix& weights, std::int64_t piece) {
  if constexpr (Weights::scales_pieces) return to_float(weights.piece_scales[piece]);
  return 1;
}

/// The sum over a warp, in all its threads.
__device__ inline float sum_over_warp(float sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  return sum;
}

constexpr int gemv_threads = 256;  ///< of a block

/// Several rows of the weights times several vectors of x (batch, columns): each thread's part of the sums. Rows
/// outside the matrix repeat its last.
template <class Weights, int rows, int batch>
__device__ void multiply_rows(const PackedMatrix& weights, const Bf16* x, int first, float (&sums)[rows][batch]) {
  const int pieces_in_row = weights.columns / Weights::numbers;
  std::int64_t begin[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) begin[r] = std::int64_t{min(first + r, weights.rows - 1)} * pieces_in_row;
  [[maybe_unused]] constexpr int at_once = batch <= 4 ? 2 : 1;  // pieces, as long as registers permit
#pragma unroll at_once
  for (int piece = threadIdx.x % 32; piece < pieces_in_row; piece += 32) {
    std::uint32_t words[rows][4];
    float scales[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const uint4 loaded = load_once(weights.numbers + (begin[r] + piece) * piece_bytes);
      words[r][0] = loaded.x, words[r][1] = loaded.y, words[r][2] = loaded.z, words[r][3] = loaded.w;
      scales[r] = scale_of_piece<Weights>(weights, begin[r] + piece);
    }
#pragma unroll
    for (int part = 0; part < Weights::numbers / 8; ++part) {
      Eight of_row[rows], of_x;
#pragma unroll
      for (int r = 0; r < rows; ++r) decode(Weights(), words[r], part, of_row[r]);
#pragma unroll
      for (int vector = 0; vector < batch; ++vector) {
        const Bf16* at = x + vector * weights.columns + piece * Weights::numbers + part * 8;
        const uint4 loaded = *reinterpret_cast<const uint4*>(at);
        decode(Bf16Weights(), {loaded.x, loaded.y, loaded.z, loaded.w}, 0, of_x);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          float sum = 0;
#pragma unroll
          for (int i = 0; i < 8; ++i) sum += of_row[r][i] * of_x[i];
          sums[r][vector] += scales[r] * sum;
        }
      }
    }
  }
}

/// to(row, vector, sum) for every row of the weights and every vector: `to` rounds, adds or stores.
template <class Weights, int rows, int batch, class To>
__global__ void __launch_bounds__(gemv_threads)
    gemv_kernel(PackedMatrix weights, const Bf16* x, To to) {  // x (batch, columns)
  const int warp = (blockIdx.x * gemv_threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const int first = warp * rows;
  if (first >= weights.rows) return;
  float sums[rows][batch] = {};
  multiply_rows<Weights>(weights, x, first, sums);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int row = first + r;
#pragma unroll
    for (int vector = 0; vector < batch; ++vector) {
      const float sum = sum_over_warp(sums[r][vector]);
      if (lane != 0 || row >= weights.rows) continue;
      if constexpr (Weights::scales_rows) {
        to(row, vector, sum * weights.row_scales[row]);
      } else {
        to(row, vector, sum);
      }
    }
  }
}

/// Blocks of a product's grid.
template <int rows>
constexpr int gemv_blocks(int all_rows) {
  return pieces(all_rows, rows * gemv_threads / 32);
}

/// y (batch, rows)
struct StoreProduct {
  float* y;
  int rows;
  __device__ void operator()(int row, int vector, float sum) const { y[vector * rows + row] = sum; }
};

/// Rows for a warp: so that many sums remain in its registers, and 16 bytes of a vector serve several rows.
constexpr int gemv_rows(int batch) { return batch <= 8 ? 4 : batch <= 16 ? 2 : 1; }

/// y (batch, rows) = x (batch, columns) · weightsᵀ
template <class Weights, int batch>
void gemv(const PackedMatrix& weights, const Bf16* x, float* y) {
  constexpr int rows = gemv_rows(batch);
  constexpr auto kernel = gemv_kernel<Weights, rows, batch, StoreProduct>;
  const StoreProduct to = {y, weights.rows};
  HF_LAUNCH(kernel, gemv_blocks<rows>(weights.rows), gemv_threads, weights, x, to);
}

}  // namespace hf::gpu

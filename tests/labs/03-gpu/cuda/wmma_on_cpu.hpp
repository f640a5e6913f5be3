/// \file
/// Fragments for cuda_on_cpu.hpp: every thread of a warp holds and computes a whole fragment; the threads share the
/// work of storing.
#pragma once

#include "cuda_on_cpu.hpp"
// The code below is written for a device.
#include "03-gpu/kernels/cuda/bf16_gemm.cuh"

using __nv_bfloat16 = hf::gpu::Bf16;

namespace hf::gpu {

/// The same as in bf16_gemm.cuh.
inline std::uint32_t rounded_pair(float first, float second) {
  return to_bf16(first).bits | static_cast<std::uint32_t>(to_bf16(second).bits) << 16;
}
inline void store_pair(Bf16* to, float first, float second) {
  to[0] = to_bf16(first);
  to[1] = to_bf16(second);
}

}  // namespace hf::gpu

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major };

/// A square, by rows (for b: by columns).
template <class Use, int m, int n, int k, class Number, class Layout = void>
struct fragment {
  static_assert(m == 16 && n == 16 && k == 16);
  float numbers[16][16];
};

template <class Fragment>
void fill_fragment(Fragment& to, float value) {
  for (auto& row : to.numbers) std::fill(std::begin(row), std::end(row), value);
}

template <class Sums, class A, class B>
void mma_sync(Sums& to, const A& a, const B& b, const Sums& from) {
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      float sum = from.numbers[i][j];
      for (int p = 0; p < 16; ++p) sum += a.numbers[i][p] * b.numbers[j][p];
      to.numbers[i][j] = sum;
    }
  }
}

template <class Fragment>
void store_matrix_sync(float* to, const Fragment& from, unsigned stride, layout_t) {
  for (unsigned at = threadIdx.x % 32; at < 256; at += 32)
    to[at / 16 * stride + at % 16] = from.numbers[at / 16][at % 16];
}

}  // namespace nvcuda::wmma

namespace hf::gpu {

/// The same as in bf16_gemm_wmma.cuh. a is stored by rows and b by columns: lines along the summed index in both.
template <class Fragment>
void load_rows(Fragment& to, const __nv_bfloat16* from, unsigned stride) {
  for (int i = 0; i < 16; ++i) {
    for (int p = 0; p < 16; ++p) to.numbers[i][p] = hf::gpu::to_float(from[i * stride + p]);
  }
}

template <class Fragment>
void load_columns(Fragment& to, const __nv_bfloat16* from, unsigned stride) {
  load_rows(to, from, stride);
}

}  // namespace hf::gpu

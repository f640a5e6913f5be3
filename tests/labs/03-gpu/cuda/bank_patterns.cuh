/// \file
/// Patterns of one warp's accesses to shared memory, each in a kernel with one such request, and the wavefronts that the
/// emulator counts for it. banks.cu runs them on a GPU, where a profiler's counts can be compared with these.
#pragma once

#include "03-gpu/kernels/cuda/sgemm_warp_tile.cuh"

// Kernel, numbers that a thread moves at once, its first word, wavefronts.
#define HF_BANK_LOADS(X)                                                  \
  X(load_4_row, float, lane, 1)                                           \
  X(load_4_one_word, float, 0, 1)                                         \
  X(load_4_stride_2, float, 2 * lane, 2)                                  \
  X(load_4_stride_32, float, 32 * lane, 32)                               \
  X(load_4_stride_33, float, 33 * lane, 1)                                \
  X(load_8_row, float2, 2 * lane, 2)                                      \
  X(load_8_one_place, float2, 0, 1)                                       \
  X(load_8_equal_pairs, float2, lane / 2 * 2, 1)                          \
  X(load_8_every_second_equal, float2, (lane % 2 + lane / 4 * 2) * 2, 1)  \
  X(load_8_four_places, float2, lane % 4 * 2, 2)                          \
  X(load_8_equal_halves, float2, lane % 16 * 2, 2)                        \
  X(load_8_stride_4, float2, 4 * lane, 4)                                 \
  X(load_16_row, float4, 4 * lane, 4)                                     \
  X(load_16_one_place, float4, 0, 2)                                      \
  X(load_16_equal_pairs, float4, lane / 2 * 4, 2)                         \
  X(load_16_every_second_equal, float4, (lane % 2 + lane / 4 * 2) * 4, 2) \
  X(load_16_four_places_in_pairs, float4, lane / 2 % 4 * 4, 2)            \
  X(load_16_four_places, float4, lane % 4 * 4, 4)                         \
  X(load_16_eight_places, float4, lane % 8 * 4, 4)                        \
  X(load_16_warp_tile_rows, float4, row_in_warp(lane) * 36, 2)            \
  X(load_16_warp_tile_columns, float4, column_in_warp(lane) * 4, 2)       \
  X(load_16_padded_rows, float4, 36 * lane, 4)                            \
  X(load_16_stride_8, float4, 8 * lane, 8)                                \
  X(load_16_stride_32, float4, 32 * lane, 32)
#define HF_BANK_STORES(X)                       \
  X(store_4_row, float, lane, 1)                \
  X(store_4_stride_32, float, 32 * lane, 32)    \
  X(store_4_stride_33, float, 33 * lane, 1)     \
  X(store_8_row, float2, 2 * lane, 2)           \
  X(store_8_stride_4, float2, 4 * lane, 4)      \
  X(store_16_row, float4, 4 * lane, 4)          \
  X(store_16_padded_rows, float4, 36 * lane, 4) \
  X(store_16_stride_8, float4, 8 * lane, 8)

namespace hf::gpu {

constexpr int pattern_lanes = 32, pattern_words = 36 * pattern_lanes;

/// What a word contains.
__host__ __device__ constexpr float pattern_number(int word) { return static_cast<float>(3 * word + 1); }

__device__ inline void set_numbers(float& at, int word) { at = pattern_number(word); }
__device__ inline void set_numbers(float2& at, int word) { at = {pattern_number(word), pattern_number(word + 1)}; }
__device__ inline void set_numbers(float4& at, int word) {
  at = {pattern_number(word), pattern_number(word + 1), pattern_number(word + 2), pattern_number(word + 3)};
}

#define HF_LOAD_KERNEL(name, Numbers, first_word, wavefronts)                                       \
  static __global__ void name(float* to) {                                                          \
    __shared__ __align__(16) float words[pattern_words];                                            \
    const int lane = threadIdx.x;                                                                   \
    for (int i = lane; i < pattern_words; i += pattern_lanes) words[i] = pattern_number(i);         \
    __syncthreads();                                                                                \
    reinterpret_cast<Numbers*>(to)[lane] = *reinterpret_cast<const Numbers*>(words + (first_word)); \
  }
HF_BANK_LOADS(HF_LOAD_KERNEL)
#undef HF_LOAD_KERNEL

/// Each thread loads what another one has stored.
#define HF_STORE_KERNEL(name, Numbers, first_word, wavefronts)                                      \
  static __global__ void name(float* to) {                                                          \
    __shared__ __align__(16) float words[pattern_words];                                            \
    int lane = threadIdx.x;                                                                         \
    set_numbers(*reinterpret_cast<Numbers*>(words + (first_word)), first_word);                     \
    __syncthreads();                                                                                \
    lane = pattern_lanes - 1 - lane;                                                                \
    reinterpret_cast<Numbers*>(to)[lane] = *reinterpret_cast<const Numbers*>(words + (first_word)); \
  }
HF_BANK_STORES(HF_STORE_KERNEL)
#undef HF_STORE_KERNEL

struct BankPattern {
  const char* name;     ///< of the kernel
  bool stores;          ///< which it is about
  unsigned wavefronts;  ///< of the loads, or stores
  int numbers;          ///< for each lane
  int (*first_word)(int lane);
  void (*run)(float* to);  ///< (lanes, numbers)
};

#define HF_PATTERN(name, Numbers, first_word, wavefronts, stores) \
  {#name,                                                         \
   stores,                                                        \
   wavefronts,                                                    \
   sizeof(Numbers) / sizeof(float),                               \
   []([[maybe_unused]] int lane) { return first_word; },          \
   [](float* to) { HF_LAUNCH(name, 1, pattern_lanes, to); }},
#define HF_LOAD_PATTERN(...) HF_PATTERN(__VA_ARGS__, false)
#define HF_STORE_PATTERN(...) HF_PATTERN(__VA_ARGS__, true)
inline const BankPattern bank_patterns[] = {HF_BANK_LOADS(HF_LOAD_PATTERN) HF_BANK_STORES(HF_STORE_PATTERN)};
#undef HF_PATTERN
#undef HF_LOAD_PATTERN
#undef HF_STORE_PATTERN

/// True if a pattern's result (lanes, numbers) is right.
inline bool is_right(const BankPattern& pattern, const float* result) {
  for (int at = 0; at < pattern_lanes * pattern.numbers; ++at) {
    const int word = pattern.first_word(at / pattern.numbers) + at % pattern.numbers;
    if (result[at] != pattern_number(word)) return false;
  }
  return true;
}

}  // namespace hf::gpu

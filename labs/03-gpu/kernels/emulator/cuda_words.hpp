/// \file
/// The parts of CUDA that kernels use, for the emulator. Included before a kernel's source, in a file that is compiled
/// with observe_accesses() (labs/03-gpu/CMakeLists.txt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "03-gpu/kernels/emulator/cuda_qualifiers.hpp"  // IWYU pragma: export
#include "03-gpu/kernels/emulator/emulator.hpp"
#include "03-gpu/kernels/emulator/launch.hpp"

#define HF_LAUNCH(kernel, grid, block, ...) HF_LAUNCH_SHARED(kernel, 0, grid, block, __VA_ARGS__)
#define HF_LAUNCH_SHARED(kernel, bytes, grid, block, ...) \
  ::hf::emulator::launch(grid, block, bytes, [=] { kernel(__VA_ARGS__); })

/// Blocks run one after the other in one thread, so they can share its variables, which lie apart from all others. An extern
/// one is refused: see shared_tiles().
#define __shared__ static thread_local

#define threadIdx (::hf::emulator::here.thread)
#define blockIdx (::hf::emulator::here.block)
#define blockDim (::hf::emulator::here.block_size)
#define gridDim (::hf::emulator::here.grid_size)

using hf::emulator::dim3;
constexpr int warpSize = hf::emulator::warp_threads;

/// A part of a kernel, so that messages name the kernel's own line.
#define HF_WORD __attribute__((always_inline)) inline

/// Vectors, which may alias their numbers, as on the device, and are loaded and stored whole.
#define HF_WHOLE(name, number, bytes)                                         \
  name() = default;                                                           \
  HF_WORD name(const name& from) { *this = from; }                            \
  HF_WORD name& operator=(const name& from) {                                 \
    using Whole = number __attribute__((vector_size(bytes), may_alias));      \
    *reinterpret_cast<Whole*>(this) = *reinterpret_cast<const Whole*>(&from); \
    return *this;                                                             \
  }
#define HF_VECTORS(number, name)                                                                  \
  struct __attribute__((aligned(8), may_alias)) name##2 {                                         \
    number x = 0, y = 0;                                                                          \
    constexpr name##2(number x_, number y_) : x(x_), y(y_) {}                                     \
    HF_WHOLE(name##2, number, 8)                                                                  \
  };                                                                                              \
  struct __attribute__((aligned(16), may_alias)) name##4 {                                        \
    number x = 0, y = 0, z = 0, w = 0;                                                            \
    constexpr name##4(number x_, number y_, number z_, number w_) : x(x_), y(y_), z(z_), w(w_) {} \
    HF_WHOLE(name##4, number, 16)                                                                 \
  };                                                                                              \
  constexpr name##2 make_##name##2(number x, number y) { return {x, y}; }                         \
  constexpr name##4 make_##name##4(number x, number y, number z, number w) { return {x, y, z, w}; }
HF_VECTORS(float, float)
HF_VECTORS(int, int)
HF_VECTORS(unsigned, uint)
#undef HF_VECTORS
#undef HF_WHOLE

template <class T, class Other>
constexpr auto min(T a, Other b) {
  return b < a ? b : a;
}
template <class T, class Other>
constexpr auto max(T a, Other b) {
  return a < b ? b : a;
}
template <class T>
HF_WORD T __ldg(const T* from) {
  return *from;
}

HF_WORD void __syncthreads() { hf::emulator::meet_block(); }
HF_WORD void __syncwarp(unsigned lanes = 0xffffffff) { hf::emulator::meet_warp(lanes); }

// A separate namespace, because a program may have the same functions for a device.
#define gpu gpu_on_emulator

namespace hf::gpu {

template <class T>
HF_WORD T from_lane(unsigned lanes, T mine, unsigned from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &mine, sizeof mine);
  bits = ::hf::emulator::exchange(lanes, bits, from);
  __builtin_memcpy(&mine, &bits, sizeof mine);
  return mine;
}

/// Changes a number, with nothing in between. \return what it was
template <class T, class Change>
HF_WORD T atomically(T* at, Change change) {
  T before;
  ::hf::emulator::begin_change(at, &before, sizeof before);
  const T after = change(before);
  ::hf::emulator::end_change(at, &after, sizeof after);
  return before;
}

}  // namespace hf::gpu

// Each lane gets the number of another one of its `width` lanes; its own, if there is no such lane.
template <class T>
HF_WORD T __shfl_sync(unsigned lanes, T mine, int lane, int width = warpSize) {
  const unsigned first = hf::emulator::lane() / width * width;
  return hf::gpu::from_lane(lanes, mine, first + static_cast<unsigned>(lane) % width);
}
template <class T>
HF_WORD T __shfl_up_sync(unsigned lanes, T mine, unsigned by, int width = warpSize) {
  const unsigned lane = hf::emulator::lane();
  return hf::gpu::from_lane(lanes, mine, lane % width >= by ? lane - by : lane);
}
template <class T>
HF_WORD T __shfl_down_sync(unsigned lanes, T mine, unsigned by, int width = warpSize) {
  const unsigned lane = hf::emulator::lane();
  return hf::gpu::from_lane(lanes, mine, lane % width + by < static_cast<unsigned>(width) ? lane + by : lane);
}
template <class T>
HF_WORD T __shfl_xor_sync(unsigned lanes, T mine, int bits, int width = warpSize) {
  const unsigned lane = hf::emulator::lane(), other = lane ^ static_cast<unsigned>(bits);
  return hf::gpu::from_lane(lanes, mine, other / width <= lane / width ? other : lane);
}

HF_WORD unsigned __ballot_sync(unsigned lanes, int mine) {
  return static_cast<unsigned>(hf::emulator::vote(lanes, mine != 0));
}
HF_WORD int __any_sync(unsigned lanes, int mine) { return hf::emulator::vote(lanes, mine != 0) != 0; }
HF_WORD int __all_sync(unsigned lanes, int mine) { return hf::emulator::vote(lanes, mine == 0) == 0; }

#define HF_ATOMIC(name, result)                                            \
  template <class T>                                                       \
  HF_WORD T name(T* at, std::type_identity_t<T> value) {                   \
    return hf::gpu::atomically(at, [&](T before) -> T { return result; }); \
  }
HF_ATOMIC(atomicAdd, before + value)
HF_ATOMIC(atomicSub, before - value)
HF_ATOMIC(atomicMax, max(before, value))
HF_ATOMIC(atomicMin, min(before, value))
HF_ATOMIC(atomicExch, (static_cast<void>(before), value))
#undef HF_ATOMIC
template <class T>
HF_WORD T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return hf::gpu::atomically(at, [&](T before) -> T { return before == expected ? value : before; });
}

// As in cuda_pipeline.h: copies from global to shared memory, of 4, 8 or 16 bytes.
HF_WORD void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros = 0) {
  hf::emulator::begin_copy(to, from, bytes, bytes - zeros);
}
HF_WORD void __pipeline_commit() { hf::emulator::end_copy_group(); }
HF_WORD void __pipeline_wait_prior(unsigned groups) { hf::emulator::wait_for_copy_groups(groups); }

namespace hf::gpu {

/// The same as in sgemm_warp_tile.cuh.
template <class Tiles>
HF_WORD Tiles& shared_tiles() {
  return *reinterpret_cast<Tiles*>(::hf::emulator::dynamic_shared());
}

/// The same as in sgemm_warp_tile.cuh.
HF_WORD void copy_async(float* to, const float* from, bool inside) {
  ::hf::emulator::begin_copy(to, from, 4 * sizeof(float), inside ? 4 * sizeof(float) : 0);
}
HF_WORD void copy_number_async(float* to, const float* from, bool inside) {
  ::hf::emulator::begin_copy(to, from, sizeof(float), inside ? sizeof(float) : 0);
}
HF_WORD void wait_for_copies() { ::hf::emulator::wait_for_all_copies(); }

}  // namespace hf::gpu

/// \file
/// The parts of CUDA that kernels use, for the emulator. Included before a kernel's source, in a file that is compiled
/// with observe_accesses() (labs/03-gpu/CMakeLists.txt).
#pragma once

#include <algorithm>

#include "03-gpu/kernels/emulator/cuda_qualifiers.hpp"  // IWYU pragma: export
#include "03-gpu/kernels/emulator/launch.hpp"

#define HF_LAUNCH(kernel, grid, block, ...) ::hf::emulator::launch(grid, block, [=] { kernel(__VA_ARGS__); })
#define HF_LAUNCH_SHARED(kernel, bytes, grid, block, ...) HF_LAUNCH(kernel, grid, block, __VA_ARGS__)

#define threadIdx (::hf::emulator::here.thread)
#define blockIdx (::hf::emulator::here.block)
#define blockDim (::hf::emulator::here.block_size)
#define gridDim (::hf::emulator::here.grid_size)

/// It may alias floats, as on the device, and is loaded and stored whole.
struct __attribute__((aligned(16), may_alias)) float4 {
  float x = 0, y = 0, z = 0, w = 0;
  float4() = default;
  float4(float x_, float y_, float z_, float w_) : x(x_), y(y_), z(z_), w(w_) {}
  float4(const float4& from) { *this = from; }
  float4& operator=(const float4& from) {
    using Whole = float __attribute__((vector_size(16), may_alias));
    *reinterpret_cast<Whole*>(this) = *reinterpret_cast<const Whole*>(&from);
    return *this;
  }
};

// A separate namespace, because a program may have the same functions for a device.
#define gpu gpu_on_emulator

using hf::emulator::dim3;
using std::min;

inline void __syncthreads() { hf::emulator::meet_block(); }
inline void __syncwarp() { hf::emulator::meet_warp(); }

namespace hf::gpu {

/// The same as in sgemm_warp_tile.cuh.
template <class Tiles>
Tiles& shared_tiles() {
  alignas(16) static Tiles tiles;
  return tiles;
}

/// The same as in sgemm_warp_tile.cuh; copies happen as late as possible.
inline void copy_async(float* to, const float* from, bool inside) {
  ::hf::emulator::begin_copy({to, inside ? from : nullptr});
}
inline void wait_for_copies() {
  while (::hf::emulator::has_copies()) {
    const ::hf::emulator::LateCopy copy = ::hf::emulator::take_copy();
    *reinterpret_cast<float4*>(copy.to) = copy.from ? *reinterpret_cast<const float4*>(copy.from) : float4();
  }
}

}  // namespace hf::gpu

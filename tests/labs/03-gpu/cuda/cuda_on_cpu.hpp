/// \file
/// Enough of CUDA to run a kernel's own source on the processor: one system thread for each thread of a block, the
/// blocks one after the other. Thus the address sanitizer sees every access, the thread sanitizer every missing
/// __syncthreads(), and the undefined-behaviour sanitizer every misaligned vector.
#pragma once

#include <algorithm>
#include <array>
#include <barrier>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "03-gpu/kernels/emulator/cuda_qualifiers.hpp"  // IWYU pragma: export

#define __shared__ static  // the blocks run one after the other

#define HF_LAUNCH(kernel, grid, block, ...) ::hf::gpu::on_cpu::launch(grid, block, [=] { kernel(__VA_ARGS__); })
#define HF_LAUNCH_IN(stream, kernel, grid, block, ...) \
  static_cast<void>(stream), ::hf::gpu::on_cpu::launch(grid, block, [&] { kernel(__VA_ARGS__); })

struct CpuStream;
using cudaStream_t = CpuStream*;

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

/// It may alias floats, as on the device.
struct __attribute__((aligned(16), may_alias)) float4 {
  float x, y, z, w;
};

struct __attribute__((aligned(16), may_alias)) uint4 {
  std::uint32_t x, y, z, w;
};

inline thread_local dim3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
using std::min;

namespace hf::gpu {
namespace on_cpu {

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "cuda_on_cpu: %s\n", what);
  std::abort();
}

inline void expect_aligned(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) fail("an address is not aligned");
}

/// The threads of a warp meet here, and pass values to each other.
struct Warp {
  explicit Warp(unsigned threads) : meeting(threads) {}
  static constexpr std::size_t largest = 64;  ///< bytes of a value
  std::barrier<> meeting;
  std::byte values[2][32][largest];  ///< used in turn, so that nobody overwrites what another still reads
};

inline thread_local std::barrier<>* everyone = nullptr;  ///< of this thread's block
inline thread_local Warp* warp = nullptr;
inline thread_local unsigned lane, turn;

/// The barriers of a block's threads.
struct Meetings {
  explicit Meetings(unsigned threads) : block(threads) {
    for (unsigned first = 0; first < threads; first += 32) warps.emplace_back(std::min(threads - first, 32u));
  }
  std::barrier<> block;
  std::deque<Warp> warps;
};

/// Every thread of the warp passes a value, and gets those of all.
template <class Value>
std::array<Value, 32> of_warp(const Value& mine) {
  static_assert(sizeof(Value) <= Warp::largest);
  auto& values = warp->values[turn ^= 1];
  std::memcpy(values[lane], &mine, sizeof mine);
  warp->meeting.arrive_and_wait();
  std::array<Value, 32> all;
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], values[i], sizeof mine);
  return all;
}

/// Makes this system thread a thread of a block.
inline void become(unsigned thread, Meetings& meetings) {
  threadIdx = {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y};
  everyone = &meetings.block;
  warp = &meetings.warps[thread / 32];
  lane = thread % 32;
}

/// Runs `kernel` once for each thread of each block.
inline void launch(dim3 grid, dim3 block, const std::function<void()>& kernel) {
  blockDim = block;
  gridDim = grid;
  const unsigned count = block.x * block.y * block.z;
  Meetings meetings(count);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < count; ++thread) {
    threads.emplace_back([&, thread] {
      become(thread, meetings);
      for (unsigned at = 0; at < grid.x * grid.y * grid.z; ++at) {
        blockIdx = {at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y};
        kernel();
        everyone->arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace on_cpu

}  // namespace hf::gpu

inline void __syncthreads() { hf::gpu::on_cpu::everyone->arrive_and_wait(); }
inline void __syncwarp() { hf::gpu::on_cpu::warp->meeting.arrive_and_wait(); }

template <class Value>
Value __shfl_xor_sync(unsigned, Value mine, unsigned distance) {
  return hf::gpu::on_cpu::of_warp(mine)[hf::gpu::on_cpu::lane ^ distance];
}
inline float __uint_as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
template <class Value>
Value __ldcs(const Value* from) {
  return *from;
}

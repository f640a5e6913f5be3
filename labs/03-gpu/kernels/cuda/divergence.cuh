/// \file
/// What it costs when the threads of a warp go different ways.
#pragma once

#include <cstdint>
#include <utility>

namespace hf::gpu {

constexpr int most_paths = 32;

/// One step on a path: each path has numbers of its own, so that no two can become one. The shift keeps a compiler from
/// folding several steps into one.
constexpr std::uint32_t path_step(int path, std::uint32_t x) {
  return (x ^ (x >> 15)) * (0x9e3779b1u + 2u * static_cast<std::uint32_t>(path)) + static_cast<std::uint32_t>(path);
}

/// Which way a thread goes: its neighbours go other ways, or all 32 of a warp go one way and the next warp another.
constexpr int path_of(int thread, int paths, bool inside_warp) { return (inside_warp ? thread : thread / 32) % paths; }

template <int path>
__device__ std::uint32_t follow_path(std::uint32_t x, int steps) {
#pragma unroll 4  // so that 32 paths fit into the cache of instructions
  for (int step = 0; step < steps; ++step) x = path_step(path, x);
  return x;
}

/// if (path == 0) … else if (path == 1) … and so on; exactly one is followed.
template <int... paths>
__device__ std::uint32_t follow_one_of(std::integer_sequence<int, paths...>, int path, std::uint32_t x, int steps) {
  const bool followed = ((path == paths && (x = follow_path<paths>(x, steps), true)) || ...);
  return followed ? x : 0;
}

/// results[thread] = the numbers of its path, so many steps from the thread's own number.
static __global__ void diverge(int paths, bool inside_warp, int steps, std::uint32_t* results) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int path = path_of(thread, paths, inside_warp);
  results[thread] = follow_one_of(std::make_integer_sequence<int, most_paths>(), path, thread, steps);
}

}  // namespace hf::gpu

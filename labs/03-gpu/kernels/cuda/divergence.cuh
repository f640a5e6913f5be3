/// \file
/// The cost of threads in a warp that take different branches.
#pragma once

#include <cstdint>
#include <utility>

namespace hf::gpu {

constexpr int most_paths = 32;

/// One step on a path: each path has its own numbers, so that no two can be merged. The shift keeps a compiler from
/// folding several steps into one.
constexpr std::uint32_t path_step(int path, std::uint32_t x) {
  return (x ^ (x >> 15)) * (0x9e3779b1u + 2u * static_cast<std::uint32_t>(path)) + static_cast<std::uint32_t>(path);
}

/// A thread's branch: its neighbours take other branches, or all 32 of a warp take one and the next warp another.
constexpr int path_of(int thread, int paths, bool inside_warp) { return (inside_warp ? thread : thread / 32) % paths; }

template <int path>
__device__ std::uint32_t follow_path(std::uint32_t x, int steps) {
#pragma unroll 4  // so that 32 paths fit into the instruction cache
  for (int step = 0; step < steps; ++step) x = path_step(path, x);
  return x;
}

/// if (path == 0) … else if (path == 1) … and so on; exactly one is taken.
template <int... paths>
__device__ std::uint32_t follow_one_of(std::integer_sequence<int, paths...>, int path, std::uint32_t x, int steps) {
  const bool followed = ((path == paths && (x = follow_path<paths>(x, steps), true)) || ...);
  return followed ? x : 0;
}

/// results[thread] = the number after several steps on its path, starting from the thread's own number.
static __global__ void diverge(int paths, bool inside_warp, int steps, std::uint32_t* results) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int path = path_of(thread, paths, inside_warp);
  results[thread] = follow_one_of(std::make_integer_sequence<int, most_paths>(), path, thread, steps);
}

}  // namespace hf::gpu

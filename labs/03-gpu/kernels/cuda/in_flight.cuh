/// \file
/// Little's law on the device: warps that follow chases of 16 bytes per thread, so that exactly the bytes computed in
/// in_flight.hpp are in flight.
#pragma once

#include <cstdint>

#include "03-gpu/kernels/cuda/in_flight.hpp"
#include "kit/random.hpp"

namespace hf::gpu {

/// One thread's part of a node: where to load next, and a number to add up.
struct alignas(load_bytes) Cell {
  const Cell* next;
  std::uint64_t number;
};

/// In PTX, so that it remains one load of 16 bytes from global memory, at this place.
__device__ inline Cell load_cell(const Cell* from) {
  Cell cell;
  asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(cell.next), "=l"(cell.number) : "l"(from));
  return cell;
}

/// The correct content of one thread's part of a node.
constexpr std::uint64_t cell_number(std::int64_t node, int lane) {
  return random_word(0, static_cast<std::uint64_t>(node) * lanes + static_cast<std::uint64_t>(lane));
}

/// Node i is loaded together by the 32 threads of a warp: cells[32 i] … cells[32 i + 31].
static __global__ void link_front(Cell* cells, std::int64_t nodes, std::int64_t chases) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= nodes * lanes) return;
  const int lane = i % lanes;
  cells[i] = {cells + std::int64_t{front_node(i / lanes, 1, chases, nodes)} * lanes + lane,
              cell_number(i / lanes, lane)};
}

/// Each warp follows `loads` chases side by side, and cannot continue until all of them have arrived. `at` has the
/// position of each thread's chases, and `sums` gets the sums of the numbers read.
template <int loads>
__global__ void __launch_bounds__(most_warps_in_block* lanes, 4)
    follow_front(const Cell** at, int hops, std::uint64_t* sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  Cell cells[loads];
  for (int load = 0; load < loads; ++load) cells[load].next = at[thread + load * threads];
  std::uint64_t sum = 0;
#pragma unroll 1
  for (int hop = 0; hop < hops; ++hop) {
#pragma unroll
    for (Cell& cell : cells) cell = load_cell(cell.next);
#pragma unroll
    for (const Cell& cell : cells) sum += cell.number;
  }
  for (int load = 0; load < loads; ++load) at[thread + load * threads] = cells[load].next;
  sums[thread] = sum;
}

}  // namespace hf::gpu

/// \file
/// Little's law on the device: how many bytes are in flight, and how many keep memory busy. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/measure/statistics.hpp"

namespace hf::gpu {

constexpr int lanes = 32;       ///< threads of a warp
constexpr int load_bytes = 16;  ///< requested by one thread at once: the widest load
constexpr int node_bytes = lanes * load_bytes;

/// The loads that the device has in flight: each warp follows `loads` chases, with one node of each in flight.
struct Concurrency {
  int blocks;
  int warps;  ///< in each block
  int loads;  ///< of each thread

  std::int64_t chases() const { return std::int64_t{blocks} * warps * loads; }
  double bytes() const { return static_cast<double>(chases()) * node_bytes; }
};

/// Blocks with more warps than this leave too few registers per thread.
constexpr int most_warps_in_block = 16;

/// From a single warp to every warp that the device can run, all of them resident at once; more bytes each time.
/// \param multiprocessors, warps  of the device, and resident on each
/// \param loads  1, 2 or 4
inline std::vector<Concurrency> concurrency_sweep(int multiprocessors, int warps, int loads) {
  std::vector<Concurrency> sweep = {{1, 1, loads}};
  for (const int share : {16, 4}) {
    if (multiprocessors / share > 1) sweep.push_back({multiprocessors / share, 1, loads});
  }
  for (const int each : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
    if (each > warps) break;
    const int blocks = (each + most_warps_in_block - 1) / most_warps_in_block;  // on each multiprocessor
    if (each % blocks == 0) sweep.push_back({multiprocessors * blocks, each / blocks, loads});
  }
  return sweep;
}

/// All chases advance together, as a front that moves through memory in order, like the threads of an ordinary kernel.
/// Returns a chase's node after this many hops.
constexpr std::uint32_t front_node(std::int64_t chase, std::int64_t hops, std::int64_t chases, std::int64_t nodes) {
  return static_cast<std::uint32_t>((chase + hops % nodes * (chases % nodes)) % nodes);
}

struct CurvePoint {
  double bytes;
  double gbs;
};

/// The intersection of the straight line through the first points with the plateau.
struct Knee {
  double plateau_gbs;
  double latency_ns;  ///< of the straight line: bytes in flight over GB/s
  double bytes;       ///< the product of the two
};

/// \param points  those below a quarter of the highest bandwidth are taken to be on the straight line
/// \throws std::invalid_argument if there are none
inline Knee find_knee(std::span<const CurvePoint> points) {
  double plateau = 0;
  for (const CurvePoint& point : points) plateau = std::max(plateau, point.gbs);
  std::vector<double> latencies;
  for (const CurvePoint& point : points) {
    if (point.gbs < plateau / 4) latencies.push_back(point.bytes / point.gbs);
  }
  if (latencies.empty()) throw std::invalid_argument("find_knee: no point lies below a quarter of the plateau");
  const double latency = estimate(std::move(latencies)).median;
  return {plateau, latency, plateau * latency};
}

}  // namespace hf::gpu

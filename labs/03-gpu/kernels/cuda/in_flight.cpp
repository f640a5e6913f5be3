#include "03-gpu/kernels/cuda/in_flight.hpp"

#include <algorithm>
#include <stdexcept>

#include "harness/statistics.hpp"

namespace hf::gpu {

std::vector<Concurrency> concurrency_sweep(int multiprocessors, int warps, int loads) {
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

Knee find_knee(std::span<const CurvePoint> points) {
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

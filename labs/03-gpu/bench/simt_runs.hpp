/// \file
/// The model of simt.hpp, with the numbers of this core, of published GPUs, and of a GPU that was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "03-gpu/kernels/simt.hpp"
#include "harness/results.hpp"

namespace hf::gpu {

/// Numbers of Hopper GPUs that others measured or published. The latencies lie within what sources give: shared memory 28
/// to 30 cycles, L2 219 to 291, HBM 658 to 834. The rest is the H200: four schedulers and at most 64 warps in a
/// multiprocessor, 132 of these, 4.8 TB/s, 1.98 GHz.
namespace hopper {
constexpr int schedulers = 4, most_warps = 64, multiprocessors = 132;
constexpr std::int64_t shared_cycles = 29, l2_cycles = 250, hbm_cycles = 700;
constexpr double line = 128, memory_bytes_per_s = 4.8e12, clock_hz = 1.98e9;
constexpr double lines_per_cycle = memory_bytes_per_s / line / clock_hz / multiprocessors;
}  // namespace hopper

/// One thread as a machine whose warps are chases; a cycle of the model is a nanosecond. It is told the two ends, what one
/// chase takes and how many lines are in flight where the curve is highest, and what reading in order brings; all between
/// is its own.
/// \return GB/s, in the order of chase_counts
std::vector<double> simulate_chases(double latency_ns, double lines_in_flight, double stream_gbs);

/// Utilisation of a multiprocessor over its warps, %, where only latency is in the way.
Series utilisation_series(const std::string& id, const std::string& label, std::int64_t latency,
                          Scheduler scheduler = Scheduler::greedy);

/// Share of its bandwidth that a multiprocessor gets over its warps, %, with loads from HBM of so many lines.
Series bandwidth_series(const std::string& id, const std::string& label, int lines_per_load);

/// A whole device, told what one load takes alone and what arrives at most: the bandwidth between. A cycle of the model is
/// a nanosecond, its line what a warp loads at once, and it is a share of the device, as its parts are alike.
Series simulated_device_series(const std::string& id, double load_alone_ns, double most_gbs);

}  // namespace hf::gpu

/// \file
/// The lab's steps, in the order of the chapter, and the data they share.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "03-gpu/kernels/chases.hpp"
#include "harness/measure/threads.hpp"
#include "harness/report/lab.hpp"

namespace hf::gpu {

class ChaseMemory;

struct Shared {
  explicit Shared(Lab& lab);

  Pinned pinned;
  std::size_t bytes;                     ///< of the memory of a thread for chases and lookups
  std::shared_ptr<ChaseMemory> memory;   ///< until measure_scheduler()
  std::vector<Estimate> one_thread_gbs;  ///< of chases, in the order of chase_counts
};

void measure_limits(Lab& lab, Shared& shared);
void measure_chases(Lab& lab, Shared& shared);
void measure_scheduler(Lab& lab, Shared& shared);  ///< frees the chases' memory
void measure_prefetch(Lab& lab, Shared& shared);
void measure_divergence(Lab& lab);
void simulate_latency_hiding(Lab& lab, Shared& shared);
std::vector<Step> emulator_steps();  ///< only a note if built without the emulator
void count_warp_rules(Lab& lab);     ///< one of emulator_steps(); runs after gpu_steps()
void count_ports(Lab& lab);
void predict_gpu(Lab& lab);
void simulate_measured_gpu(Lab& lab);

inline const Axis chases_axis = {"chases at a time", "1"}, chase_bandwidth_axis = {"bandwidth", "GB/s"};

/// Returns a series of bandwidth over the number of chases at a time.
/// \param gbs  Estimate or double, in the order of chase_counts
template <class Numbers>
Series chase_series(std::string id, std::string label, Kind kind, const Numbers& gbs) {
  Series series = {std::move(id), std::move(label), kind, chases_axis, chase_bandwidth_axis};
  for (std::size_t i = 0; i < chase_counts.size(); ++i) series.points.emplace_back(chase_counts[i], gbs[i]);
  return series;
}

}  // namespace hf::gpu

/// \file
/// The naive product around N = 1024, where its columns compete for a few sets of a cache: simulated, then timed.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "02-matmul/kernels/cache_simulator.hpp"
#include "harness/lab.hpp"

namespace hf::matmul {

/// Bytes that each multiplication fetches.
struct Fetched {
  double into_l1, into_l2;
};

/// By N.
std::map<std::size_t, Fetched> simulate_conflict(const Lab& lab, const std::vector<std::size_t>& sizes,
                                                 const CacheSimulator& caches);

Series fetched_series(const std::string& id, const std::string& label, double Fetched::*level,
                      const std::map<std::size_t, Fetched>& fetched);

struct Conflict {
  std::map<std::size_t, Estimate> gflops;  ///< by N
  Estimate slowdown;                       ///< the time at N = 1024 over that at 1023, in pairs
};

/// Times the first rows of every size, interleaved, in the present step of the lab.
/// \param sizes  1023 and 1024 among them
Conflict time_conflict(const Lab& lab, const std::vector<std::size_t>& sizes);

Series conflict_series(const std::string& id, const Conflict& conflict);

}  // namespace hf::matmul

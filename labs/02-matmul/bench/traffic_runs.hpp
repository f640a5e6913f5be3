/// \file
/// What each rung of the ladder moves between neighbouring levels of the memory, for one square product. Simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "02-matmul/kernels/cache_simulator.hpp"
#include "harness/lab.hpp"

namespace hf::matmul {

/// The levels of a Traffic.
using Level = std::uint64_t Traffic::*;

/// By the id of a rung.
using RungTraffic = std::map<std::string, Traffic>;

/// The traffic of n × n matrices. Where the rows of a rung are alike, two stretches of them are traced and the others cost
/// what the second one did.
RungTraffic rung_traffic(const Lab& lab, std::size_t n, const CacheSimulator& caches);

/// One point for each rung.
Series traffic_series(const std::string& id, const std::string& label, Level level, const RungTraffic& traffic);

Table traffic_table(std::size_t n, const RungTraffic& traffic);

/// Of each float fetched into the first cache, how many times it was used. Each multiplication uses two.
double uses_per_float(std::size_t n, const Traffic& traffic);

}  // namespace hf::matmul

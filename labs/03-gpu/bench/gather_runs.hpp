/// \file
/// Software prefetch, measured: lookups in a table that no cache holds.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/lab.hpp"

namespace hf::gpu {

/// How many rows ahead a row is asked for; 0 without asking.
constexpr std::array<std::size_t, 10> prefetch_distances = {0, 1, 2, 4, 8, 16, 24, 32, 64, 128};

/// Lookups, in the order of prefetch_distances.
struct Gathers {
  std::vector<Estimate> lookups_per_us;
  std::size_t best;    ///< the first that is as good as the fastest, within 3 %
  Estimate gain_best;  ///< over not asking early, in pairs
};

/// Checks that every distance gives the same sum, and times them, interleaved, in the present step of the lab.
/// \param bytes  of the table; rounded down to whole rows
/// \throws std::runtime_error, one line, where a sum is wrong
/// \throws OutOfMemory
Gathers measure_gathers(const Lab& lab, std::size_t bytes);

/// Lookups per microsecond over how far ahead a row is asked for.
Series prefetch_series(const std::string& id, const Gathers& gathers);

}  // namespace hf::gpu

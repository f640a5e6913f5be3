/// \file
/// The speeds that a network's time is predicted from: arithmetic, functions, and memory by working set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/machine/machine.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"

namespace hf::your_model {

/// Bandwidths in GB/s, of the bytes that the program reads and writes, over rising working sets of all threads together.
struct Bandwidths {
  std::vector<std::size_t> bytes;
  std::vector<Estimate> read_gbs, copy_gbs;
};

/// What a team of threads reaches.
struct Roofs {
  int threads;
  Estimate fp32_gflops;
  Estimate exp_gops, gelu_gops;  ///< 10^9 numbers per second through e^x and GELU
  Bandwidths memory;
};

/// How to sample arithmetic, and memory that no cache holds.
struct RoofPlans {
  Plan arithmetic, memory;
};

/// Checks the functions against double precision, then measures all speeds.
/// \param largest  the largest working set, in bytes: beyond every cache
/// \throws std::runtime_error with one line if a function is wrong
/// \throws OutOfMemory
Roofs measure_roofs(const Machine& machine, Team& team, std::size_t largest, const RoofPlans& plans);

/// Returns four times the largest cache, or 64 MiB if that is more, but at most a quarter of the available memory and
/// 512 MiB: enough that little of it stays in a cache.
std::size_t beyond_the_caches(const Machine& machine);

/// The roofs file that the package model reads: labs/08-your-model/model/roofs.py describes it.
std::string roofs_json(const Machine& machine, const std::vector<Roofs>& teams);

}  // namespace hf::your_model

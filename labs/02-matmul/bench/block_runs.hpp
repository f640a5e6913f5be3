/// \file
/// Blocks of the same area in other shapes than the one that choose_blocking() takes: modelled, and timed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "02-matmul/kernels/gemm.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"

namespace hf::matmul {

/// Blocks of the same area as \p chosen, from flat to tall; depths that divide n into equal parts.
std::vector<Blocking> blocks_to_try(std::size_t n, const Blocking& chosen);

struct BlockRuns {
  std::vector<Blocking> blocks;
  std::vector<Estimate> gflops;
  Blocking chosen;            ///< the one of them that gemm() makes of default_blocking()
  Estimate chosen_over_best;  ///< over_best() of the chosen one
  Estimate peak_gflops;       ///< of one thread, in the same rounds
};

/// How many times as long as the quickest of some variants one of them takes, in pairs: 1 where it is the quickest.
/// \param ids  the variants, as they were sampled
Estimate over_best(const Sampling& sampling, const std::vector<std::string>& ids, std::size_t one);

/// Times gemm() with all of them on n × n matrices, interleaved, in the present step of the lab.
BlockRuns time_blocks(const Lab& lab, std::size_t n);

/// Speed over depth.
Series block_speed_series(const std::string& id, const BlockRuns& runs);

/// Bytes that cross the edge of the level-2 cache for a thousand FLOPs, by the model of choose_blocking(), over depth.
Series block_traffic_series(const std::string& id, const BlockRuns& runs);

}  // namespace hf::matmul

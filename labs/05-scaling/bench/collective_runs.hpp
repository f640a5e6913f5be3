/// \file
/// What the race of the all-reduces says: speeds, ratios, and how well the alpha-beta model predicts the ring.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "05-scaling/bench/collective_race.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "common/ranks/ranks.hpp"
#include "harness/lab.hpp"

namespace hf::scaling {

struct CollectiveRuns {
  RaceTimes all_reduces;
  std::string library;  ///< "Open MPI v4.1.4"
  int ranks;
  std::string prefix;  ///< of the ids of series and values: "network_" where the ranks are on several hosts
};

/// Within the present step's time.
CollectiveRuns run_collectives(const Lab& lab, Ranks& ranks);

/// How many times as fast as the library's, by pairs; nothing where one of them did not run at that size.
/// \param id  of one of RaceTimes
std::optional<Estimate> over_mpi(const CollectiveRuns& runs, const std::string& id, std::size_t bytes);

/// The smallest of over_mpi() at all sizes from `least_bytes` up.
Estimate least_over_mpi(const CollectiveRuns& runs, const std::string& id, std::size_t least_bytes);

/// Times of all that send messages; on one host, over_mpi() of those that are drawn.
std::vector<Series> race_series(const CollectiveRuns& runs);

/// The model, fitted to the ring at every other size and asked for those between. Where it holds, the fitted sizes say alone.
struct RingModel {
  AlphaBeta longs;                   ///< where, at most sizes, the bytes take longer than the messages
  std::size_t from_bytes, to_bytes;  ///< where that holds
  std::optional<AlphaBeta> shorts;   ///< of the first sizes, where the library treats them otherwise
  double median_error;               ///< of the predicted sizes within both
  double smallest_error;             ///< of the model for long messages at the first size: predicted / measured − 1
};
/// \return nothing where no α and β fit three fitted sizes
std::optional<RingModel> model_of_ring(const CollectiveRuns& runs);

/// What the model says of every algorithm that sends messages, at every size: of most it has seen none.
std::vector<Series> model_series(const CollectiveRuns& runs, const RingModel& ring);

}  // namespace hf::scaling

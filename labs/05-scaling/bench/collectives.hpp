/// \file
/// A race: our all-reduces against the library's own, every algorithm and every size in the same rounds.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/ranks.hpp"
#include "common/ranks/ranks_sampling.hpp"
#include "harness/measure/statistics.hpp"

namespace hf::scaling {

/// A library's own, in place.
using AllReduce = std::function<void(std::span<float>)>;

/// A shared window, where there is one.
struct Window {
  WindowAllReduce& sums;
  std::span<float> numbers;  ///< of this rank, that lie in it
};

/// Seconds of a call, by the ids of all_reduces() and "mpi", with a window also "through-window" and "in-window", and by the
/// bytes of each rank's numbers; sample i of everything was taken in round i.
using RaceSamples = std::map<std::string, std::map<std::size_t, std::vector<double>>>;
using RaceTimes = std::map<std::string, std::map<std::size_t, Estimate>>;
RaceTimes race_times(const RaceSamples& samples);

/// How large the numbers may be for a race to fit into so many seconds: a power of two from 1 to 64 MiB, from one trial. The
/// same on all ranks.
std::size_t affordable_bytes(Member& me, double seconds);

/// Runs the race, after everything that takes part was checked at every fourth size. Timed is what an all-reduce adds to a
/// program that writes its numbers before and reads every line of its sums afterwards: a window must not seem to move
/// nothing, and no one pays for reading 64 MiB from memory. So reading alone is sampled beside and taken away.
/// \param window  null where the ranks cannot share memory
/// \param most_bytes  from 4 B, by powers of two; what is slow takes part in every other from 1 MiB up
/// \param plan  its budget is for the rounds; afterwards there are none begun
/// \return the same on every rank
/// \throws std::runtime_error where a result is wrong
RaceSamples race_all_reduces(Member& me, const AllReduce& library, const Window* window, std::size_t most_bytes,
                             const RankPlan& plan);

}  // namespace hf::scaling

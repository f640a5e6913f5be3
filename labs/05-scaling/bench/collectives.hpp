/// \file
/// A race between our all-reduces and the library's own: all algorithms and sizes, measured side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"  // IWYU pragma: export
#include "kit/ranks/ranks.hpp"                             // IWYU pragma: export
#include "kit/ranks/ranks_sampling.hpp"                    // IWYU pragma: export

namespace hf::scaling {

/// A library's all-reduce, in place.
using AllReduce = std::function<void(std::span<float>)>;

/// Seconds of a call, by id and by the bytes of each rank's numbers. Ids are those of all_reduces() and "mpi". Sample i of all ids and sizes was taken in round i.
using RaceSamples = std::map<std::string, std::map<std::size_t, std::vector<double>>>;

/// Returns the most bytes per rank with which a race fits into `seconds`: a power of two from 1 to 64 MiB, estimated
/// from a trial. The same on all ranks.
std::size_t affordable_bytes(Member& me, double seconds);

/// Checks all participants at every other size, then runs the race. Times the cost of an all-reduce in a program that
/// writes its numbers before and reads every cache line of its sums afterwards. The reading itself is timed separately and subtracted, so no participant pays for reading 64 MiB from
/// memory.
/// \param most_bytes  the largest size; sizes are powers of two from 4 B; slow algorithms skip every other above 1 MiB
/// \param plan  no round begins that would exceed the budget, once the minimum is reached
/// \return the same on every rank
/// \throws std::runtime_error if a result is wrong
RaceSamples race_all_reduces(Member& me, const AllReduce& library, std::size_t most_bytes, const RankPlan& plan);

}  // namespace hf::scaling

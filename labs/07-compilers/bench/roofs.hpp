/// \file
/// The roofs that a graph is held against, measured among its own samples.
#pragma once

#include <cstddef>
#include <vector>

#include "07-compilers/bench/chain_runs.hpp"
#include "harness/peaks.hpp"
#include "harness/sampling.hpp"
#include "harness/threads.hpp"
#include "harness/work.hpp"

namespace hf::compilers {

/// What a machine can do, with either kind of stores: a byte past the caches may take longer than one through them.
struct TwoRoofs {
  Roofline through_caches, past_caches;

  /// Least seconds for work that writes in one of the two ways.
  double seconds(const Work& work) const {
    return (work.allocated_bytes > 0 ? through_caches : past_caches).seconds(work);
  }
};

/// Copying, and multiply-adds, on all cores.
class Roofs {
 public:
  /// \param bytes  that are copied, past all caches
  /// \throws OutOfMemory
  explicit Roofs(std::size_t bytes) : copies_(bytes), peak_(peak_variant(Precision::fp32, team_)) {}

  std::vector<Variant> variants();

  /// Arithmetic at its peak, and bytes as copying moves them, with stores through the caches, and past them.
  TwoRoofs roofs(const Sampling& sampling) const;

  CopyRuns& copies() { return copies_; }

 private:
  CopyRuns copies_;
  Team team_;
  PeakVariant peak_;
};

}  // namespace hf::compilers

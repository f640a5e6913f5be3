/// \file
/// gemm() against the libraries of peers.hpp and against the peak of this machine.
#pragma once

#include <vector>

#include "02-matmul/bench/peers.hpp"
#include "harness/lab.hpp"
#include "harness/threads.hpp"

namespace hf::matmul {

/// Says of libraries that are missing, or race on one thread only, why.
void note_who_races(Lab& lab, const std::vector<Peer>& peers);

/// Races on one thread or on all, with square matrices of growing size. All that are compared are sampled in one interleaved
/// run for each size, the peak among them at 2048; every product is checked first. Adds, each also with _all for all threads:
/// the series race (ours) and best_over_peers (labelled with the fastest peer) over N; the values best_gflops_2048 and
/// race_peak_gflops; and of one thread best_over_peak_2048, best_over_peers_min and best_over_openblas_geomean.
/// To be called while a PinnedOpenMp lives.
void race(Lab& lab, const std::vector<Peer>& peers, Threads threads);

}  // namespace hf::matmul

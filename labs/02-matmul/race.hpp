/// \file
/// gemm() against the libraries of peers.hpp and against the peak of this machine.
#pragma once

#include <vector>

#include "02-matmul/peers.hpp"
#include "harness/lab.hpp"

namespace hf::matmul {

/// Races on all threads and on one, square matrices of growing size, then shapes of a transformer and odd ones. All that are
/// compared are sampled in one interleaved run for each size, the peak among them; every product is checked first.
/// Adds, each also with _all for all threads: the series race (ours) and peer_… over N, best_over_peers over N (labelled with
/// the fastest peer) and shapes_over_peers; the values best_over_peers_min, best_over_openblas_geomean,
/// best_gflops_2048, best_over_peak_2048, race_peak_gflops; and odd_over_even_min.
/// To be called while a PinnedOpenMp lives. Takes the lab's steps "race, all threads", then "race, 1 thread".
void race(Lab& lab, const std::vector<Peer>& peers);

}  // namespace hf::matmul

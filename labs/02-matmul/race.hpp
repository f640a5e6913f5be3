/// \file
/// gemm() against the libraries of peers.hpp and against the peak of this machine.
#pragma once

#include <vector>

#include "02-matmul/peers.hpp"
#include "harness/lab.hpp"

namespace hf::matmul {

enum class Threads { one, all };

/// Says of libraries that are missing, or race on one thread only, why.
void note_who_races(Lab& lab, const std::vector<Peer>& peers);

/// Races on one thread or on all: square matrices of growing size, then shapes of a transformer and odd ones. All that are
/// compared are sampled in one interleaved run for each size, the peak among them; every product is checked first.
/// Adds, each also with _all for all threads: the series race (ours) and peer_… over N, best_over_peers over N (labelled with
/// the fastest peer) and shapes_over_peers; the values best_over_peers_min, best_over_openblas_geomean,
/// best_gflops_2048, best_over_peak_2048, race_peak_gflops; and odd_over_even_min.
/// To be called while a PinnedOpenMp lives.
void race(Lab& lab, const std::vector<Peer>& peers, Threads threads);

}  // namespace hf::matmul

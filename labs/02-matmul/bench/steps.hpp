/// \file
/// The lab's steps, in the order of the chapter, the data they share, and functions for tests.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/measure/kernel_choice.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/report/lab.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/pinned_openmp.hpp"

namespace hf::matmul {

/// Another library's matrix product: c = a · b, as gemm() computes it.
struct Peer {
  std::string id;                ///< "openblas"
  std::string name;              ///< "OpenBLAS 0.3.21 (SkylakeX, Haswell)"
  std::vector<Kernels> kernels;  ///< each is the fastest at some size, the first over all sizes
  std::size_t largest;           ///< largest m, n and k it is made for
  bool own_threads = false;      ///< has threads other than those of OpenMP
};

struct Shared {
  explicit Shared(Lab& lab);

  std::vector<Peer> peers;  // found before threads are pinned: some have their own threads
  PinnedOpenMp pinned;
  CacheSimulator caches;
};

void measure_peak(Lab& lab);
void count_traffic(Lab& lab, Shared& shared);
void climb_the_ladder(Lab& lab);
void take_apart(Lab& lab);
void measure_conflict(Lab& lab, Shared& shared);
void measure_blocks(Lab& lab);
void measure_layers(Lab& lab);
void race_with_all_threads(Lab& lab, Shared& shared);
void race_with_one_thread(Lab& lab, Shared& shared);

// ---- For several steps ----

/// Returns the peers that this machine has: OpenBLAS, a second, newer OpenBLAS (scipy-openblas32), BLIS and AMD's version
/// of it (AOCL-BLAS), each with all kernels that are the fastest here at some size; oneDNN, MKL and libxsmm, whose own
/// choice can only be limited. libxsmm is linked if the build found it; the others are loaded from the system's library
/// folders or LD_LIBRARY_PATH. (PyPI's `aoclda` contains AOCL-BLAS under another name: link libblis-mt.so to it.) Takes
/// some seconds. Call it before starting threads.
std::vector<Peer> find_peers();

/// Id of the peak of one thread, which is measured first.
constexpr const char* first_peak_id = "peak_at_first_gflops";

/// True if this core is as slow as an emulated one.
/// \pre the value first_peak_id was added
bool is_slow(const Lab& lab);

/// Returns the size of the anatomy: b is larger than a level-2 cache, and N is an ordinary number, not a multiple of a
/// large power of two.
std::size_t anatomy_size(const Lab& lab);

/// Returns Lab::plan() for products so long that few rounds must do, and that warm the caches themselves.
Plan patient_plan(const Lab& lab, int parts = 1);

/// Returns the peak on the threads that gemm() uses, to be sampled among products. (With other threads, gemm()'s would
/// still spin on their cores for some milliseconds.) Like peak_variant(), but on `threads` threads of OpenMP's team;
/// without OpenMP, on a Team.
PeakVariant openmp_peak(int threads);

// ---- For tests ----

/// By the id of a rung.
using RungTraffic = std::map<std::string, Traffic>;

/// Returns the traffic of n × n matrices. If all rows of a rung are alike, two groups of rows are traced, and all
/// others count like the second.
RungTraffic rung_traffic(const Lab& lab, std::size_t n, const CacheSimulator& caches);

/// Returns a series with a point for each rung.
Series traffic_series(const std::string& id, const std::string& label, Level level, const RungTraffic& traffic);

/// Returns how many times each float fetched into the first cache was used. Each multiplication uses two.
double uses_per_float(std::size_t n, const Traffic& traffic);

/// Bytes that each multiplication fetches.
struct Fetched {
  double into_l1, into_l2;
};

/// Returns the fetched bytes of the naive product, by N.
std::map<std::size_t, Fetched> simulate_conflict(const Lab& lab, const std::vector<std::size_t>& sizes,
                                                 const CacheSimulator& caches);

/// Returns sizes around 1024, including 1023, 1024 and 1025.
std::vector<std::size_t> conflict_sizes(const Lab& lab);

/// Returns blocks of the same area as \p chosen, from flat to tall, whose depths divide n into equal parts.
std::vector<Blocking> blocks_to_try(std::size_t n, const Blocking& chosen);

/// Returns how many times as long as the fastest of some variants one of them takes, in pairs: 1 for the fastest.
/// \param ids  ids of the variants in `sampling`; \param one  index in ids
Estimate over_best(const Sampling& sampling, const std::vector<std::string>& ids, std::size_t one);

}  // namespace hf::matmul

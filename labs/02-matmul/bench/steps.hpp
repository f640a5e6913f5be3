/// \file
/// The lab's steps, in the order of the chapter, and what they share; and what tests call of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "02-matmul/kernels/gemm.hpp"
#include "common/cache_simulator.hpp"
#include "common/pinned_openmp.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/report/lab.hpp"

namespace hf::matmul {

/// Somebody else's matrix product: c = a · b as gemm() has it.
struct Peer {
  std::string id;    ///< "openblas"
  std::string name;  ///< "OpenBLAS 0.3.21 (SkylakeX)"
  std::function<void(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c)> multiply;
  std::function<void(int threads)> set_threads;  ///< empty where it has only one
  std::size_t largest;                           ///< of m, n and k, that it is made for
  bool own_threads = false;                      ///< apart from those of OpenMP
};

struct Shared {
  explicit Shared(Lab& lab);

  std::vector<Peer> peers;  // before the threads are pinned: some have threads of their own
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

// ---- What several steps need ----

/// OpenBLAS on the core type that is fastest here, a second, newer OpenBLAS (scipy-openblas32), oneDNN, MKL, libxsmm, and BLIS
/// with the kernels that are fastest here. All but libxsmm, which is linked where the build found it, are looked for where the
/// system keeps its libraries and in LD_LIBRARY_PATH. To be called before threads are started.
std::vector<Peer> find_peers();

/// The peak of one thread, which is measured first.
constexpr const char* first_peak_id = "peak_at_first_gflops";

/// Whether this core is as slow as an emulated one.
/// \pre the value first_peak_id was added
bool is_slow(const Lab& lab);

/// Where the product is taken apart: b is larger than a level-2 cache, and N is an ordinary number, no multiple of a large power
/// of two.
std::size_t anatomy_size(const Lab& lab);

/// Lab::plan() for products that take so long that few rounds must do, and that warm the caches by themselves.
Plan patient_plan(const Lab& lab, int parts = 1);

/// The peak on the threads that gemm() uses, to be sampled among products: threads of its own would find gemm()'s still
/// waiting on their cores, spinning, for some milliseconds. As peak_variant(), on so many threads of OpenMP's team; without
/// OpenMP, on a Team.
PeakVariant openmp_peak(int threads);

// ---- What tests call ----

/// The levels of a Traffic.
using Level = std::uint64_t Traffic::*;

/// By the id of a rung.
using RungTraffic = std::map<std::string, Traffic>;

/// The traffic of n × n matrices. Where the rows of a rung are alike, two stretches of them are traced and the others cost
/// what the second one did.
RungTraffic rung_traffic(const Lab& lab, std::size_t n, const CacheSimulator& caches);

/// One point for each rung.
Series traffic_series(const std::string& id, const std::string& label, Level level, const RungTraffic& traffic);

/// Of each float fetched into the first cache, how many times it was used. Each multiplication uses two.
double uses_per_float(std::size_t n, const Traffic& traffic);

/// Bytes that each multiplication fetches.
struct Fetched {
  double into_l1, into_l2;
};

/// Of the naive product, by N.
std::map<std::size_t, Fetched> simulate_conflict(const Lab& lab, const std::vector<std::size_t>& sizes,
                                                 const CacheSimulator& caches);

/// Around 1024; that and its neighbours are among them.
std::vector<std::size_t> conflict_sizes(const Lab& lab);

/// Blocks of the same area as \p chosen, from flat to tall; depths that divide n into equal parts.
std::vector<Blocking> blocks_to_try(std::size_t n, const Blocking& chosen);

/// How many times as long as the quickest of some variants one of them takes, in pairs: 1 where it is the quickest.
/// \param ids  the variants, as they were sampled
Estimate over_best(const Sampling& sampling, const std::vector<std::string>& ids, std::size_t one);

}  // namespace hf::matmul

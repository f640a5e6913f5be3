// Races our fastest product against other libraries, on one thread and on all.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/steps.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/measure/kernel_choice.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"
#include "kit/gemm/gemm.hpp"

namespace hf::matmul {
namespace {

constexpr std::size_t peak_size = 2000;  // size at which a product is compared with the peak

const Axis size_axis = {"N", "1"}, speed_axis = {"speed", "GFLOP/s"};

std::vector<std::size_t> sizes(const Lab& lab) {
  if (lab.quick()) return {100, 250, 600, 1000, 2000};
  return {100, 150, 200, 250, 300, 400, 600, 800, 1000, 1500, 2000};
}

double flops(std::size_t n) { return 2 * std::pow(static_cast<double>(n), 3); }

/// Returns the id of a peer with some of its kernels: "openblas SkylakeX".
std::string id_of(const Peer& peer, const Kernels& kernels) {
  return kernels.name.empty() ? peer.id : peer.id + " " + kernels.name;
}

/// Results for one size. The ids of the sampling: "best", those of the peers with each of their kernels, "peak".
struct Heat {
  std::size_t n;
  Sampling sampling;
  double peak_flops;  ///< of one call of "peak"

  Estimate gflops(std::string_view id) const {
    const double work = id == "peak" ? peak_flops : flops(n);
    return rate(work, sampling.of(id));
  }

  bool has(std::string_view id) const { return std::ranges::find(sampling.ids, id) != sampling.ids.end(); }

  /// Returns the fastest peer with its fastest kernels; "" if there is none.
  std::string best_peer() const {
    std::string best;
    for (const std::string& id : sampling.ids) {
      if (id == "best" || id == "peak") continue;
      if (best.empty() || sampling.of(id).median < sampling.of(best).median) best = id;
    }
    return best;
  }
};

/// The ids of the results in the record.
struct RaceIds {
  const char *speed, *over_peers, *worst, *at_2000, *peak;
};
constexpr RaceIds one_thread = {"race", "best_over_peers", "best_over_peers_min", "best_gflops_2000",
                                "race_peak_gflops"};
constexpr RaceIds all_threads = {"race_all", "best_over_peers_all", "best_over_peers_all_min", "best_all_gflops_2000",
                                 "race_peak_all_gflops"};

/// The race with a given number of threads.
class Race {
 public:
  Race(Lab& lab, const std::vector<Peer>& peers, int threads)
      : lab_(lab), peers_(peers), threads_(threads), peak_gflops_(first_peak(threads_, lab.plan(50))) {
    for (const Peer& peer : peers_) {
      for (const Kernels& kernels : peer.kernels) {
        if (kernels.set_threads) kernels.set_threads(threads_);
      }
    }
  }

  std::vector<Heat> run(const std::string& step) {
    std::vector<Heat> heats;
    double total = 0;
    for (std::size_t n : sizes(lab_)) total += weight(n);
    for (std::size_t n : sizes(lab_)) {
      if (enough_memory(n) && enough_time(n)) heats.push_back(heat(n, lab_.step_seconds() * weight(n) / total));
    }
    state_.note(lab_, step);
    return heats;
  }

 private:
  static double first_peak(int threads, const Plan& plan) {
    const PeakVariant peak = openmp_peak(threads);
    return peak.gflops(sample(peak.variant, plan)).median;
  }

  /// Returns the share of time for a size: its work, plus a constant so that small sizes get enough.
  static double weight(std::size_t n) { return flops(n) + 3e9; }

  bool enough_memory(std::size_t n) const {
    const double bytes = 4.0 * static_cast<double>(4 * n * n);
    if (bytes < 0.5 * static_cast<double>(available_memory_bytes())) return true;
    lab_.note("too little memory to multiply at N = " + std::to_string(n));
    return false;
  }

  /// False for sizes that would take a slow machine several times as long as the whole race should.
  bool enough_time(std::size_t n) const {
    constexpr double runs = 20, share_of_peak = 0.5;
    if (runs * flops(n) / (share_of_peak * peak_gflops_ * 1e9) < 3.5 * lab_.step_seconds()) return true;
    lab_.note("too slow to race at N = " + std::to_string(n));
    return false;
  }

  Heat heat(std::size_t n, double seconds) {
    const SquareMatrices matrices(n);
    std::vector<Contestant> contestants;
    const auto enter = [&](const std::string& id, const std::function<Product>& multiply) {
      const Contestant contestant = {id, id, multiply, n};
      if (matrices.worst_error(contestant, n) <= 1) return contestants.push_back(contestant);
      if (id == "best") throw std::runtime_error("gemm() is wrong at N = " + std::to_string(n));
      lab_.note(id + " gives a different result at N = " + std::to_string(n) + " and is left out there");
    };
    enter("best", [threads = threads_](std::size_t m, std::size_t columns, std::size_t k, const float* a,
                                       const float* b, float* c) { gemm(m, columns, k, a, b, c, threads); });
    for (const Peer& peer : peers_) {
      for (const Kernels& kernels : peer.kernels) {
        const bool takes_part = threads_ == 1 || (kernels.set_threads && !peer.own_threads);
        if (takes_part && n <= peer.largest) enter(id_of(peer, kernels), kernels.multiply);
      }
    }
    std::vector<Variant> variants;
    for (const Contestant& each : contestants) {
      variants.push_back(timed(each.id, [&matrices, &each, n] { matrices.multiply(each, n); }));
    }
    const PeakVariant peak = openmp_peak(threads_);
    variants.push_back(peak.variant);
    return {n, state_.of(sample_interleaved(variants, plan(n, seconds)), {peak.variant.id}), peak.flops};
  }

  /// Returns a plan with as many rounds as fit, and samples as long as a large product takes.
  Plan plan(std::size_t n, double seconds) const {
    Plan plan = lab_.plan();
    plan.budget_seconds = seconds;
    plan.minimum_rounds = lab_.quick() ? 5 : 15;
    // Samples of the peak are as long as those of a product, since a machine may be faster in short bursts.
    plan.sample_seconds = std::max(4e-3, 0.8 * flops(n) / (peak_gflops_ * 1e9));
    if (flops(n) > 1e9) plan.warm_seconds = 0;  // the product takes longer than refilling the caches
    return plan;
  }

  Lab& lab_;
  const std::vector<Peer>& peers_;
  int threads_;
  double peak_gflops_;
  OneState state_;
};

/// Adds our speed at every size, its ratio to that of the fastest peer with its fastest kernels, and the worst such ratio.
void add_series(Lab& lab, const std::vector<Heat>& heats, const RaceIds& ids) {
  Series ours = {ids.speed, "ours", Kind::measured, size_axis, speed_axis};
  Series over_peers = {ids.over_peers, "ours over the fastest peer", Kind::measured, size_axis, {"ratio", "1"}};
  std::vector<Estimate> ratios;
  for (const Heat& heat : heats) {
    const auto n = static_cast<double>(heat.n);
    ours.points.emplace_back(n, heat.gflops("best"));
    const std::string peer = heat.best_peer();
    if (peer.empty()) continue;
    ratios.push_back(heat.sampling.ratio(peer, "best"));
    over_peers.points.emplace_back(n, ratios.back(), peer);
  }
  if (!ours.points.empty()) lab.add(std::move(ours));
  if (ratios.empty()) return;
  lab.add(std::move(over_peers));
  lab.add(Value(ids.worst, *std::ranges::min_element(ratios, {}, &Estimate::median), "1"));
}

/// Adds the speed and the peak at 2000.
void add_values(Lab& lab, const std::vector<Heat>& heats, const RaceIds& ids) {
  for (const Heat& heat : heats) {
    if (heat.n != peak_size) continue;
    lab.add(Value(ids.at_2000, heat.gflops("best"), "GFLOP/s"));
    lab.add(Value(ids.peak, heat.gflops("peak"), "GFLOP/s", "fp32 peak, sampled in the race"));
  }
}

/// Adds the share of the peak that one thread reaches.
void add_share(Lab& lab, const std::vector<Heat>& heats) {
  for (const Heat& heat : heats) {
    if (heat.n != peak_size) continue;
    const Estimate share = ratio(heat.gflops("best").samples, heat.gflops("peak").samples);
    lab.add(Value("best_over_peak_2000", share, "1"));
  }
}

void note_who_races(Lab& lab, const std::vector<Peer>& peers) {
  if (peers.empty())
    lab.note("no library to race against, so nothing was compared with one; ./primer installs OpenBLAS");
  std::string names;
  for (const Peer& peer : peers) names += (names.empty() ? "" : ", ") + peer.name;
  if (!peers.empty()) lab.add(Value("peers", static_cast<double>(peers.size()), "1", Kind::measured, names));
  if (lab.machine().cores == 1)
    lab.note("only one core, so the race on all threads is the same as the race on one thread");
#ifndef _OPENMP
  lab.note("built without OpenMP, so gemm() runs on one thread even in the race on all threads");
#endif
  for (const Peer& peer : peers) {
    if (peer.own_threads)
      lab.note(peer.name +
               " races on one thread only, because it would start threads of its own in addition to OpenMP's");
  }
}

}  // namespace

void race_with_all_threads(Lab& lab, Shared& shared) {
  note_who_races(lab, shared.peers);
  const std::vector<Heat> heats = Race(lab, shared.peers, lab.machine().cores).run("race, all threads");
  add_series(lab, heats, all_threads);
  add_values(lab, heats, all_threads);
}

void race_with_one_thread(Lab& lab, Shared& shared) {
  const std::vector<Heat> heats = Race(lab, shared.peers, 1).run("race, 1 thread");
  add_series(lab, heats, one_thread);
  add_values(lab, heats, one_thread);
  add_share(lab, heats);
}

}  // namespace hf::matmul

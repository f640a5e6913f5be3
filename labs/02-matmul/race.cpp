#include "02-matmul/race.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "02-matmul/gemm.hpp"
#include "02-matmul/openmp_peak.hpp"
#include "02-matmul/peers.hpp"
#include "harness/lab.hpp"
#include "harness/memory.hpp"
#include "harness/peaks.hpp"
#include "harness/results.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::matmul {
namespace {

constexpr std::size_t peak_size = 2048;  // where the peak is sampled too

const Axis size_axis = {"N", "1"}, speed_axis = {"speed", "GFLOP/s"};

struct Shape {
  std::size_t m, n, k;
  std::string label() const { return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k); }
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool square() const { return m == n && n == k; }
};

/// Transformer shapes (512 tokens through a layer, one token, a head's scores times values), then odd ones.
const std::vector<Shape> shapes = {{512, 768, 3072}, {1, 768, 3072},     {512, 512, 64},     {4096, 64, 4096},
                                   {127, 127, 127},  {1000, 1000, 1000}, {1023, 1023, 1023}, {17, 4099, 33}};

std::vector<std::size_t> sizes(const Lab& lab) {
  if (lab.quick()) return {128, 256, 512, 1024, 2048};
  return {128, 192, 256, 320, 384, 512, 768, 1024, 1536, 2048, 3072, 4096};
}

/// Random matrices, and room for the product.
class Operands {
 public:
  explicit Operands(const Shape& shape)
      : shape_(shape),
        a_(shape.m * shape.k * sizeof(float), Pages::huge),
        b_(shape.k * shape.n * sizeof(float), Pages::huge),
        c_(shape.m * shape.n * sizeof(float), Pages::huge) {
    std::minstd_rand generator(1);
    std::uniform_real_distribution<float> numbers(-1, 1);
    for (const Buffer* buffer : {&a_, &b_}) {
      for (float& x : buffer->as<float>()) x = numbers(generator);
    }
  }
  const float* a() const { return a_.as<float>().data(); }
  const float* b() const { return b_.as<float>().data(); }
  float* c() const { return c_.as<float>().data(); }

  void poison() const { std::ranges::fill(c_.as<float>(), std::numeric_limits<float>::quiet_NaN()); }

  /// Whether c is the product, in its corners and in a thousand places between: within k · u of the sum of magnitudes.
  bool is_right() const {
    std::minstd_rand generator(2);
    for (int place = 0; place < 1000; ++place) {
      const std::size_t i = place == 0 ? 0 : place == 1 ? shape_.m - 1 : generator() % shape_.m;
      const std::size_t j = place == 0 ? 0 : place == 1 ? shape_.n - 1 : generator() % shape_.n;
      double sum = 0, magnitude = 0;
      for (std::size_t p = 0; p < shape_.k; ++p) {
        const double product = static_cast<double>(a()[i * shape_.k + p]) * b()[p * shape_.n + j];
        sum += product;
        magnitude += std::abs(product);
      }
      const double bound = static_cast<double>(shape_.k) * 0x1p-24 * magnitude;
      if (!(std::abs(c()[i * shape_.n + j] - sum) <= bound)) return false;
    }
    return true;
  }

 private:
  Shape shape_;
  Buffer a_, b_, c_;
};

/// What one shape showed. `seconds` belongs to `ids`: "best", the peers' ids, "peak".
struct Heat {
  Shape shape;
  Sampling sampling;
  double peak_flops;  ///< of one call of "peak"
  Estimate gflops(std::string_view id) const {
    const double flops = id == "peak" ? peak_flops : shape.flops();
    return transform(sampling.of(id), [&](double seconds) { return flops / seconds * 1e-9; });
  }
  /// Square, and of a size that everyone is at ease with.
  bool ordinary() const { return shape.square() && shape.n % 64 == 0; }

  bool has(std::string_view id) const { return std::ranges::find(sampling.ids, id) != sampling.ids.end(); }

  /// The fastest peer, "" where there is none.
  std::string best_peer() const {
    std::string best;
    for (const std::string& id : sampling.ids) {
      if (id == "best" || id == "peak") continue;
      if (best.empty() || sampling.of(id).median < sampling.of(best).median) best = id;
    }
    return best;
  }
};

/// The race on so many threads.
class Race {
 public:
  Race(Lab& lab, const std::vector<Peer>& peers, int threads, std::string suffix)
      : lab_(lab),
        peers_(peers),
        threads_(threads),
        peak_gflops_(first_peak(threads_, lab.plan(50))),
        suffix_(std::move(suffix)) {
    for (const Peer& peer : peers_) {
      if (peer.set_threads) peer.set_threads(threads_);
    }
  }

  void run() {
    double total = 0;
    for (const Shape& shape : all_shapes()) total += weight(shape);
    for (const Shape& shape : all_shapes()) {
      if (enough_memory(shape) && enough_time(shape)) {
        heats_.push_back(heat(shape, lab_.step_seconds() * weight(shape) / total));
      }
    }
  }

  const std::vector<Heat>& heats() const { return heats_; }
  const std::string& suffix() const { return suffix_; }

 private:
  static double first_peak(int threads, const Plan& plan) {
    const PeakVariant peak = openmp_peak(threads);
    return peak.gflops(sample(peak.variant, plan)).median;
  }

  std::vector<Shape> all_shapes() const {
    std::vector<Shape> all;
    for (std::size_t size : sizes(lab_)) all.push_back({size, size, size});
    all.insert(all.end(), shapes.begin(), shapes.end());
    return all;
  }

  /// The share of the time that a shape gets: as its work, but enough for the small ones.
  static double weight(const Shape& shape) { return shape.flops() + 3e9; }

  bool enough_memory(const Shape& shape) const {
    const double bytes = 4.0 * static_cast<double>(shape.m * shape.k + shape.k * shape.n + 2 * shape.m * shape.n);
    if (bytes < 0.5 * static_cast<double>(available_memory_bytes())) return true;
    lab_.note("too little memory to multiply " + shape.label());
    return false;
  }

  /// A slow machine leaves out what would take several times as long as the whole race should.
  bool enough_time(const Shape& shape) const {
    constexpr double runs = 20, share_of_peak = 0.5;
    if (runs * shape.flops() / (share_of_peak * peak_gflops_ * 1e9) < 3 * lab_.step_seconds()) return true;
    lab_.note("too slow to race at " + shape.label());
    return false;
  }

  Heat heat(const Shape& shape, double seconds) const {
    const Operands operands(shape);
    const std::size_t m = shape.m, n = shape.n, k = shape.k;
    const float *a = operands.a(), *b = operands.b();
    float* const c = operands.c();
    std::vector<Variant> variants;
    const auto enter = [&](const std::string& id, const auto& multiply) {
      operands.poison();
      multiply();
      if (operands.is_right()) return variants.push_back(timed(id, multiply));
      if (id == "best") throw std::runtime_error("gemm() is wrong at " + shape.label());
      lab_.note(id + " computes something else at " + shape.label() + " and is left out there");
    };
    enter("best", [=, threads = threads_] { gemm(m, n, k, a, b, c, threads); });
    for (const Peer& peer : peers_) {
      const bool takes_part = threads_ == 1 || (peer.set_threads && !peer.own_threads);
      if (!takes_part || std::max({m, n, k}) > peer.largest) continue;
      enter(peer.id, [=, &peer] { peer.multiply(m, n, k, a, b, c); });
    }
    const PeakVariant peak = openmp_peak(threads_);
    if (shape.square() && n == peak_size) variants.push_back(peak.variant);
    return {shape, sample_interleaved(variants, plan(shape, seconds)), peak.flops};
  }

  /// As many rounds as fit, samples as long as a large product takes.
  Plan plan(const Shape& shape, double seconds) const {
    Plan plan = lab_.plan();
    plan.budget_seconds = seconds;
    plan.minimum_rounds = 3;
    // As long for the peak as for a product: a machine that is being watched runs faster in short bursts.
    plan.sample_seconds = std::max(4e-3, 0.8 * shape.flops() / (peak_gflops_ * 1e9));
    if (shape.flops() > 1e9) plan.warm_seconds = 0;  // longer than what it evicts
    return plan;
  }

  Lab& lab_;
  const std::vector<Peer>& peers_;
  int threads_;
  double peak_gflops_;
  std::string suffix_;
  std::vector<Heat> heats_;
};

/// One series for each runner over the sizes of square matrices.
void add_series(Lab& lab, const Race& race, const std::vector<Peer>& peers) {
  const auto add = [&](const std::string& id, const std::string& label) {
    Series series = {id + race.suffix(), label, Kind::measured, size_axis, speed_axis};
    const std::string runner = id == "race" ? "best" : id.substr(std::string("peer_").size());
    for (const Heat& heat : race.heats()) {
      if (heat.ordinary() && heat.has(runner)) series.points.emplace_back(heat.shape.n, heat.gflops(runner));
    }
    if (!series.points.empty()) lab.add(std::move(series));
  };
  add("race", "ours");
  for (const Peer& peer : peers) add("peer_" + peer.id, peer.name);
}

/// Our speed over the fastest peer's, and over OpenBLAS's, at every size.
void add_ratios(Lab& lab, const Race& race) {
  Series over_best = {
      "best_over_peers" + race.suffix(), "ours over the fastest peer", Kind::measured, size_axis, {"ratio", "1"}};
  Series shapes = {"shapes_over_peers" + race.suffix(),
                   "ours over the fastest peer",
                   Kind::measured,
                   {"shape", "1"},
                   {"ratio", "1"}};
  double least = std::numeric_limits<double>::infinity(), log_sum = 0;
  int openblas = 0;
  for (const Heat& heat : race.heats()) {
    const std::string peer = heat.best_peer();
    if (peer.empty()) continue;
    const Estimate ratio = heat.sampling.ratio(peer, "best");
    if (!heat.ordinary()) {
      shapes.points.emplace_back(static_cast<double>(shapes.points.size()), ratio, heat.shape.label() + ", " + peer);
      continue;
    }
    over_best.points.emplace_back(static_cast<double>(heat.shape.n), ratio, peer);
    least = std::min(least, ratio.median);
    if (!heat.has("openblas")) continue;
    log_sum += std::log(heat.sampling.ratio("openblas", "best").median);
    ++openblas;
  }
  if (over_best.points.empty()) return;
  lab.derived("best_over_peers" + race.suffix() + "_min", least);
  if (openblas > 0) {
    lab.derived("best_over_openblas" + race.suffix() + "_geomean", std::exp(log_sum / openblas));
  }
  lab.add(std::move(over_best));
  lab.add(std::move(shapes));
}

/// Speed and share of peak at 2048; how odd sizes do beside their even neighbours.
void add_values(Lab& lab, const Race& race) {
  const auto speed = [&](std::size_t n) {
    const auto found =
        std::ranges::find_if(race.heats(), [&](const Heat& heat) { return heat.shape.square() && heat.shape.n == n; });
    return found != race.heats().end() ? found->gflops("best").median : 0;
  };
  for (const Heat& heat : race.heats()) {
    if (!heat.has("peak")) continue;
    lab.add(Value("best" + race.suffix() + "_gflops_2048", heat.gflops("best"), "GFLOP/s"));
    lab.add(Value("best" + race.suffix() + "_over_peak_2048",
                  ratio(heat.gflops("best").samples, heat.gflops("peak").samples), "1"));
    lab.add(Value("race_peak" + race.suffix() + "_gflops", heat.gflops("peak"), "GFLOP/s",
                  "fp32 peak, sampled in the race"));
  }
  if (race.suffix().empty()) {
    lab.derived("odd_over_even_min", std::min(speed(127) / speed(128), speed(1023) / speed(1024)));
  }
}

}  // namespace

void note_who_races(Lab& lab, const std::vector<Peer>& peers) {
  if (peers.empty())
    lab.note("no library to race against: ./primer installs OpenBLAS; the record lacks what compares with one");
  if (lab.machine().cores == 1) lab.note("one core: the race on all threads is the race on one");
#ifndef _OPENMP
  lab.note("built without OpenMP: gemm() on all threads runs on one");
#endif
  for (const Peer& peer : peers) {
    if (peer.own_threads) lab.note(peer.name + " races on one thread only: its own threads would spin beside OpenMP's");
  }
}

void race(Lab& lab, const std::vector<Peer>& peers, Threads threads) {
  Race race(lab, peers, threads == Threads::all ? lab.machine().cores : 1, threads == Threads::all ? "_all" : "");
  race.run();
  add_series(lab, race, peers);
  add_ratios(lab, race);
  add_values(lab, race);
}

}  // namespace hf::matmul

// Tries a reader's matrix product.
#include "yours/trial.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/steps.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "02-matmul/yours/blocks.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/pinned_openmp.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/reference.hpp"
#include "yours/counting.hpp"
#include "yours/guarded.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::matmul {
namespace {

using yours::GuardedArray;
using yours::Wrong;

/// A product's sizes: a is (m, k), b is (k, n).
struct Shape {
  std::size_t m, n, k;

  std::string text() const {
    return std::to_string(m) + " × " + std::to_string(k) + " times " + std::to_string(k) + " × " + std::to_string(n);
  }
};

/// Inputs between forbidden pages, and a poisoned output.
class Matrices {
 public:
  explicit Matrices(const Shape& shape)
      : shape_(shape), a_("a", shape.m * shape.k), b_("b", shape.k * shape.n), c_("c", shape.m * shape.n) {}

  /// New random inputs, and NaN in c.
  void renew(std::uint64_t seed) const {
    for (const GuardedArray* each : {&a_, &b_, &c_}) each->forbid_writes(nullptr);
    fill_random(a_.numbers(), 2 * seed);
    fill_random(b_.numbers(), 2 * seed + 1);
    std::ranges::fill(c_.numbers(), std::numeric_limits<float>::quiet_NaN());
    for (const GuardedArray* each : {&a_, &b_}) each->forbid_writes(", which is an input");
  }

  void multiply(Product* kernel) const {
    kernel(shape_.m, shape_.n, shape_.k, a_.data(), b_.data(), c_.data());
    c_.settle();
  }

  /// Compares about `most` elements of c with the reference. \throws Wrong, with the first wrong element
  void check(std::size_t most) const {
    if (!a_.intact() || !b_.intact() || !c_.intact()) throw Wrong("writes before the begin of a matrix");
    visit_places(shape_.m, shape_.n, most, [&](std::size_t i, std::size_t j) {
      const Reference expected = reference_product(a_.data(), b_.data(), shape_.n, shape_.k, i, j);
      const float got = c_.data()[i * shape_.n + j];
      if (error_share(got, expected) <= 1) return;
      yours::refuse("c[" + std::to_string(i) + "][" + std::to_string(j) + "]", got, expected.value, shape_.text());
    });
  }

  const float* a() const { return a_.data(); }
  const float* b() const { return b_.data(); }
  float* c() const { return c_.data(); }

 private:
  Shape shape_;
  GuardedArray a_, b_, c_;
};

/// Small ones, then sizes around those at which tiles and blocks end, with all pairs of those, then random ones.
std::vector<Shape> shapes_to_check() {
  std::vector<Shape> shapes = {{1, 1, 1}, {1, 1, 0}, {0, 3, 2}, {3, 0, 2}, {1, 17, 5}, {17, 1, 5}, {2, 3, 64}};
  for (const std::size_t size : {4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 65, 96}) shapes.push_back({size, size, size});
  const std::vector<std::size_t> small = yours::sizes_around(small_blocks());
  for (const auto& [m, k, n] : yours::triples_of(small)) shapes.push_back({m, n, k});
  const std::size_t few = register_tile.rows + 1, most = small.back();
  for (const std::size_t size : yours::sizes_around(large_blocks())) {
    for (const Shape& shape : {Shape{size, few, few}, {few, size, most}, {few, most, size}}) shapes.push_back(shape);
  }
  yours::RandomSizes random;
  for (int i = 0; i < 24; ++i) shapes.push_back({random.next(300), random.next(300), random.next(300)});
  return shapes;
}

void check(void* kernel) {
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes_to_check()) {
    yours::trying(shape.text());
    const Matrices matrices(shape);
    for (int time = 0; time < 2; ++time) {  // a kernel that remembers its first result is wrong the second time
      matrices.renew(seed++);
      matrices.multiply(reinterpret_cast<Product*>(kernel));
      matrices.check(20000);
    }
  }
}

/// Bytes that cross each level for one multiply–add, of the reader's kernel and of the lowest and the last rung.
std::vector<yours::Count> count(void* kernel) {
  // A column of b crosses 1000 lines, more than an L1 cache of 48 KiB holds.
  const Shape shape = {30, 600, 1000};
  const Matrices matrices(shape);
  matrices.renew(1);
  const Machine machine = probe_machine();
  const CacheSimulator caches(detect_geometry(machine, 1), detect_geometry(machine, 2));
  const auto traced = [&](const Rung& rung) { return rung.trace(shape.m, shape.n, shape.k, caches); };
  const Traffic naive = traced(rungs().front()), packed = traced(rungs().back());
  yours::trying(shape.text());
  const Traffic counted = yours::count([&] { matrices.multiply(reinterpret_cast<Product*>(kernel)); }, machine).traffic;
  const double products = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  std::vector<yours::Count> counts;
  for (const auto& [where, level] : {std::pair{"registers and L1", &Traffic::registers_l1},
                                     {"L1 and L2", &Traffic::l1_l2},
                                     {"L2 and beyond", &Traffic::l2_beyond}}) {
    const auto each = [&, level = level](const Traffic& traffic) {
      return static_cast<double>(traffic.*level) / products;
    };
    counts.push_back({std::string("bytes per multiply-add between ") + where,
                      each(counted),
                      {{rungs().front().label, each(naive)}, {rungs().back().label, each(packed)}}});
  }
  return counts;
}

/// Square matrices as the lab has them, and one contestant's first rows of the product.
class Track {
 public:
  explicit Track(std::size_t n)
      : n_(n),
        a_(n * n * sizeof(float), Pages::huge),
        b_(n * n * sizeof(float), Pages::huge),
        c_(n * n * sizeof(float), Pages::huge) {}

  /// The contestant's first rows of a product, each time of inputs that it has never seen.
  /// \throws Wrong if a result is wrong
  Variant variant(const Contestant& contestant, std::size_t rows) {
    return yours::fresh(
        contestant.id, [this] { renew(); },
        [this, &contestant, rows] { contestant.multiply(rows, n_, n_, at(a_), at(b_), at(c_)); },
        [this, rows] { check(rows); });
  }

 private:
  static float* at(const Buffer& matrix) { return matrix.as<float>().data(); }
  void renew() {
    fill_random(a_.as<float>(), 2 * seed_);
    fill_random(b_.as<float>(), 2 * seed_ + 1);
    ++seed_;
    std::ranges::fill(c_.as<float>(), std::numeric_limits<float>::quiet_NaN());
  }
  void check(std::size_t rows) const {
    if (worst_product_error(rows, n_, n_, at(a_), at(b_), at(c_), 200) <= 1) return;
    throw Wrong("is wrong in the race, at N = " + std::to_string(n_) + ", though it was right when checked");
  }

  std::size_t n_;
  Buffer a_, b_, c_;
  std::uint64_t seed_ = 1000;
};

double flops(std::size_t rows, std::size_t n) {
  return 2 * static_cast<double>(rows) * static_cast<double>(n) * static_cast<double>(n);
}

/// The reader's kernel between the chapter's lowest rung and its best, with a library if there is one.
std::vector<Contestant> runners(void* kernel, int cores, const std::vector<Peer>& peers) {
  std::vector<Contestant> chosen = {{"yours", "yours", reinterpret_cast<Product*>(kernel), 8}};
  for (const Contestant& each : contestants(cores)) {
    if (each.id == "naive" || each.id == "best" || each.id == "best_all") chosen.push_back(each);
  }
  const auto library = std::ranges::find(peers, "openblas", &Peer::id);
  if (library != peers.end()) chosen.push_back({library->id, library->name + ", 1 thread", library->multiply, 240});
  return chosen;
}

/// Interleaved rounds at one size. \param gflops  speeds at the size before, by id, which decide how many rows fit
yours::Heat heat(std::size_t n, const std::vector<Contestant>& all, int cores, int rounds,
                 std::map<std::string, double>& gflops) {
  constexpr double seconds_of_a_call = 0.02;
  Track track(n);
  std::vector<yours::Runner> runners;
  for (const Contestant& each : all) {
    const double fit = gflops.contains(each.id) ? seconds_of_a_call * gflops[each.id] * 1e9 / flops(1, n) : 1e9;
    const std::size_t rows = std::clamp(static_cast<std::size_t>(fit), std::min(n, each.least_rows), n);
    Variant variant = track.variant(each, rows);
    if (each.id == "yours") variant = yours::on_one_core(std::move(variant));  // its roof is one thread's peak
    runners.push_back({std::move(variant), each.label, flops(rows, n)});
  }
  for (const auto& [id, label, threads] :
       {std::tuple{peak_id, "peak, 1 thread", 1}, {peak_all_id, "peak, all threads", cores}}) {
    PeakVariant peak = openmp_peak(threads);
    peak.variant.id = id;
    runners.push_back({std::move(peak.variant), label, peak.flops});
  }
  yours::Heat result = yours::race("N = " + std::to_string(n), static_cast<double>(n), runners, peak_id, rounds);
  for (const yours::Row& each : result.rows) gflops[each.id] = each.speed.median;
  return result;
}

std::vector<yours::Heat> race(void* kernel, bool quick) {
  const std::vector<Peer> peers = find_peers();  // before threads are pinned: some have their own
  const Machine machine = probe_machine();
  for (const Peer& peer : peers) {
    if (peer.set_threads) peer.set_threads(1);
  }
  const PinnedOpenMp pinned(machine.cores);
  const std::vector<Contestant> all = runners(kernel, machine.cores, peers);
  std::map<std::string, double> gflops;
  std::vector<yours::Heat> heats;
  const std::vector<std::size_t> sizes =
      quick ? std::vector<std::size_t>{60, 100} : std::vector<std::size_t>{100, 250, 600, 1000};
  for (const std::size_t n : sizes) {
    yours::trying("N = " + std::to_string(n));
    heats.push_back(heat(n, all, machine.cores, quick ? 3 : 11, gflops));
  }
  return heats;
}

}  // namespace
}  // namespace hf::matmul

int main(int argc, char** argv) {
  return hf::yours::run_trial({.id = "02-matmul",
                               .function = "product",
                               .check = hf::matmul::check,
                               .count = hf::matmul::count,
                               .race = hf::matmul::race,
                               .unit = "GFLOP/s"},
                              argc, argv);
}

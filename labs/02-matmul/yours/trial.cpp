// Tries a reader's matrix product.
#include "yours/trial.hpp"

#include <algorithm>
#include <cstddef>
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
#include "harness/measure/blas.hpp"
#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/pinned_openmp.hpp"
#include "kit/product.hpp"
#include "kit/reference.hpp"
#include "yours/arrays.hpp"
#include "yours/counting.hpp"
#include "yours/race.hpp"
#include "yours/sizes.hpp"

namespace hf::matmul {
namespace {

using yours::Place;
using yours::Role;

/// A product's sizes: a is (m, k), b is (k, n).
struct Shape {
  std::size_t m, n, k;

  std::string text() const {
    return std::to_string(m) + " × " + std::to_string(k) + " times " + std::to_string(k) + " × " + std::to_string(n);
  }
};

class Matrices : public yours::Arrays {
 public:
  using Kernel = Product;

  Matrices(const Shape& shape, Place place)
      : Arrays(place, {{"a", shape.m * shape.k, Role::input},
                       {"b", shape.k * shape.n, Role::input},
                       {"c", shape.m * shape.n, Role::output}}),
        shape_(shape) {}

  std::string text() const { return shape_.text(); }
  void run(Kernel* kernel) const { multiply(kernel, shape_.m); }
  void check() const { check(shape_.m); }

  /// A contestant's first rows of the product, each time of inputs that it has never seen.
  Variant variant(const Contestant& contestant, std::size_t rows) {
    return yours::fresh(
        contestant.id, [this] { renew(); }, [this, &contestant, rows] { multiply(contestant.multiply, rows); },
        [this, rows] { check(rows); });
  }

 private:
  template <class Multiply>
  void multiply(const Multiply& kernel, std::size_t rows) const {
    kernel(rows, shape_.n, shape_.k, data(0), data(1), data(2));
  }

  /// Compares elements of c with the reference. \throws Wrong, with the first wrong element
  void check(std::size_t rows) const {
    visit_places(rows, shape_.n, guarded() ? 20000 : 200, [&](std::size_t i, std::size_t j) {
      const Reference expected = reference_product(data(0), data(1), shape_.n, shape_.k, i, j);
      const float got = data(2)[i * shape_.n + j];
      if (error_share(got, expected) <= 1) return;
      yours::refuse("c[" + std::to_string(i) + "][" + std::to_string(j) + "]", got, expected.value, shape_.text());
    });
  }

  Shape shape_;
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

void check(void* kernel) { yours::check_shapes<Matrices>(shapes_to_check(), kernel); }

/// Bytes that cross each level for one multiply–add, of the reader's kernel and of the lowest and the last rung.
std::vector<yours::Count> count(void* kernel) {
  // A column of b crosses 1000 lines, more than an L1 cache of 48 KiB holds.
  const Shape shape = {30, 600, 1000};
  const Machine machine = probe_machine();
  const CacheSimulator caches(detect_geometry(machine, 1), detect_geometry(machine, 2));
  Matrices matrices(shape, Place::guarded);
  const Traffic counted = yours::count_call(matrices, kernel).traffic;
  const double products = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  std::vector<yours::Count> counts;
  for (const Level level : {&Traffic::registers_l1, &Traffic::l1_l2, &Traffic::l2_beyond}) {
    std::vector<std::pair<std::string, double>> others;
    for (const Rung& rung : {rungs().front(), rungs().back()}) {
      const Traffic traced = rung.trace(shape.m, shape.n, shape.k, caches);
      others.emplace_back(rung.label, static_cast<double>(traced.*level) / products);
    }
    counts.push_back(yours::bytes_per("multiply-add", level, "", counted, products, others));
  }
  return counts;
}

double flops(std::size_t rows, std::size_t n) {
  return 2 * static_cast<double>(rows) * static_cast<double>(n) * static_cast<double>(n);
}

/// The reader's kernel between the chapter's lowest rung and its best, with a library if there is one.
std::vector<Contestant> runners(void* kernel, int cores) {
  std::vector<Contestant> chosen = {{"yours", "yours", reinterpret_cast<Product*>(kernel), 8}};
  for (const Contestant& each : contestants(cores)) {
    if (each.id == "naive" || each.id == "best" || each.id == "best_all") chosen.push_back(each);
  }
  const auto multiply = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    Blas::get().gemm(Transpose::no, Transpose::no, m, n, k, 1, a, k, b, n, 0, c, n);
  };
  const Blas& library = Blas::get();
  if (library.is_library()) chosen.push_back({"openblas", library.name() + ", 1 thread", multiply, 240});
  return chosen;
}

/// Interleaved rounds at one size. \param gflops  speeds at the size before, by id, which decide how many rows fit
yours::Heat heat(std::size_t n, const std::vector<Contestant>& all, int cores, int rounds,
                 std::map<std::string, double>& gflops) {
  constexpr double seconds_of_a_call = 0.02;
  Matrices matrices({n, n, n}, Place::huge);
  std::vector<yours::Runner> runners;
  for (const Contestant& each : all) {
    const double fit = gflops.contains(each.id) ? seconds_of_a_call * gflops[each.id] * 1e9 / flops(1, n) : 1e9;
    const std::size_t rows = std::clamp(static_cast<std::size_t>(fit), std::min(n, each.least_rows), n);
    Variant variant = matrices.variant(each, rows);
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
  const Machine machine = probe_machine();
  const std::vector<Contestant> all = runners(kernel, machine.cores);  // loads a library, before there are threads
  const PinnedOpenMp pinned(machine.cores);
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
  using namespace hf::matmul;
  return hf::yours::run_trial({"02-matmul", "product", check, count, race, "GFLOP/s"}, argc, argv);
}

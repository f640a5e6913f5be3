// Compares products of sparse and dense matrices with a vector, which are limited by bytes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "06-precision/bench/steps.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "06-precision/kernels/sparsity/pruning.hpp"
#include "06-precision/kernels/sparsity/sparse_matrix.hpp"
#include "harness/measure/as_double.hpp"
#include "harness/measure/memory.hpp"
#include "harness/report/lab.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"

namespace hf::precision {

double first_density(const Series& curve, double level) {
  const std::vector<Point>& points = curve.points;
  if (points.front().y.median >= level) return 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point &from = points[i - 1], &to = points[i];
    if (to.y.median < level) continue;
    return from.x + (to.x - from.x) * (level - from.y.median) / (to.y.median - from.y.median);
  }
  return 1;
}

namespace {

const Axis density_axis = {"density", "1"}, time_axis = {"time, over dense", "1"};

struct SparseStorage {
  const char *id, *label;
};
constexpr SparseStorage storages[] = {
    {"csr32", "index of 32 bits"}, {"csr16", "index of 16 bits"}, {"bitmask", "bitmask"}};

constexpr std::size_t gemv_rows = 1024, gemv_columns = 4096, near_rows = 8;

/// Four times the largest cache, or less if memory is too small for matrices of all densities. Uses at most a third of
/// the memory, since the last copy of each matrix is complete, and each array takes up to 2 MiB more than its size.
double bytes_beyond_last_cache(const Machine& machine, std::size_t densities) {
  constexpr double cache_at_least = 8 << 20, matrices_for_each = 3, others = 4;
  const double matrices = matrices_for_each * as_double(densities) + others;
  return std::min(4 * std::max(cache_at_least, as_double(machine.last_level_cache_bytes())),
                  as_double(available_memory_bytes()) / 3 / matrices);
}

/// One matrix times a vector, out of cache, on one thread.
struct SparseGemv {
  std::string storage;       ///< a SparseStorage's id, "2:4", or a dense matrix's format, such as "Q8_0"
  double density;            ///< the share of weights that are not zero
  double bytes_per_weight;   ///< zeros count as weights
  double rows;               ///< of all copies
  Estimate over_dense = {};  ///< time for a weight, relative to dense fp32
  double in_cache = 0;       ///< the same from cache, interpolated over density; 0 for dense ones and 2:4

  /// The id of its variant.
  std::string id() const { return storage + " " + std::to_string(density); }

  /// The roofline: the time for its bytes or for its instructions, whichever is longer.
  double predicted() const { return std::max(bytes_per_weight / sizeof(float), in_cache); }
};

std::string near_id(const std::string& storage, double density) { return storage + " near " + std::to_string(density); }

/// Products with a vector, each with at least a given number of bytes of weights, to be timed side by side.
class GemvRace {
 public:
  GemvRace(double bytes, double low_density, double high_density)
      : bytes_(bytes), low_(low_density), high_(high_density) {
    fill_random(x_, 1);
    fill_random(weights_, 2);
  }

  const std::vector<float>& weights() const { return weights_; }

  /// Times bitmask products with and without prefetching at half density, and sets the faster choice.
  bool choose_prefetching(const Plan& plan) {
    const BitmaskMatrix matrix(pruned(weights_, 0.5), gemv_rows, gemv_columns);
    const std::vector<BitmaskMatrix> copies(repeats_of(matrix.bytes()), matrix);
    const auto variant = [&](const char* id, bool prefetch) {
      return timed(id, [&, prefetch] {
        BitmaskMatrix::set_prefetching(prefetch);
        for (const BitmaskMatrix& each : copies) each.multiply(x_.data(), y_.data());
      });
    };
    const Pinned pinned;
    const Sampling sampling = sample_interleaved({variant("plain", false), variant("prefetching", true)}, plan);
    const bool faster = sampling.ratio("plain", "prefetching").median > 1;
    BitmaskMatrix::set_prefetching(faster);
    return faster;
  }

  /// Enters the weights in a dense format.
  void enter(Format format) {
    const EncodedMatrix encoded = encode(format, weights_, gemv_rows, gemv_columns);
    const std::size_t repeats = repeats_of(encoded.bytes.size());
    const auto matrix = std::make_shared<WeightMatrix>(encoded, repeats);
    enter(label(format), 1, matrix->bytes(), repeats, [matrix, this] {
      const OneCore one;
      matrix->multiply(x_.data(), y_.data());
    });
  }

  /// Enters a sparse matrix with enough copies to exceed all caches; one call multiplies by all copies.
  template <class Matrix>
  void enter(const std::string& storage, double density, const Matrix& matrix) {
    const auto copies = std::make_shared<std::vector<Matrix>>(repeats_of(matrix.bytes()), matrix);
    enter(storage, density, matrix.bytes() * copies->size(), copies->size(), [copies, this] {
      for (const Matrix& each : *copies) each.multiply(x_.data(), y_.data());
    });
  }

  /// Enters matrices of few rows, which stay in the caches, at the lowest and highest density, to time the instructions
  /// alone.
  template <class Matrix>
  void enter_near(const std::string& storage) {
    for (const double density : {low_, high_}) {
      const std::vector<float> few = pruned(std::span(weights_).first(near_rows * gemv_columns), density);
      const auto near = std::make_shared<Matrix>(few, near_rows, gemv_columns);
      variants_.push_back(timed(near_id(storage, density), [near, this] { near->multiply(x_.data(), y_.data()); }));
    }
    near_.insert(storage);
  }

  std::vector<SparseGemv> run(const Plan& plan) {
    const Pinned pinned;
    const Sampling sampling = sample_interleaved(variants_, plan);
    const SparseGemv& dense = all_.front();
    const auto over_dense = [&](const std::string& id, double rows) {
      return times(sampling.ratio(id, dense.id()), dense.rows / rows);
    };
    for (SparseGemv& each : all_) {
      each.over_dense = over_dense(each.id(), each.rows);
      if (!near_.contains(each.storage)) continue;
      const double at_low = over_dense(near_id(each.storage, low_), near_rows).median;
      const double at_high = over_dense(near_id(each.storage, high_), near_rows).median;
      each.in_cache = at_low + (each.density - low_) / (high_ - low_) * (at_high - at_low);
    }
    return std::move(all_);
  }

 private:
  std::size_t repeats_of(std::size_t bytes) const {
    return static_cast<std::size_t>(std::ceil(bytes_ / as_double(bytes)));
  }

  template <class Multiply>
  void enter(const std::string& storage, double density, std::size_t bytes, std::size_t repeats, Multiply multiply) {
    const std::size_t rows = repeats * gemv_rows;
    y_.resize(std::max(y_.size(), rows));
    all_.push_back({storage, density, as_double(bytes) / as_double(rows * gemv_columns), as_double(rows)});
    variants_.push_back(timed(all_.back().id(), std::move(multiply)));
  }

  double bytes_, low_, high_;
  Buffer x_memory_ = Buffer(gemv_columns * sizeof(float), Pages::huge);  ///< aligned
  std::span<float> x_ = x_memory_.as<float>();
  std::vector<float> weights_ = std::vector<float>(gemv_rows * gemv_columns);
  std::vector<float> y_;  ///< unused results
  std::vector<Variant> variants_;
  std::vector<SparseGemv> all_;  ///< dense fp32 first
  std::set<std::string> near_;   ///< storages that are also timed in cache
};

/// Times every sparse storage at every density, 2:4, and dense matrices of fewer bits, interleaved.
std::vector<SparseGemv> time_sparse_gemv(Lab& lab, const std::vector<double>& densities) {
  GemvRace race(bytes_beyond_last_cache(lab.machine(), densities.size()), densities.front(), densities.back());
  for (Format format : {Format::fp32, Format::q8_0, Format::q4_0}) race.enter(format);
  if (!race.choose_prefetching(lab.memory_plan(30)))
    lab.note("products with a bitmask do not prefetch, which is faster here");
  race.enter("2:4", 0.5, TwoFourMatrix(pruned_2_4(race.weights()), gemv_rows, gemv_columns));
  for (double density : densities) {
    const std::vector<float> sparse = pruned(race.weights(), density);
    race.enter("csr32", density, CsrMatrix<std::uint32_t>(sparse, gemv_rows, gemv_columns));
    race.enter("csr16", density, CsrMatrix<std::uint16_t>(sparse, gemv_rows, gemv_columns));
    race.enter("bitmask", density, BitmaskMatrix(sparse, gemv_rows, gemv_columns));
  }
  race.enter_near<CsrMatrix<std::uint32_t>>("csr32");
  race.enter_near<CsrMatrix<std::uint16_t>>("csr16");
  race.enter_near<BitmaskMatrix>("bitmask");
  return race.run(lab.memory_plan(2));
}

/// Adds the selected storages' times over density, measured and predicted. \return measured times
template <class IsOf>
Series add_curve(Lab& lab, const std::vector<SparseGemv>& all, const std::string& of, const std::string& label,
                 const IsOf& is_of) {
  const std::string id = "sparse_gemv_" + of;
  Series measured = {id, label, Kind::measured, density_axis, time_axis};
  Series predicted = {id + "_predicted", label + ", predicted", Kind::modelled, density_axis, time_axis};
  for (const SparseGemv& each : all) {
    if (!is_of(each)) continue;
    const std::string name = each.in_cache > 0 ? "" : each.storage;
    measured.points.emplace_back(each.density, each.over_dense, name);
    predicted.points.emplace_back(each.density, each.predicted(), name);
  }
  lab.add(measured);
  lab.add(std::move(predicted));
  return measured;
}

void measure_gemv_with_holes(Lab& lab) {
  const std::vector<double> densities =
      lab.quick() ? std::vector{0.05, 0.2, 0.5, 0.9, 1.0} : std::vector{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0};
  const std::vector<SparseGemv> all = time_sparse_gemv(lab, densities);
  Series best;  // the fastest way at each density
  for (const SparseStorage& storage : storages) {
    const Series measured = add_curve(lab, all, storage.id, storage.label,
                                      [&](const SparseGemv& each) { return each.storage == storage.id; });
    if (std::string_view(storage.id) == "csr32")
      lab.derived("sparse_csr32_crossover_density", first_density(measured, 1));
    if (best.points.empty()) best = measured;
    for (std::size_t i = 0; i < densities.size(); ++i)
      best.points[i].y.median = std::min(best.points[i].y.median, measured.points[i].y.median);
  }
  add_curve(lab, all, "others", "others",
            [](const SparseGemv& each) { return each.in_cache == 0 && each.storage != label(Format::fp32); });
  const Estimate& two_four = std::ranges::find(all, "2:4", &SparseGemv::storage)->over_dense;
  const Estimate& q8_0 = std::ranges::find(all, "Q8_0", &SparseGemv::storage)->over_dense;
  lab.add(Value("sparse_2_4_speedup", transform(two_four, [](double over_dense) { return 1 / over_dense; }), "1"));
  lab.add(Value("sparse_2_4_over_q8_0", ratio(q8_0.samples, two_four.samples), "1"));
  lab.derived("sparse_beats_q8_0_density", first_density(best, q8_0.median));
}

}  // namespace

void measure_sparsity(Lab& lab) {
  constexpr double two_four_bits = 0.5 * (32 + 2);  // per weight: half are kept, with a two-bit index each
  lab.modelled("sparse_2_4_speedup_predicted", 32 / two_four_bits);
  measure_gemv_with_holes(lab);
}

}  // namespace hf::precision

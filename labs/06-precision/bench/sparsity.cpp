#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "06-precision/bench/sparse_runs.hpp"
#include "06-precision/bench/steps.hpp"
#include "06-precision/bench/training_runs.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/sparsity/prune.hpp"
#include "06-precision/kernels/sparsity/pruned_network.hpp"
#include "06-precision/kernels/training/word_network.hpp"
#include "common/loop_team.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"
#include "harness/terminal.hpp"

namespace hf::precision {
namespace {

const Axis density_axis = {"density", "1"}, time_axis = {"time, over dense", "1"};

// ---- What the bytes say ----

struct SparseStorage {
  const char *id, *label;
  double bits_to_place;  ///< for each number that is there
  double bits_to_mask;   ///< for each weight, there or not

  double predicted(double density) const { return (density * (32 + bits_to_place) + bits_to_mask) / 32; }

  /// The density at which it has as many bytes as a dense matrix.
  double crossover() const { return (32 - bits_to_mask) / (32 + bits_to_place); }
};

constexpr SparseStorage storages[] = {
    {"csr32", "index of 32 bits", 32, 0}, {"csr16", "index of 16 bits", 16, 0}, {"bitmask", "bitmask", 0, 1}};
constexpr double two_four_bits = 0.5 * (32 + 2);

void predict_gemv(Lab& lab) {
  Table table = {
      "Predicted: a sparse matrix times a vector, by its bytes", {"stored with", "faster below density", "at 0.1"}, {}};
  for (const SparseStorage& storage : storages) {
    table.rows.push_back(
        {storage.label, number_text(storage.crossover()), number_text(1 / storage.predicted(0.1)) + " x"});
  }
  lab.modelled("sparse_2_4_speedup_predicted", 32 / two_four_bits);
  lab.show(table);
}

// ---- With a vector, out of cache ----

/// The times of one way to store, over density.
struct Curve {
  std::vector<double> densities, over_dense, predicted;
};

Curve curve_of(const std::vector<SparseGemvTime>& times, const std::string& storage) {
  Curve curve;
  for (const SparseGemvTime& time : times) {
    if (time.storage != storage) continue;
    curve.densities.push_back(time.density);
    curve.over_dense.push_back(time.over_dense.median);
    curve.predicted.push_back(time.predicted());
  }
  return curve;
}

/// At each density the fastest way.
Curve best_of(const std::vector<SparseGemvTime>& times) {
  Curve best = curve_of(times, storages[0].id);
  for (const SparseStorage& storage : storages) {
    const Curve curve = curve_of(times, storage.id);
    for (std::size_t i = 0; i < best.over_dense.size(); ++i)
      best.over_dense[i] = std::min(best.over_dense[i], curve.over_dense[i]);
  }
  return best;
}

void add_gemv_series(Lab& lab, const std::vector<SparseGemvTime>& times) {
  for (const SparseStorage& storage : storages) {
    const std::string id = std::string("sparse_gemv_") + storage.id;
    Series measured = {id, storage.label, Kind::measured, density_axis, time_axis};
    Series predicted = {id + "_predicted", std::string(storage.label) + ", predicted", Kind::modelled, density_axis,
                        time_axis};
    for (const SparseGemvTime& time : times) {
      if (time.storage != storage.id) continue;
      measured.points.emplace_back(time.density, time.over_dense);
      predicted.points.emplace_back(time.density, time.predicted());
    }
    lab.add(std::move(measured));
    lab.add(std::move(predicted));
  }
  Series others = {"sparse_gemv_others", "others", Kind::measured, density_axis, time_axis};
  Series others_predicted = {"sparse_gemv_others_predicted", "others, predicted", Kind::modelled, density_axis,
                             time_axis};
  for (const SparseGemvTime& time : times) {
    const std::string name = time.storage == "two_four" ? "2:4"
                             : time.storage == "q8_0"   ? "Q8_0"
                             : time.storage == "q4_0"   ? "Q4_0"
                                                        : "";
    if (name.empty()) continue;
    others.points.emplace_back(time.density, time.over_dense, name);
    others_predicted.points.emplace_back(time.density, time.predicted(), name);
  }
  lab.add(std::move(others));
  lab.add(std::move(others_predicted));
}

const SparseGemvTime& find(const std::vector<SparseGemvTime>& times, const std::string& storage) {
  return *std::find_if(times.begin(), times.end(), [&](const SparseGemvTime& time) { return time.storage == storage; });
}

Estimate inverse(const Estimate& ratio) {
  return transform(ratio, [](double x) { return 1 / x; });
}

void measure_gemv_with_holes(Lab& lab) {
  const std::vector<double> densities =
      lab.quick() ? std::vector{0.05, 0.2, 0.5, 0.9, 1.0} : std::vector{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0};
  const std::vector<SparseGemvTime> times =
      time_sparse_gemv(densities, past_caches_bytes(densities.size()), lab.memory_plan(2));
  add_gemv_series(lab, times);
  const Curve csr32 = curve_of(times, "csr32"), bitmask = curve_of(times, "bitmask"), best = best_of(times);
  lab.derived("sparse_csr32_crossover_density", first_density(csr32.densities, csr32.over_dense, 1));
  lab.derived("sparse_bitmask_crossover_density", first_density(bitmask.densities, bitmask.over_dense, 1));
  lab.derived("sparse_bitmask_crossover_by_units", first_density(bitmask.densities, bitmask.predicted, 1));
  lab.derived("sparse_crossover_density", first_density(best.densities, best.over_dense, 1));
  const SparseGemvTime &two_four = find(times, "two_four"), &q8_0 = find(times, "q8_0");
  lab.add(Value("sparse_2_4_speedup", inverse(two_four.over_dense), "1"));
  lab.add(Value("sparse_2_4_over_q8_0", ratio(q8_0.over_dense.samples, two_four.over_dense.samples), "1"));
  lab.derived("sparse_beats_q8_0_density", first_density(best.densities, best.over_dense, q8_0.over_dense.median));
}

// ---- With a matrix, in cache ----

void measure_gemm_with_holes(Lab& lab) {
  const std::vector<double> densities = {0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0};
  const SparseGemmTimes times = time_sparse_gemm(densities, lab.plan(8));
  Series measured = {"sparse_gemm", "matrix times matrix", Kind::measured, density_axis, time_axis};
  Series predicted = {"sparse_gemm_predicted", "what must be loaded", Kind::modelled, density_axis, time_axis};
  std::vector<double> over_dense;
  for (std::size_t i = 0; i < densities.size(); ++i) {
    measured.points.emplace_back(densities[i], times.over_dense[i]);
    predicted.points.emplace_back(densities[i], densities[i] * times.full_predicted);
    over_dense.push_back(times.over_dense[i].median);
  }
  lab.add(std::move(measured));
  lab.add(std::move(predicted));
  lab.derived("sparse_gemm_crossover_density", first_density(densities, over_dense, 1));
  lab.derived("sparse_gemm_crossover_predicted", std::min(1.0, 1 / times.full_predicted));
  lab.add(Value("two_four_gemm_speedup", inverse(times.two_four_over_dense), "1"));
}

// ---- What it costs the network ----

const Axis loss_axis = {"loss above the floor", "nats"};

/// Loss above the grammar's entropy, nats: of a network that was pruned, and of the same one trained a little more.
struct PrunedLoss {
  double density, pruned, retrained, predicted;
};

/// Pruning is noise on the weights, and adds as much loss for its power as Q4_0 does, if noise is what counts.
std::vector<PrunedLoss> pruned_losses(const WordTensors& weights, const std::vector<double>& densities,
                                      int retraining_steps) {
  const double dense = divergence_with(weights);
  const WordTensors q4_0 = coded(weights, Format::q4_0);
  const double loss_for_noise = (divergence_with(q4_0) - dense) / noise_of(weights, q4_0);
  std::vector<PrunedLoss> losses(densities.size() + 1);  // 2:4 comes last
  share_each(losses.size(), std::size_t{1} << 20, [&](std::size_t i) {
    const bool two_four = i == densities.size();
    const WordTensors left = pruned_network(weights, [&](std::span<const float> matrix) {
      return two_four ? pruned_2_4(matrix) : pruned(matrix, densities[i]);
    });
    losses[i] = {two_four ? 0.5 : densities[i], divergence_with(left),
                 divergence_with(retrained_network(left, retraining_steps)),
                 dense + loss_for_noise * noise_of(weights, left)};
  });
  return losses;
}

void add_pruned_series(Lab& lab, std::span<const PrunedLoss> losses, const std::string& suffix) {
  Series pruned = {"pruned_loss" + suffix, "pruned", Kind::measured, density_axis, loss_axis};
  Series retrained = {"retrained_loss" + suffix, "pruned and retrained", Kind::measured, density_axis, loss_axis};
  for (const PrunedLoss& loss : losses) {
    pruned.points.emplace_back(loss.density, estimate({loss.pruned}));
    retrained.points.emplace_back(loss.density, estimate({loss.retrained}));
  }
  for (Series* series : {&pruned, &retrained}) lab.add(std::move(*series));
}

void add_pruned_prediction(Lab& lab, std::span<const PrunedLoss> losses) {
  Series predicted = {"pruned_loss_predicted", "by the noise", Kind::modelled, density_axis, loss_axis};
  for (const PrunedLoss& loss : losses) predicted.points.emplace_back(loss.density, loss.predicted);
  lab.add(std::move(predicted));
}

void measure_pruned_network(Lab& lab) {
  const int steps = lab.quick() ? 200 : 600;
  const std::vector<double> densities = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
  const WordTensors weights = trained_network(steps);
  const int retraining_steps = lab.quick() ? 100 : 150;
  const std::vector<PrunedLoss> losses = pruned_losses(weights, densities, retraining_steps);
  const std::span<const PrunedLoss> all = losses;
  add_pruned_series(lab, all.first(densities.size()), "");
  add_pruned_prediction(lab, all.first(densities.size()));
  add_pruned_series(lab, all.last(1), "_2_4");
  const double dense = divergence_with(weights);
  lab.derived("pruned_dense_excess", dense);
  const PrunedLoss &two_four = losses.back(), &half = *std::ranges::find(losses, 0.5, &PrunedLoss::density);
  lab.derived("pruned_2_4_added", two_four.pruned - dense, "nats");
  lab.derived("pruned_half_added", half.pruned - dense, "nats");
  lab.derived("pruned_2_4_over_half_added");
  const double control = divergence_with(retrained_network(weights, retraining_steps));
  lab.derived("retraining_2_4_left", (two_four.retrained - control) / (two_four.pruned - dense));
}

}  // namespace

void measure_sparsity(Lab& lab) {
  predict_gemv(lab);
  measure_gemv_with_holes(lab);
  measure_gemm_with_holes(lab);
  measure_pruned_network(lab);
}

}  // namespace hf::precision

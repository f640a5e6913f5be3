#include "05-scaling/kernels/serving/step_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "00-workload/kernels/transformer.hpp"
#include "harness/work.hpp"

namespace hf::scaling {
namespace {

using workload::TransformerShape;

/// Elements of all layers' matrices, and of the one that makes logits.
double layer_weights(const TransformerShape& shape) {
  return 12.0 * static_cast<double>(shape.layers * shape.width * shape.width);
}
double output_weights(const TransformerShape& shape) { return static_cast<double>(shape.vocabulary * shape.width); }

/// Of attention in prompts: scores and mixing, two FLOPs for each number of each pair.
double pair_flops(const TransformerShape& shape, const StepLoad& load) {
  return 4.0 * static_cast<double>(shape.layers * shape.width) * load.prompt_pairs;
}

double cache_bytes(const TransformerShape& shape, double tokens) {
  return static_cast<double>(shape.cache_bytes_per_token()) * tokens;
}

}  // namespace

StepModel::Rates StepModel::counts(const TransformerShape& shape, const StepLoad& load) {
  Rates counts = {};
  const auto add_product = [&](double weights, double rows) {
    if (rows == 0) return;
    const std::size_t way = rows <= streamed_rows ? 0 : 2;
    counts[way] += weights;
    counts[way + 1] += weights * rows;
  };
  add_product(layer_weights(shape), load.rows());
  add_product(output_weights(shape), load.outputs());
  counts[4] = pair_flops(shape, load);
  counts[5] = cache_bytes(shape, load.cached);
  return counts;
}

double StepModel::seconds(const StepLoad& load) const {
  const Rates counts = StepModel::counts(shape_, load);
  return std::inner_product(counts.begin(), counts.end(), rates_.begin(), 0.0);
}

StepModel fit_steps(const TransformerShape& shape, std::span<const MeasuredStep> steps) {
  constexpr std::size_t n = StepModel::rates;
  if (steps.size() < n) throw std::invalid_argument("six rates need at least six measured steps");
  // Each row over its seconds, so that errors are relative; each column over its largest, so that all weigh alike.
  std::vector<StepModel::Rates> rows;
  StepModel::Rates largest = {};
  for (const MeasuredStep& step : steps) {
    StepModel::Rates row = StepModel::counts(shape, step.load);
    for (double& count : row) count /= step.seconds;
    for (std::size_t i = 0; i < n; ++i) largest[i] = std::max(largest[i], row[i]);
    rows.push_back(row);
  }
  // One rate after the other takes the value that is best for it, but none below 0, until none moves.
  StepModel::Rates rates = {};
  std::vector<double> left(rows.size(), 1.0);  // 1 less what the rates so far explain
  for (int sweep = 0; sweep < 100'000; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (largest[i] == 0) continue;
      double along = 0, square = 0;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        along += rows[r][i] * left[r];
        square += rows[r][i] * rows[r][i];
      }
      const double step = std::max(along / square, -rates[i]);
      for (std::size_t r = 0; r < rows.size(); ++r) left[r] -= step * rows[r][i];
      rates[i] += step;
      moved = std::max(moved, std::abs(step) * largest[i]);
    }
    if (moved < 1e-12) break;
  }
  return {shape, rates};
}

double roofline_seconds(const TransformerShape& shape, const StepLoad& load, const Roofline& roofs) {
  constexpr double number = sizeof(float);
  const auto product = [&](double weights, double rows) {
    return rows == 0 ? 0 : roofs.seconds({2 * weights * rows, number * weights, 0});
  };
  const double prompt = roofs.seconds({pair_flops(shape, load), 0, 0});
  const double cache = cache_bytes(shape, load.cached);
  const double answers = roofs.seconds({cache / 2, cache, 0});  // two FLOPs for each number of 4 bytes
  return product(layer_weights(shape), load.rows()) + product(output_weights(shape), load.outputs()) + prompt + answers;
}

}  // namespace hf::scaling

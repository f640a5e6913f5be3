// The time of a server's step, and steps that really run.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "05-scaling/kernels/serving/serving.hpp"
#include "harness/measure/shown_as.hpp"
#include "kit/random.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/work.hpp"

namespace hf::scaling {

namespace {

using workload::TransformerShape;

/// Elements of all layers' matrices, and of the matrix that computes logits.
double layer_weights(const TransformerShape& shape) {
  return 12.0 * static_cast<double>(shape.layers * shape.width * shape.width);
}
double output_weights(const TransformerShape& shape) { return static_cast<double>(shape.vocabulary * shape.width); }

/// FLOPs of attention in prompts: scores and mixing, two for each number of each pair.
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

double StepModel::operator()(const StepLoad& load) const {
  const Rates counts = StepModel::counts(shape, load);
  return std::inner_product(counts.begin(), counts.end(), rates.begin(), 0.0);
}

StepModel fit_steps(const TransformerShape& shape, std::span<const MeasuredStep> steps) {
  constexpr std::size_t n = std::tuple_size_v<StepModel::Rates>;
  // Divides each row by its seconds, so that errors are relative.
  std::vector<StepModel::Rates> rows;
  StepModel::Rates largest = {};
  for (const MeasuredStep& step : steps) {
    StepModel::Rates row = StepModel::counts(shape, step.load);
    for (double& count : row) count /= step.seconds;
    for (std::size_t i = 0; i < n; ++i) largest[i] = std::max(largest[i], row[i]);
    rows.push_back(row);
  }
  // Sets one rate after another to its best value, but none below 0, until no rate moves.
  StepModel::Rates rates = {};
  std::vector<double> left(rows.size(), 1.0);  // 1 minus what the rates explain so far
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

// ---- Steps that really run ----

namespace {

constexpr std::size_t most_answers = 32;
constexpr std::uint64_t step_sequence = 1;  // of random numbers

/// The longest context of an answer that is timed. The time of a step depends only on the sum of its contexts, so we
/// need not time both a few long contexts and many short ones.
std::size_t longest_context(const TransformerShape& shape) { return shape.context / 4; }
std::size_t longest_chunk(const TransformerShape& shape) { return shape.context / 2; }

/// Returns a random size from low to high; its logarithm is uniformly distributed.
std::size_t random_size(std::size_t low, std::size_t high, std::uint64_t index) {
  const double share = static_cast<double>(random_below(step_sequence, index, 1 << 20)) * 0x1p-20;
  return static_cast<std::size_t>(Lengths{static_cast<int>(low), static_cast<int>(high)}.at(share));
}

}  // namespace

std::string StepCase::label() const {
  std::string prompt = std::to_string(chunk) + shown_as(" tokens of a prompt");
  if (before > 0) prompt += shown_as(" after ") + std::to_string(before);
  const std::string answers = std::to_string(decodes) +
                              (decodes == 1 ? shown_as(" answer after ") : shown_as(" answers, each after ")) +
                              std::to_string(context);
  return decodes == 0 ? prompt : chunk == 0 ? answers : prompt + "; " + answers;
}

StepLoad StepCase::load() const {
  const auto c = static_cast<double>(chunk), d = static_cast<double>(decodes);
  return {c, chunk == 0 ? 0.0 : 1.0, c * static_cast<double>(before + chunk), d, d * static_cast<double>(context)};
}

StepCase step_like(const StepLoad& load) {
  const auto whole = [](double count) { return static_cast<std::size_t>(std::lround(count)); };
  StepCase step = {whole(load.prompt_tokens), 0, whole(load.decodes), 0};
  if (step.chunk > 0) step.before = whole(std::max(load.prompt_pairs / load.prompt_tokens - load.prompt_tokens, 0.0));
  if (step.decodes > 0) step.context = whole(load.cached / load.decodes);
  return step;
}

StepBench::StepBench(const TransformerShape& shape)
    : model_(shape),
      prompt_cache_(shape, 1, shape.context),
      answer_cache_(shape, most_answers, longest_context(shape) + 1),
      activations_(shape, longest_chunk(shape) + most_answers, 1, shape.context,
                   workload::Activations::Keep::latest_layer),
      tokens_(shape.context) {
  fill_random(tokens_, step_sequence, static_cast<int>(shape.vocabulary));
}

void StepBench::run(const StepCase& step) {
  const std::span<const int> tokens = tokens_;
  std::vector<workload::Part> parts;
  if (step.chunk > 0) parts.push_back({{tokens.first(step.chunk), 1, step.before}, &prompt_cache_});
  if (step.decodes > 0) parts.push_back({{tokens.first(step.decodes), step.decodes, step.context}, &answer_cache_});
  model_.forward(parts, activations_, ledger_);
}

Work StepBench::work(const StepCase& step) {
  ledger_.begin_pass();
  run(step);
  return ledger_.end_pass().work([](workload::OperatorClass) { return true; });
}

// Mostly avoids round numbers, with which libraries are fastest: few steps of a server have round sizes.
std::vector<StepCase> pure_steps(const TransformerShape& shape, bool quick) {
  const std::size_t c = shape.context, brief = c / 32, long_one = longest_context(shape);
  std::vector<StepCase> steps = {{0, 0, 1, brief},     {0, 0, 7, brief},        {0, 0, 32, brief},
                                 {0, 0, 15, long_one}, {c / 64 + 3, 0, 0, 0},   {c / 16 + 5, 0, 0, 0},
                                 {c / 8 + 3, 0, 0, 0}, {c / 4 + 1, c / 4, 0, 0}};
  if (quick) return steps;
  const std::vector<StepCase> more = {{0, 0, 2, brief},     {0, 0, 4, brief},      {0, 0, 17, brief},
                                      {0, 0, 31, long_one}, {c / 32 + 5, 0, 0, 0}, {c / 2, 0, 0, 0}};
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

std::vector<StepCase> mixed_steps(const TransformerShape& shape, bool quick) {
  std::vector<StepCase> steps;
  for (std::uint64_t i = 0; i < (quick ? 3u : 7u); ++i) {
    const std::size_t chunk = random_size(shape.context / 64, shape.context / 8, 4 * i);
    steps.push_back({chunk, random_size(1, longest_chunk(shape), 4 * i + 1) - 1,
                     random_size(1, most_answers, 4 * i + 2),
                     random_size(shape.context / 32, longest_context(shape), 4 * i + 3)});
  }
  return steps;
}

}  // namespace hf::scaling

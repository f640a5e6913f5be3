#include "06-precision/kernels/model/prompt_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/gemv/weight_matrix.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "06-precision/kernels/units/bf16_gemm.hpp"
#include "06-precision/kernels/units/block_gemm.hpp"
#include "kit/gemm/gemm.hpp"
#include "kit/gemm/partition.hpp"
#include "kit/loop_team.hpp"
#include "kit/transformer/loops.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace {

/// The transposed weights in bf16.
PackedBf16 in_bf16(const WeightMatrix& weights) {
  constexpr std::size_t together = 32;  // rows, so that a column's numbers fill a cache line
  const std::size_t rows = weights.rows(), columns = weights.columns();
  std::vector<std::uint16_t> transposed(rows * columns);
  share_each(matmul::parts_of(rows, together), together * columns, [&](std::size_t part) {
    const std::size_t first = part * together, count = std::min(together, rows - first);
    std::vector<float> some(count * columns);
    for (std::size_t i = 0; i < count; ++i) weights.decode_row(first + i, some.data() + i * columns);
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < count; ++i) transposed[j * rows + first + i] = bf16_of(some[i * columns + j]);
    }
  });
  return {rows, columns, transposed.data()};
}

/// The weights as whole numbers and scales. The largest whole number of each block in Q8_0 is 127, and in Q4_0 it is 8,
/// so the decoded weights give back the scale.
PackedBlocks in_blocks(const WeightMatrix& weights) {
  constexpr std::size_t block = PackedBlocks::block;
  const std::size_t rows = weights.rows(), columns = weights.columns();
  const float largest_whole = weights.format() == Format::q8_0 ? 127 : 8;
  std::vector<std::int8_t> numbers(rows * columns);
  std::vector<float> scales(rows * columns / block);
  share_each(rows, columns, [&](std::size_t row) {
    std::vector<float> values(columns);
    weights.decode_row(row, values.data());
    for (std::size_t i = 0; i < columns; i += block) {
      float largest = 0;
      for (std::size_t j = i; j < i + block; ++j) largest = std::max(largest, std::abs(values[j]));
      const float scale = scales[(row * columns + i) / block] = largest / largest_whole;
      for (std::size_t j = i; j < i + block; ++j)
        numbers[row * columns + j] = static_cast<std::int8_t>(scale > 0 ? std::lround(values[j] / scale) : 0);
    }
  });
  return {rows, columns, numbers.data(), scales.data()};
}

/// Copies `tokens` vectors of a head, d long and `stride` apart, to the columns of a matrix.
void transpose(const float* from, std::size_t stride, std::size_t tokens, std::size_t d, float* to) {
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t i = 0; i < d; ++i) to[i * tokens + t] = from[t * stride + i];
  }
}

}  // namespace

PromptReader::Packed PromptReader::packed(const WeightMatrix& weights) {
  const bool has_blocks = weights.format() == Format::q8_0 || weights.format() == Format::q4_0;
  if (has_blocks && has_block_dot()) return in_blocks(weights);
  return in_bf16(weights);
}

/// y = x · weights + bias: x (tokens, in), y (tokens, out)
void PromptReader::multiply(const Packed& weights, std::size_t tokens, const std::vector<float>& x, const float* bias,
                            std::vector<float>& y) {
  constexpr std::size_t parts = 1;  // per core, since each part rounds all of x
  std::visit(
      [&](const auto& matrix) {
        const std::size_t columns = matrix.columns();
        const auto multiply_panels = [&](std::size_t first, std::size_t last) {
          matrix.multiply(tokens, x.data(), y.data(), first, last);
        };
        share(matrix.panels(), tokens * columns / matrix.panels(), multiply_panels, parts);
        workload::add_bias(y.data(), bias, tokens, columns);
      },
      weights);
}

PromptReader::PromptReader(const FormatTransformer& model) : model_(model), logits_(model.shape().vocabulary) {
  const float* before = nullptr;
  for (std::size_t i = 0; i < model.layers().size(); ++i) {
    const float* const weight = model.source().weights.layers[i].qkv_weight;
    if (weight == before) {  // see FormatTransformer()
      const Matrices& same = layers_.back();
      const auto copy = [](const Packed& of) {
        return std::visit([](const auto& matrix) -> Packed { return matrix.copy(); }, of);
      };
      layers_.push_back({copy(same.qkv), copy(same.out), copy(same.up), copy(same.down)});
      continue;
    }
    before = weight;
    const FormatTransformer::Matrices& from = model.layers()[i];
    layers_.push_back({packed(from.qkv), packed(from.out), packed(from.up), packed(from.down)});
  }
}

std::span<const float> PromptReader::read(std::span<const int> tokens, workload::KvCache& cache) {
  const workload::TransformerTensors& w = model_.source().weights;
  const std::size_t c = model_.shape().width, n = tokens.size();
  for (std::vector<float>* of_width : {&x_, &normed_, &attended_, &sum_}) of_width->resize(n * c);
  qkv_.resize(n * 3 * c);
  hidden_.resize(n * 4 * c);
  for (std::size_t t = 0; t < n; ++t)
    model_.embedding().decode_row(static_cast<std::size_t>(tokens[t]), x_.data() + t * c);
  workload::add(x_.data(), w.position_embedding, x_.data(), n * c);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) run_layer(layer, n, cache);
  workload::layer_norm(x_.data() + (n - 1) * c, w.norm_gain, w.norm_bias, normed_.data(), 1, c);
  model_.embedding().multiply(normed_.data(), logits_.data());
  return logits_;
}

void PromptReader::run_layer(std::size_t layer, std::size_t tokens, workload::KvCache& cache) {
  const workload::TransformerTensors::Layer& w = model_.source().weights.layers[layer];
  const Matrices& matrix = layers_[layer];
  const std::size_t c = model_.shape().width;
  workload::layer_norm(x_.data(), w.norm1_gain, w.norm1_bias, normed_.data(), tokens, c);
  multiply(matrix.qkv, tokens, normed_, w.qkv_bias, qkv_);
  attend(layer, tokens, cache);
  multiply(matrix.out, tokens, attended_, w.out_bias, sum_);
  workload::add(x_.data(), sum_.data(), x_.data(), x_.size());

  workload::layer_norm(x_.data(), w.norm2_gain, w.norm2_bias, normed_.data(), tokens, c);
  multiply(matrix.up, tokens, normed_, w.up_bias, hidden_);
  workload::gelu(hidden_.data(), hidden_.data(), hidden_.size());
  multiply(matrix.down, tokens, hidden_, w.down_bias, sum_);
  workload::add(x_.data(), sum_.data(), x_.data(), x_.size());
}

/// Each core takes whole heads: scores = queries · keysᵀ, then softmax(scores / √D) · values.
void PromptReader::attend(std::size_t layer, std::size_t tokens, workload::KvCache& cache) {
  const std::size_t c = model_.shape().width, d = model_.shape().head_width();
  const float factor = 1 / std::sqrt(static_cast<float>(d));
  share_each(model_.shape().heads, 2 * tokens * tokens, [&](std::size_t head) {
    static thread_local std::vector<float> queries, keys, scores, mixed;
    const float* const of_head = qkv_.data() + head * d;
    float* const values = cache.values(layer, 0, head);
    workload::copy_rows(of_head + c, 3 * c, cache.keys(layer, 0, head), d, tokens, d);
    workload::copy_rows(of_head + 2 * c, 3 * c, values, d, tokens, d);
    for (std::vector<float>* of_tokens : {&queries, &keys, &mixed}) of_tokens->resize(tokens * d);
    scores.resize(tokens * tokens);
    workload::copy_rows(of_head, 3 * c, queries.data(), d, tokens, d);
    transpose(of_head + c, 3 * c, tokens, d, keys.data());
    matmul::gemm(tokens, tokens, d, queries.data(), keys.data(), scores.data());
    workload::causal_softmax(scores.data(), factor, tokens, tokens, 0, tokens);
    matmul::gemm(tokens, d, tokens, scores.data(), values, mixed.data());
    workload::copy_rows(mixed.data(), d, attended_.data() + head * d, c, tokens, d);
  });
}

}  // namespace hf::precision

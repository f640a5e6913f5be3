#include "06-precision/kernels/training/word_network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "06-precision/kernels/formats/scalar_floats.hpp"
#include "06-precision/kernels/training/sentences.hpp"
#include "kit/learning/matrix.hpp"
#include "kit/random.hpp"

namespace hf::precision {

using scaling::Matrix;
using scaling::multiply;
using scaling::multiply_by_transposed;
using View = scaling::ContiguousView;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
}

/// value_of(pattern_of(x)) in fewer steps and without branches, so that the compiler can vectorise it.
template <FloatLayout layout>
float nearest(float x) {
  constexpr int shift = 23 - layout.mantissa_bits;
  constexpr std::uint32_t below_half = (1u << (shift - 1)) - 1;
  constexpr float smallest_normal = power_of_two(1 - layout.bias()), largest = value_of<layout>(layout.largest());
  // Between this number and twice it, fp32's spacing equals that of the format's subnormals, so adding it rounds.
  constexpr float subnormals = power_of_two(1 - layout.bias() + shift);
  const float size = std::fabs(x);
  const auto bits = std::bit_cast<std::uint32_t>(size);
  const auto normal = std::bit_cast<float>((bits + below_half + (bits >> shift & 1)) >> shift << shift);
  const float subnormal = (size + subnormals) - subnormals;
  float rounded = size < smallest_normal ? subnormal : normal;
  rounded = rounded > largest ? value_of<layout>(layout.largest() + 1) : rounded;
  return std::copysign(size <= infinity ? rounded : size, x);
}

float rounded(Storage storage, float x) {
  switch (storage) {
    case Storage::bf16: return from_bf16(bf16_of(x));
    case Storage::fp16: return nearest<fp16_layout>(x);
    case Storage::e4m3: return nearest<e4m3_layout>(x);
    case Storage::e5m2: return nearest<e5m2_layout>(x);
    default: return x;
  }
}

template <Storage storage>
void store_each(std::span<float> numbers) {
  for (float& x : numbers) x = rounded(storage, x);
}

// ---- The network ----

constexpr std::uint64_t first_sequence = 6000, of_a_seed = 100;  // of random numbers, one for each matrix

/// Concatenates the words' rows of the table.
void embed(View table, std::span<const int> seen, Matrix& to) {
  to.resize(seen.size() / words_seen, words_seen * table.columns);
  float* at = to.numbers().data();
  for (const int word : seen) at = std::copy_n(table.row(static_cast<std::size_t>(word)), table.columns, at);
}

/// Computes the table's gradient from the deltas of its rows.
void embed_backward(std::span<const int> seen, View deltas, View table, Matrix& gradient) {
  gradient.resize(table.rows, table.columns);
  std::ranges::fill(gradient.numbers(), 0.0f);
  const float* from = deltas.numbers;
  for (const int word : seen) {
    float* to = gradient.row(static_cast<std::size_t>(word));
    for (std::size_t j = 0; j < table.columns; ++j) to[j] += *from++;
  }
}

void rectify(std::span<float> numbers) {
  for (float& x : numbers) x = x < 0 ? 0 : x;
}

/// Multiplies by the derivative of relu: zeroes the gradient where relu's output is 0.
void pass_where_positive(std::span<const float> out, std::span<float> gradient) {
  for (std::size_t i = 0; i < out.size(); ++i) gradient[i] = out[i] > 0 ? gradient[i] : 0;
}

/// log Σ exp
float log_sum(std::span<const float> logits) {
  const float most = *std::ranges::max_element(logits);
  float sum = 0;
  for (const float z : logits) sum += std::exp(z - most);
  return most + std::log(sum);
}

/// c = aᵀ · b
void multiply_transposed(View a, View b, Matrix& c) {
  c.resize(a.columns, b.columns);
  std::ranges::fill(c.numbers(), 0.0f);
  add_transposed_product(a, b, c.numbers());
}

/// delta = row_weight · softmax, with row_weight subtracted at the correct word.
void loss_backward(const Matrix& logits, std::span<const int> next, float row_weight, Matrix& delta) {
  delta.resize(logits.rows(), logits.columns());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const std::span row(logits.row(i), logits.columns());
    const float all = log_sum(row);
    for (std::size_t j = 0; j < row.size(); ++j) delta.row(i)[j] = row_weight * std::exp(row[j] - all);
    delta.row(i)[next[i]] -= row_weight;
  }
}

}  // namespace

void store(Storage storage, std::span<float> numbers) {
  switch (storage) {
    case Storage::fp32: return;
    case Storage::bf16: return store_each<Storage::bf16>(numbers);
    case Storage::fp16: return store_each<Storage::fp16>(numbers);
    case Storage::e4m3: return store_each<Storage::e4m3>(numbers);
    case Storage::e5m2: return store_each<Storage::e5m2>(numbers);
  }
}

void store_at_random(std::span<float> numbers, std::uint64_t sequence) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto random = static_cast<std::uint32_t>(random_word(sequence, i) >> 32);
    const std::uint32_t pattern = stochastic_pattern_of<bf16_layout>(numbers[i], Overflow::special, random);
    numbers[i] = from_bf16(static_cast<std::uint16_t>(pattern));
  }
}

bool all_finite(std::span<const float> numbers) {
  std::uint32_t finite = 1;
  for (const float x : numbers) finite &= (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u;
  return finite != 0;
}

WordTensors random_weights(const WordShape& shape, std::uint64_t seed) {
  WordTensors weights;
  const auto add = [&](std::size_t outputs, std::size_t inputs, float spread) {
    Matrix& matrix = weights.emplace_back(outputs, inputs);
    fill_random(matrix.numbers(), first_sequence + of_a_seed * seed + weights.size(), spread);
  };
  const auto spread = [](std::size_t inputs) { return 1 / std::sqrt(static_cast<float>(inputs)); };
  add(vocabulary_size, shape.embedding, 1);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    const std::size_t inputs = layer == 0 ? shape.inputs() : shape.hidden;
    add(shape.hidden, inputs, spread(inputs));
  }
  add(vocabulary_size, shape.hidden, spread(shape.hidden));
  return weights;
}

void forward(const WordTensors& weights, std::span<const int> seen, Storage storage, WordActivations& to) {
  const std::size_t layers = weights.size() - 2;
  to.x.resize(layers + 1);
  embed(weights[0], seen, to.x[0]);
  store(storage, to.x[0].numbers());
  for (std::size_t layer = 0; layer < layers; ++layer) {
    Matrix& out = to.x[layer + 1];
    multiply_by_transposed(to.x[layer], weights[layer + 1], out);
    rectify(out.numbers());
    store(storage, out.numbers());
  }
  multiply_by_transposed(to.x[layers], weights[layers + 1], to.logits);
  if (bits(storage) >= 16) store(storage, to.logits.numbers());
}

void backward(const WordTensors& weights, const Examples& examples, const WordActivations& activations, Storage storage,
              float row_weight, WordDeltas& deltas, WordTensors& gradients) {
  const std::size_t layers = weights.size() - 2;
  deltas.resize(layers + 1);
  gradients.resize(layers + 2);
  loss_backward(activations.logits, examples.next, row_weight, deltas[layers]);
  store(storage, deltas[layers].numbers());
  for (std::size_t layer = layers; layer > 0; --layer) {
    multiply_transposed(deltas[layer], activations.x[layer], gradients[layer + 1]);
    multiply(deltas[layer], weights[layer + 1], deltas[layer - 1]);
    pass_where_positive(activations.x[layer].numbers(), deltas[layer - 1].numbers());
    store(storage, deltas[layer - 1].numbers());
  }
  multiply_transposed(deltas[0], activations.x[0], gradients[1]);
  static thread_local Matrix input_delta;
  multiply(deltas[0], weights[1], input_delta);
  store(storage, input_delta.numbers());
  embed_backward(examples.seen, input_delta, weights[0], gradients[0]);
  for (Matrix& gradient : gradients) store(storage, gradient.numbers());
}

double divergence(const Examples& examples, const Matrix& logits) {
  double sum = 0;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const std::span row(logits.row(i), logits.columns());
    const double all = log_sum(row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double chance = examples.chances[i][j];
      if (chance > 0) sum += chance * (std::log(chance) - (row[j] - all));
    }
  }
  return sum / static_cast<double>(logits.rows());
}

}  // namespace hf::precision

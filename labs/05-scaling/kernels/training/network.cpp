#include "05-scaling/kernels/training/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "05-scaling/kernels/collectives/collectives.hpp"
#include "kit/learning/matrix.hpp"
#include "kit/random.hpp"
#include "kit/ranks/transport.hpp"

namespace hf::scaling {
namespace {

void rectify(std::span<float> numbers) {
  for (float& x : numbers) x = x < 0 ? 0 : x;
}

/// The gradient of relu: 0 where its output was 0.
void pass_where_positive(std::span<const float> hidden, std::span<float> gradient) {
  for (std::size_t i = 0; i < hidden.size(); ++i) gradient[i] = hidden[i] > 0 ? gradient[i] : 0;
}

/// Writes some rows and columns of a random matrix with `of_columns` columns. \return the end of what was written
float* fill_part(float* to, std::uint64_t sequence, float spread, Range rows, Range columns, std::size_t of_columns) {
  for (std::size_t i = rows.first; i < rows.last; ++i) {
    for (std::size_t j = columns.first; j < columns.last; ++j) {
      *to++ = spread * random_number(sequence, i * of_columns + j);
    }
  }
  return to;
}

/// Replaces a row of logits by its softmax minus 1 at its label, divided by `of_all`. \return the cross-entropy
double row_loss(std::span<float> logits, std::size_t label, double of_all) {
  const float most = *std::ranges::max_element(logits);
  const float at_label = logits[label];
  float sum = 0;
  for (float& z : logits) sum += z = std::exp(z - most);
  for (float& z : logits) z /= sum * static_cast<float>(of_all);
  logits[label] -= static_cast<float>(1 / of_all);
  return std::log(static_cast<double>(sum)) - (at_label - most);
}

}  // namespace

NetworkPart whole(const NetworkShape& shape) { return {{0, shape.blocks}, {0, shape.hidden}, true}; }

Network::Network(const NetworkShape& shape, const NetworkPart& part) : shape_(shape), part_(part) {
  const std::size_t neurons = part.neurons.size();
  weights_.resize(2 * shape.width * neurons * blocks() + (part.head ? shape.width * shape.classes : 0));
  gradients_.resize(weights_.size());
  const auto spread = [](double inputs) { return static_cast<float>(std::sqrt(6 / inputs)); };
  const Range width = {0, shape.width};
  const std::uint64_t first = 1000;
  float* to = weights_.data();
  for (std::size_t b = part.blocks.first; b < part.blocks.last; ++b) {
    // Small weights, so that what all blocks add is about as large as x.
    const float little = spread(static_cast<double>(2 * shape.hidden * shape.blocks));
    to = fill_part(to, first + 2 * b, spread(static_cast<double>(shape.width)), width, part.neurons, shape.hidden);
    to = fill_part(to, first + 2 * b + 1, little, part.neurons, width, shape.width);
  }
  if (!part.head) return;
  fill_part(to, first - 1, spread(static_cast<double>(2 * shape.width)), width, {0, shape.classes}, shape.classes);
}

ContiguousView Network::up(std::size_t block) const {
  const std::size_t neurons = part_.neurons.size();
  return {shape_.width, neurons, weights_.data() + 2 * shape_.width * neurons * block};
}

ContiguousView Network::down(std::size_t block) const {
  return {part_.neurons.size(), shape_.width, up(block).numbers + shape_.width * part_.neurons.size()};
}

ContiguousView Network::head() const { return {shape_.width, shape_.classes, up(blocks()).numbers}; }

std::span<float> Network::block_gradients(std::size_t block) {
  const std::size_t count = 2 * shape_.width * part_.neurons.size();
  return std::span(gradients_).subspan(block * count, count);
}

std::span<float> Network::head_gradients() {
  return std::span(gradients_).subspan(2 * shape_.width * part_.neurons.size() * blocks());
}

void Network::clear_gradients() { std::ranges::fill(gradients_, 0.0f); }

void Network::branch_forward(std::size_t block, ContiguousView x, Matrix& hidden, Matrix& out) const {
  multiply(x, up(block), hidden);
  rectify(hidden.numbers());
  multiply(hidden, down(block), out);
}

void Network::branch_backward(std::size_t block, ContiguousView x, ContiguousView hidden, ContiguousView out_gradient,
                              Matrix& x_gradient) {
  static thread_local Matrix hidden_gradient;
  const std::span<float> gradients = block_gradients(block);
  add_transposed_product(hidden, out_gradient, gradients.subspan(gradients.size() / 2));
  multiply_by_transposed(out_gradient, down(block), hidden_gradient);
  pass_where_positive({hidden.numbers, hidden.size()}, hidden_gradient.numbers());
  add_transposed_product(x, hidden_gradient, gradients.first(gradients.size() / 2));
  multiply_by_transposed(hidden_gradient, up(block), x_gradient);
}

void Network::forward(ContiguousView x, Kept& kept, const Hook& sum) const {
  kept.x.resize(blocks() + 1);
  kept.hidden.resize(blocks());
  kept.x[0].copy(x);
  for (std::size_t b = 0; b < blocks(); ++b) {
    branch_forward(b, kept.x[b], kept.hidden[b], kept.x[b + 1]);
    sum(kept.x[b + 1].numbers());
    add(kept.x[b + 1].numbers(), kept.x[b].numbers());
  }
}

void Network::backward(const Kept& kept, Matrix& gradient, const Hook& sum, const Hook& ready) {
  Matrix next;
  for (std::size_t b = blocks(); b-- > 0;) {
    branch_backward(b, kept.x[b], kept.hidden[b], gradient, next);
    ready(block_gradients(b));
    sum(next.numbers());
    add(gradient.numbers(), next.numbers());
  }
}

double Network::loss(ContiguousView x, std::span<const int> labels, std::size_t of_all, Matrix& gradient,
                     const Hook& ready) {
  static thread_local Matrix logits;
  multiply(x, head(), logits);
  double sum = 0;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    sum +=
        row_loss({logits.row(i), logits.columns()}, static_cast<std::size_t>(labels[i]), static_cast<double>(of_all));
  }
  add_transposed_product(x, logits, head_gradients());
  ready(head_gradients());
  multiply_by_transposed(logits, head(), gradient);
  return sum / static_cast<double>(of_all);
}

double loss_and_gradients(Network& network, Kept& kept, ContiguousView x, std::span<const int> labels,
                          std::size_t of_all, const Hook& sum, const Hook& ready) {
  static thread_local Matrix gradient;
  network.clear_gradients();
  network.forward(x, kept, sum);
  const double loss = network.loss(kept.x.back(), labels, of_all, gradient, ready);
  network.backward(kept, gradient, sum, ready);
  return loss;
}

// ---- Examples ----

namespace {

constexpr std::uint64_t centres = 2000, first_batch = 3000;  // sequences of random numbers

}  // namespace

Batch make_batch(std::size_t rows, std::size_t width, std::size_t classes, std::uint64_t index) {
  constexpr float from_origin = 0.7f;
  Batch batch = {Matrix(rows, width), std::vector<int>(rows)};
  fill_random(batch.x.numbers(), first_batch + 2 * index);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t cloud = random_below(first_batch + 2 * index + 1, i, 2 * classes), label = cloud / 2;
    const float side = cloud % 2 == 0 ? from_origin : -from_origin;
    for (std::size_t j = 0; j < width; ++j) batch.x.row(i)[j] += side * random_number(centres, label * width + j);
    batch.labels[i] = static_cast<int>(label);
  }
  return batch;
}

std::vector<int> choose_experts(ContiguousView x, std::size_t experts) {
  std::vector<int> chosen(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    chosen[i] = static_cast<int>(std::max_element(x.row(i), x.row(i) + experts) - x.row(i));
  }
  return chosen;
}
}  // namespace hf::scaling

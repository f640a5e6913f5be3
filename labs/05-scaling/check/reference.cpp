#include "05-scaling/check/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "05-scaling/kernels/training/network.hpp"
#include "kit/learning/adam.hpp"
#include "kit/reference.hpp"

namespace hf::scaling {
namespace {

using Row = std::vector<Reference>;

constexpr double u = unit_roundoff;

/// A sum of products, in any order of summation. The errors of its summands come from independent roundings, so their
/// squares add up.
class Sum {
 public:
  void add(const Reference& a, const Reference& b) {
    const double error = std::abs(a.value) * b.bound + a.bound * (std::abs(b.value) + b.bound);
    value_ += a.value * b.value;
    squared_error_ += error * error;
    magnitude_ += std::abs(a.value * b.value);
    ++count_;
  }
  Reference result() const { return {value_, std::sqrt(squared_error_) + rounding_error(count_) * magnitude_}; }

 private:
  double value_ = 0, squared_error_ = 0, magnitude_ = 0, count_ = 0;
};

Reference rounded(double value, double bound) { return {value, bound + u * (std::abs(value) + bound)}; }
Reference plus(const Reference& a, const Reference& b) { return rounded(a.value + b.value, a.bound + b.bound); }

/// x · w, w (x.size(), columns)
Row product(const Row& x, std::span<const Reference> w) {
  const std::size_t columns = w.size() / x.size();
  Row y(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    Sum sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum.add(x[i], w[i * columns + j]);
    y[j] = sum.result();
  }
  return y;
}

/// x · transpose of w, w (rows, x.size())
Row product_by_transposed(const Row& x, std::span<const Reference> w) {
  Row y(w.size() / x.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    Sum sum;
    for (std::size_t j = 0; j < x.size(); ++j) sum.add(x[j], w[i * x.size() + j]);
    y[i] = sum.result();
  }
  return y;
}

void add_outer_product(const Row& x, const Row& y, std::span<Sum> to) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) to[i * y.size() + j].add(x[i], y[j]);
  }
}

void add_to(Row& sum, const Row& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = plus(sum[i], more[i]);
}

Row rectified(Row z) {
  for (Reference& each : z) each.value = std::max(0.0, each.value);
  return z;
}

/// The gradient of relu. If rounding could turn a neuron on or off, the bound covers both cases.
void pass_where_positive(const Row& z, Row& gradient) {
  for (std::size_t i = 0; i < z.size(); ++i) {
    const bool unsure = std::abs(z[i].value) <= z[i].bound;
    if (unsure) gradient[i].bound += std::abs(gradient[i].value);
    if (z[i].value <= 0) gradient[i] = {0, unsure ? gradient[i].bound : 0};
  }
}

/// Returns the gradient of the cross-entropy, divided by `of_all`. \param loss  becomes the cross-entropy
Row softmax_gradient(const Row& z, std::size_t label, double of_all, Reference& loss) {
  double most = z[0].value, least = z[0].value, bound = 0, sum = 0;
  for (const Reference& each : z) {
    most = std::max(most, each.value);
    least = std::min(least, each.value);
    bound = std::max(bound, each.bound);
  }
  for (const Reference& each : z) sum += std::exp(each.value - most);
  // Each exponent, in numerator and denominator, is off by at most this; exp, sum and divisions round too.
  const double off = 2 * bound + u * (most - least + 2 * bound);
  const double relative = std::expm1(2 * off) + rounding_error(static_cast<double>(z.size()) + 8);
  Row gradient(z.size());
  for (std::size_t j = 0; j < z.size(); ++j) {
    const double share = std::exp(z[j].value - most) / sum, wanted = j == label ? 1 : 0;
    gradient[j] = {(share - wanted) / of_all, (share * relative + 4 * u * (share + wanted)) / of_all};
  }
  loss = {std::log(sum) + most - z[label].value, 2 * off + relative};
  return gradient;
}

/// Returns the largest possible mean over root of the square after this many steps, whatever the gradients (by the
/// Cauchy-Schwarz inequality).
double steepest(int steps) {
  const double mean = Adam::keep_mean, square = Adam::keep_square;
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    sum += (1 - mean) * (1 - mean) * std::pow(mean * mean / square, k) / (1 - square);
  }
  return std::sqrt(sum * (1 - std::pow(square, steps))) / (1 - std::pow(mean, steps));
}

/// Returns m / (√v + ε) for the means after this many steps. Its error is at most that at the farthest corner of the
/// intervals of m and v.
Reference direction(const Reference& m, const Reference& v, int steps) {
  const auto at = [](double mean, double square) { return mean / (std::sqrt(std::max(0.0, square)) + Adam::epsilon); };
  const double value = at(m.value, v.value);
  double bound = 0;
  for (const double mean : {m.value - m.bound, m.value + m.bound}) {
    for (const double square : {v.value - v.bound, v.value + v.bound}) {
      bound = std::max(bound, std::abs(at(mean, square) - value));
    }
  }
  bound = std::min(bound, steepest(steps) + std::abs(value));
  return {value, bound + 8 * u * (std::abs(value) + bound)};
}

/// keep · old + (1 − keep) · now
Reference blend(double keep, const Reference& old, const Reference& now) {
  const double magnitude = keep * std::abs(old.value) + (1 - keep) * std::abs(now.value);
  return {keep * old.value + (1 - keep) * now.value, keep * old.bound + (1 - keep) * now.bound + 4 * u * magnitude};
}

/// Where each matrix is among all weights.
struct Places {
  NetworkShape shape;
  std::size_t up(std::size_t block) const { return block * shape.block_weights(); }
  std::size_t down(std::size_t block) const { return up(block) + shape.width * shape.hidden; }
};

/// Adds one example's loss, and its part of each gradient. \param blocks  that it passes through, in order
void add_example(const Places& places, std::span<const Reference> weights, std::span<const std::size_t> blocks, Row x,
                 std::size_t label, double of_all, Sum& loss, std::span<Sum> gradients) {
  const std::size_t size = places.shape.width * places.shape.hidden,
                    head = weights.size() - places.shape.width * places.shape.classes;
  const auto matrix = [&](std::size_t first) { return weights.subspan(first, size); };
  std::vector<Row> entered, before_relu;
  for (const std::size_t block : blocks) {
    entered.push_back(x);
    before_relu.push_back(product(x, matrix(places.up(block))));
    add_to(x, product(rectified(before_relu.back()), matrix(places.down(block))));
  }
  Reference cross_entropy;
  const Row logits = softmax_gradient(product(x, weights.subspan(head)), label, of_all, cross_entropy);
  loss.add(cross_entropy, {1 / of_all, 0});
  add_outer_product(x, logits, gradients.subspan(head));
  Row gradient = product_by_transposed(logits, weights.subspan(head));
  for (std::size_t layer = blocks.size(); layer-- > 0;) {
    const std::size_t up = places.up(blocks[layer]), down = places.down(blocks[layer]);
    add_outer_product(rectified(before_relu[layer]), gradient, gradients.subspan(down, size));
    Row hidden = product_by_transposed(gradient, matrix(down));
    pass_where_positive(before_relu[layer], hidden);
    add_outer_product(entered[layer], hidden, gradients.subspan(up, size));
    add_to(gradient, product_by_transposed(hidden, matrix(up)));
  }
}

}  // namespace

ReferenceTraining::ReferenceTraining(const NetworkShape& shape, std::size_t experts)
    : shape_(shape), experts_(experts) {
  NetworkShape all = shape;
  all.blocks *= experts;
  Network network(all, whole(all));
  for (const float weight : network.weights()) weights_.push_back({weight, 0});
  gradients_.resize(weights_.size());
  mean_.resize(weights_.size());
  square_.resize(weights_.size());
}

Reference ReferenceTraining::gradients(const Batch& batch) {
  const std::vector<int> chosen = choose_experts(batch.x, experts_);
  std::vector<Sum> sums(weights_.size());
  Sum loss;
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    Row x;
    for (std::size_t j = 0; j < shape_.width; ++j) x.push_back({batch.x.row(i)[j], 0});
    std::vector<std::size_t> blocks;
    for (std::size_t layer = 0; layer < shape_.blocks; ++layer) {
      blocks.push_back(static_cast<std::size_t>(chosen[i]) * shape_.blocks + layer);
    }
    add_example({shape_}, weights_, blocks, x, static_cast<std::size_t>(batch.labels[i]),
                static_cast<double>(batch.rows()), loss, sums);
  }
  std::ranges::transform(sums, gradients_.begin(), &Sum::result);
  return loss.result();
}

void ReferenceTraining::update() {
  ++steps_;
  const double mean_scale = 1 / (1 - std::pow(Adam::keep_mean, steps_));
  const double square_scale = 1 / (1 - std::pow(Adam::keep_square, steps_));
  const auto scaled = [](double by, const Reference& of) { return Reference{by * of.value, by * of.bound}; };
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const Reference& g = gradients_[i];
    const Reference g_squared = {g.value * g.value, g.bound * (2 * std::abs(g.value) + g.bound)};
    mean_[i] = blend(Adam::keep_mean, mean_[i], g);
    square_[i] = blend(Adam::keep_square, square_[i], g_squared);
    const Reference d = direction(scaled(mean_scale, mean_[i]), scaled(square_scale, square_[i]), steps_);
    weights_[i] = plus(weights_[i], {-Adam::rate * d.value, Adam::rate * d.bound});
  }
}

std::vector<Reference> part_of(const std::vector<Reference>& whole, const NetworkShape& shape,
                               const NetworkPart& part) {
  const std::size_t first_neuron = part.neurons.first, neurons = part.neurons.size();
  std::vector<Reference> result;
  const auto take = [&](std::size_t first, std::size_t count) {
    const auto from = whole.begin() + static_cast<std::ptrdiff_t>(first);
    result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(count));
  };
  const Places places = {shape};
  for (std::size_t b = part.blocks.first; b < part.blocks.last; ++b) {
    for (std::size_t i = 0; i < shape.width; ++i) take(places.up(b) + i * shape.hidden + first_neuron, neurons);
    take(places.down(b) + first_neuron * shape.width, neurons * shape.width);
  }
  if (part.head) take(whole.size() - shape.width * shape.classes, shape.width * shape.classes);
  return result;
}

}  // namespace hf::scaling

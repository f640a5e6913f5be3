// Each loop compared with its definition in double precision, at sizes around its vectors, blocks and threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/transformer/loops.hpp"

namespace hf::workload {
namespace {

using Array = std::vector<float>;

Array random(std::size_t n, std::uint64_t sequence, float spread = 1, float middle = 0) {
  Array x(n);
  fill_random(x, sequence, spread, middle);
  return x;
}

/// Σ term(i), n terms
template <class Term>
Rounded sum_of(std::size_t n, Term term) {
  Rounded sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum = sum + term(i);
  return sum;
}

/// Σ x[i] · y[i · stride], n products
Rounded dot_of(const float* x, const float* y, std::size_t n, std::size_t stride = 1) {
  return sum_of(n, [&](std::size_t i) { return Rounded(x[i]) * Rounded(y[i * stride]); });
}

/// Rows and columns: zero, one, around the width of vectors and of blocks, and enough for several cores.
struct Shape {
  std::size_t rows, columns;
};
const std::vector<Shape> shapes = {{0, 5}, {1, 1}, {3, 7}, {2, 16}, {5, 17}, {4, 63}, {3, 65}, {2, 130}, {64, 700}};

TEST_CASE("elementwise operators do what they say to every number, and to no other") {
  for (std::size_t n : {0, 1, 15, 16, 17, 1000, 40'000}) {
    CAPTURE(n);
    const Array a = random(n, 1), b = random(n, 2);
    Array sum(n + 1, 7), rectified = a, updated = a;
    add(a.data(), b.data(), sum.data(), n);
    relu(rectified.data(), n);
    sgd(updated.data(), b.data(), 0.5f, n);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(sum[i] == a[i] + b[i]);
      CHECK(rectified[i] == std::max(a[i], 0.0f));
      CHECK(updated[i] == doctest::Approx(a[i] - 0.5 * b[i]).epsilon(1e-6));
    }
    CHECK(sum[n] == 7);
  }
}

TEST_CASE("a bias, a scale and a shift reach their row and column") {
  for (const Shape& shape : shapes) {
    const std::size_t rows = shape.rows, columns = shape.columns;
    const Array x = random(rows * columns, 1), bias = random(columns, 2), by = random(rows, 3), plus = random(rows, 4);
    Array biased = x, scaled = x;
    add_bias(biased.data(), bias.data(), rows, columns);
    scale_and_shift(scaled.data(), by.data(), plus.data(), rows, columns);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(biased[i] == x[i] + bias[i % columns]);
      const Rounded expected = Rounded(x[i]) * Rounded(by[i / columns]) + Rounded(plus[i / columns]);
      CHECK(error_share(scaled[i], expected) <= 1);
    }
  }
}

Rounded gelu_reference(Rounded x) {
  const Rounded z = Rounded(0.7978845608028654) * (x + Rounded(0.044715) * x * x * x);
  return Rounded(0.5) * x * (Rounded(1) + tanh_of(z));
}

TEST_CASE("GELU and its derivative, from far below zero to far above") {
  for (std::size_t n : {1, 33, 50'000}) {
    const Array x = random(n, 5, 12), dy = random(n, 6);
    Array y(n), dx = dy;
    gelu(x.data(), y.data(), n);
    gelu_backward(x.data(), dx.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(error_share(y[i], gelu_reference(x[i])) <= 1);
      constexpr double step = 1e-4;
      const auto at = [&](double by) { return gelu_reference(x[i] + by).value; };
      const double slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      CHECK(dx[i] == doctest::Approx(slope * dy[i]).epsilon(1e-5));
    }
  }
  Array extremes = {-1e4f, -100, 100, 1e4f}, y(4);
  gelu(extremes.data(), y.data(), 4);
  CHECK(std::abs(y[0]) < 1e-30f);
  CHECK(y[3] == 1e4f);
}

std::vector<Rounded> norm_reference(const float* x, const Array& gain, const Array& bias) {
  const double n = static_cast<double>(gain.size());
  const Rounded mean = sum_of(gain.size(), [&](std::size_t i) { return Rounded(x[i]); }) / Rounded(n);
  const Rounded variance =
      sum_of(gain.size(), [&](std::size_t i) { return (Rounded(x[i]) - mean) * (Rounded(x[i]) - mean); });
  const Rounded deviation = root_of(variance / Rounded(n) + Rounded(1e-5f));
  std::vector<Rounded> y;
  for (std::size_t i = 0; i < gain.size(); ++i) {
    y.push_back((Rounded(x[i]) - mean) / deviation * Rounded(gain[i]) + Rounded(bias[i]));
  }
  return y;
}

TEST_CASE("layer norm, in every row") {
  for (const Shape& shape : shapes) {
    const std::size_t rows = shape.rows, columns = shape.columns;
    CAPTURE(columns);
    const Array x = random(rows * columns, 1, 3, 1), gain = random(columns, 2, 0.5f, 1), bias = random(columns, 3);
    Array y(x.size());
    layer_norm(x.data(), gain.data(), bias.data(), y.data(), rows, columns);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::vector<Rounded> expected = norm_reference(x.data() + r * columns, gain, bias);
      for (std::size_t c = 0; c < columns; ++c) CHECK(error_share(y[r * columns + c], expected[c]) <= 1);
    }
  }
}

TEST_CASE("layer norm's way back agrees with finite differences, and adds to what was there") {
  const std::size_t rows = 3, columns = 19;
  const Array x = random(rows * columns, 1, 3), gain = random(columns, 2, 0.5f, 1), bias = random(columns, 3),
              dy = random(rows * columns, 4);
  Array dx(x.size(), 0.25f), d_gain(columns, 9), d_bias(columns, 9);
  layer_norm_backward(x.data(), gain.data(), dy.data(), dx.data(), d_gain.data(), d_bias.data(), rows, columns);
  const auto loss = [&](const Array& at, const Array& g, const Array& b) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto y = norm_reference(at.data() + r * columns, g, b);
      for (std::size_t c = 0; c < columns; ++c) sum += y[c].value * dy[r * columns + c];
    }
    return sum;
  };
  const auto slope = [&](const Array& of, std::size_t i, auto loss_at) {
    constexpr float step = 0x1p-8f;
    Array more = of, less = of;
    more[i] += step;
    less[i] -= step;
    return (loss_at(more) - loss_at(less)) / (static_cast<double>(more[i]) - less[i]);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = slope(x, i, [&](const Array& at) { return loss(at, gain, bias); });
    CHECK(dx[i] - 0.25 == doctest::Approx(expected).epsilon(1e-4));
  }
  for (std::size_t c = 0; c < columns; ++c) {
    CHECK(d_gain[c] == doctest::Approx(slope(gain, c, [&](const Array& g) { return loss(x, g, bias); })).epsilon(1e-5));
    CHECK(d_bias[c] == doctest::Approx(slope(bias, c, [&](const Array& b) { return loss(x, gain, b); })).epsilon(1e-5));
  }
}

TEST_CASE("softmax, each row on what it may see") {
  for (const Shape& shape : shapes) {
    const std::size_t rows = shape.rows, columns = shape.columns;
    CAPTURE(columns);
    for (std::size_t first : {std::size_t{0}, columns / 2, columns}) {
      const Array x = random(rows * columns, 1, 20);
      const std::size_t period = std::max<std::size_t>(columns - std::min(first, columns), 1);
      Array y = x;
      causal_softmax(y.data(), 0.3f, rows, columns, first, period);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t seen = std::min(first + r % period + 1, columns);
        const auto row = x.begin() + static_cast<std::ptrdiff_t>(r * columns);
        const float highest = *std::max_element(row, row + static_cast<std::ptrdiff_t>(seen));
        std::vector<Rounded> expected;
        Rounded sum = 0;
        for (std::size_t c = 0; c < seen; ++c) {
          expected.push_back(exponential_of(Rounded(0.3f) * (Rounded(x[r * columns + c]) - Rounded(highest))));
          sum = sum + expected.back();
        }
        for (std::size_t c = 0; c < seen; ++c) CHECK(error_share(y[r * columns + c], expected[c] / sum) <= 1);
        for (std::size_t c = seen; c < columns; ++c) CHECK(y[r * columns + c] == 0);
      }
    }
  }
}

TEST_CASE("cross-entropy: the loss of what is certain is nothing, of what is even the logarithm of the choices") {
  const std::vector<int> targets = {2, 0};
  Array certain = {-50, -50, 50, 50, -50, -50};
  CHECK(cross_entropy(certain.data(), targets, 3) == doctest::Approx(0));
  Array even(2 * 1000, 3.5f);
  CHECK(cross_entropy(even.data(), targets, 1000) == doctest::Approx(std::log(1000.0)));
  CHECK(even[2] == doctest::Approx((0.001 - 1) / 2));
  CHECK(even[3] == doctest::Approx(0.001 / 2));
}

TEST_CASE("sums of columns, and the highest of many") {
  for (const Shape& shape : shapes) {
    const std::size_t rows = shape.rows, columns = shape.columns;
    Array x = random(rows * columns, 1), sums(columns, 5);
    column_sums(x.data(), sums.data(), rows, columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const Rounded expected = sum_of(rows, [&](std::size_t r) { return Rounded(x[r * columns + c]); });
      CHECK(error_share(sums[c], expected) <= 1);
    }
    if (x.empty()) continue;
    const std::size_t where = x.size() * 2 / 3;
    x[where] = 2;
    CHECK(index_of_highest(x.data(), x.size()) == static_cast<int>(where));
  }
}

TEST_CASE("pools of odd and even pictures") {
  for (std::size_t side : {1, 2, 5, 8}) {
    const std::size_t channels = 3, out = (side + 1) / 2;
    const Array x = random(channels * side * side, 1);
    Array y(channels * out * out), means(channels);
    max_pool(x.data(), y.data(), channels, side, side);
    average_pool(x.data(), means.data(), channels, side * side);
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < side * side; ++i) sum += x[c * side * side + i];
      CHECK(means[c] == doctest::Approx(sum / static_cast<double>(side * side)).epsilon(1e-5));
      for (std::size_t i = 0; i < out * out; ++i) {
        float highest = -2;
        for (std::size_t j = 0; j < side * side; ++j) {
          const long di = static_cast<long>(j / side) - 2 * static_cast<long>(i / out);
          const long dj = static_cast<long>(j % side) - 2 * static_cast<long>(i % out);
          if (std::abs(di) <= 1 && std::abs(dj) <= 1) highest = std::max(highest, x[c * side * side + j]);
        }
        CHECK(y[c * out * out + i] == highest);
      }
    }
  }
}

TEST_CASE("products with few rows, whatever is left over at the edges") {
  for (std::size_t rows : {0, 1, 2, 3, 7, 16}) {
    for (std::size_t in : {0, 1, 15, 16, 40, 768, 1601}) {  // the last is split into parts
      for (std::size_t out : {1, 3, 8, 21}) {
        const Array x = random(rows * in, 1), weight = random(out * in, 2);
        Array y(rows * out + 1, 7);
        thin_product(x.data(), weight.data(), y.data(), rows, in, out);
        for (std::size_t i = 0; i < rows * out; ++i) {
          CHECK(error_share(y[i], dot_of(x.data() + i / out * in, weight.data() + i % out * in, in)) <= 1);
        }
        CHECK(y.back() == 7);
      }
    }
  }
}

TEST_CASE("attention of one token: scores and mixtures") {
  for (std::size_t count : {1, 2, 15, 16, 17, 50}) {
    for (std::size_t width : {1, 16, 33, 64, 147}) {
      const Array query = random(width, 1), keys = random(count * width, 2), weights = random(count, 3);
      Array scores(count), mixed(width, 9);
      score_keys(query.data(), keys.data(), scores.data(), count, width, keys.data());
      mix_values(weights.data(), keys.data(), mixed.data(), count, width, keys.data());
      for (std::size_t j = 0; j < count; ++j)
        CHECK(error_share(scores[j], dot_of(query.data(), &keys[j * width], width)) <= 1);
      for (std::size_t i = 0; i < width; ++i)
        CHECK(error_share(mixed[i], dot_of(weights.data(), &keys[i], count, width)) <= 1);
    }
  }
}

TEST_CASE("im2col lays out what each window sees, zero outside") {
  for (std::size_t kernel : {1, 3, 7}) {
    for (std::size_t stride : {1, 2}) {
      for (std::size_t height : {1, 4, 7}) {
        const std::size_t width = height + 2, channels = 2, pad = kernel / 2;
        const std::size_t rows = windows(height, kernel, stride), columns = windows(width, kernel, stride);
        const Array x = random(channels * height * width, 1);
        Array y(channels * kernel * kernel * rows * columns + 1, 7);
        im2col(x.data(), y.data(), channels, height, width, kernel, stride);
        for (std::size_t at = 0; at + 1 < y.size(); ++at) {
          const std::size_t j = at % columns, i = at / columns % rows, row = at / columns / rows;
          const std::size_t from_i = i * stride + row / kernel % kernel, from_j = j * stride + row % kernel;
          const bool inside = from_i >= pad && from_j >= pad && from_i - pad < height && from_j - pad < width;
          const std::size_t channel = row / kernel / kernel;
          CHECK(y[at] == (inside ? x[(channel * height + from_i - pad) * width + from_j - pad] : 0));
        }
        CHECK(y.back() == 7);
      }
    }
  }
}

TEST_CASE("reading changes nothing, up to the last number") {
  for (std::size_t n : {0, 1, 127, 128, 5000, 100'000}) {
    const Array x = random(n, 1), before = x;
    read_all(x.data(), n);
    CHECK(x == before);
  }
}

TEST_CASE("embeddings are looked up, and their gradients are put back") {
  const std::size_t width = 5;
  const std::vector<int> tokens = {3, 1, 3, 0};
  const Array table = random(4 * width, 1), positions = random(6 * width, 2);
  Array y(4 * width), d_table(4 * width, 0.5f), d_positions(2 * width, 9);
  embed(tokens, table.data(), positions.data(), y.data(), width, 1, 2);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t row = i / width, word = static_cast<std::size_t>(tokens[row]);
    CHECK(y[i] == table[word * width + i % width] + positions[(1 + row % 2) * width + i % width]);
  }
  embed_backward(tokens, y.data(), d_table.data(), d_positions.data(), width, 2);
  for (std::size_t i = 0; i < width; ++i) {
    CHECK(d_table[3 * width + i] == doctest::Approx(0.5 + y[i] + y[2 * width + i]));
    CHECK(d_table[2 * width + i] == 0.5f);
    CHECK(d_positions[width + i] == doctest::Approx(y[width + i] + y[3 * width + i]));
  }
}

}  // namespace
}  // namespace hf::workload

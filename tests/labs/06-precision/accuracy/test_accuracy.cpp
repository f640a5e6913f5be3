// The distance of one distribution from another; the rotation; and a model in few bits, compared with fp64.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>
#include <vector>

#include "06-precision/bench/accuracy.hpp"
#include "06-precision/bench/divergence.hpp"
#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/formats/rotation.hpp"
#include "06-precision/kernels/formats/sqnr.hpp"
#include "kit/random.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace {

TEST_CASE("the divergence of two coins") {
  const double p = 0.8, q = 0.5;
  const std::vector<double> p_logits = {std::log(p) + 7, std::log(1 - p) + 7};
  const std::vector<float> q_logits = {3, 3};
  CHECK(divergence(p_logits, q_logits) == doctest::Approx(p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q))));
  CHECK(entropy(p_logits) == doctest::Approx(-p * std::log(p) - (1 - p) * std::log(1 - p)));
}

TEST_CASE("no distribution diverges from itself, however its logits are shifted") {
  const std::vector<double> p = {1, -2, 0.5, 30};
  CHECK(divergence(p, std::vector<float>{1, -2, 0.5, 30}) == 0);
  CHECK(std::abs(divergence(p, std::vector<float>{101, 98, 100.5, 130})) < 1e-15);
}

TEST_CASE("large logits do not overflow, and improbable tokens cost nothing") {
  CHECK(divergence(std::vector<double>{1000, 0}, std::vector<float>{1000, 100}) == doctest::Approx(0));
  CHECK(divergence(std::vector<double>{0, 0}, std::vector<float>{-5000, 0}) == doctest::Approx(2500 - std::log(2)));
  CHECK(entropy(std::vector<double>(64, 900)) == doctest::Approx(std::log(64)));
}

TEST_CASE("noise of variance s² on the logits diverges by s² / 2, and a tiny one is not lost in rounding") {
  constexpr std::size_t tokens = 100000;
  const std::vector<double> p = normal_numbers(tokens, 3), noise = normal_numbers(tokens, 5);
  for (double spread : {0.1, 1e-3}) {
    std::vector<float> q(tokens);
    for (std::size_t i = 0; i < tokens; ++i) q[i] = static_cast<float>(p[i] + spread * noise[i]);
    CHECK(divergence(p, q) == doctest::Approx(spread * spread / 2).epsilon(0.05));
  }
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST_CASE("a rotation keeps every product, and can be undone") {
  for (std::size_t columns : {1, 2, 64, 1024}) {
    const Rotation rotation(9);
    const std::vector<float> a = random_floats(columns, 1), b = random_floats(columns, 2);
    std::vector<float> rotated_a = a, rotated_b = b;
    rotation.apply(rotated_a, columns);
    rotation.apply(rotated_b, columns);
    CHECK(dot(rotated_a, rotated_b) == doctest::Approx(dot(a, b)).epsilon(1e-5));
    rotation.undo(rotated_a, columns);
    for (std::size_t i = 0; i < columns; ++i) CHECK(rotated_a[i] == doctest::Approx(a[i]).epsilon(1e-4));
  }
}

TEST_CASE("each row is rotated alike") {
  const Rotation rotation(9);
  std::vector<float> rows = random_floats(3 * 128, 1), second(rows.begin() + 128, rows.begin() + 256);
  rotation.apply(rows, 128);
  rotation.apply(second, 128);
  CHECK(std::vector<float>(rows.begin() + 128, rows.begin() + 256) == second);
}

TEST_CASE("one large number is spread over all, evenly, with signs") {
  std::vector<float> row(256, 0.0f);
  row[77] = 32;
  Rotation(9).apply(row, 256);
  const std::set<float> values(row.begin(), row.end());
  CHECK(values == std::set<float>{-2, 2});
}

TEST_CASE("signs are drawn: another sequence is another rotation") {
  std::vector<float> a(256, 1.0f), b(256, 1.0f);
  Rotation(9).apply(a, 256);
  Rotation(10).apply(b, 256);
  CHECK(a != b);
  float largest = 0;
  for (float x : a) largest = std::max(largest, std::abs(x));
  CHECK(largest < 5);  // Hadamard's matrix alone would turn them into one number, 16
}

constexpr workload::TransformerShape tiny = {2, 64, 2, 512, 16};

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (double number : numbers) sum += number / static_cast<double>(numbers.size());
  return sum;
}

struct TinyModel {
  TinyModel() : model(tiny) { fill_as_trained(model); }
  workload::Transformer model;
};

TEST_CASE("Student's t has a variance of 1, and tails that a normal distribution has not") {
  const std::vector<float> x = student_numbers(200000, 4);
  double variance = 0, far = 0, near = 0;
  for (float v : x) {
    variance += v * v / 200000.0;
    far += std::abs(v) > 5 ? 1 : 0;
    near += std::abs(v) < 0.5 ? 1 : 0;
  }
  CHECK(variance == doctest::Approx(1).epsilon(0.05));
  // With 5 degrees of freedom P(|t| > 5 √(5/3)) = 0.00136 and P(|t| < 0.5 √(5/3)) = 0.4528; a normal: 6e-7 and 0.383.
  CHECK(far / 200000 == doctest::Approx(0.00136).epsilon(0.2));
  CHECK(near / 200000 == doctest::Approx(0.4528).epsilon(0.01));
}

TEST_CASE("a trained network is as uncertain as it was made to be") {
  const TinyModel tiny_model;
  const ExactModel exact(tiny_model.model, 2, 4);
  CHECK(exact.logit_variance() == doctest::Approx(logit_spread * logit_spread).epsilon(0.3));
  CHECK(exact.entropy() > 0.5);
  CHECK(exact.entropy() < std::log(512) - 1);
}

TEST_CASE("fewer bits diverge more") {
  const TinyModel tiny_model;
  const ExactModel exact(tiny_model.model, 2, 4);
  const auto nats = [&](Format format) { return mean(exact.divergence(tiny_model.model, format)); };
  CHECK(nats(Format::fp32) < 1e-9);
  CHECK(nats(Format::fp16) < nats(Format::bf16));
  CHECK(nats(Format::bf16) < nats(Format::q8_0));
  CHECK(nats(Format::q8_0) < nats(Format::int8));
  CHECK(nats(Format::q8_0) < nats(Format::q4_0) / 20);
}

TEST_CASE("large channels change nothing in fp32, and much in int8 with one scale; a rotation mends it") {
  TinyModel tiny_model;
  workload::Transformer& model = tiny_model.model;
  const ExactModel exact(model, 2, 4);
  const auto nats = [&](Format format, const Rotation* rotation = nullptr) {
    return mean(exact.divergence(*rounded_in(model, format, rotation), Format::fp32));
  };
  const double before = nats(Format::int8);
  for (float factor : {32.0f, 1.0f / 1024}) {  // 32, then 1/32
    enlarge_channels(model, std::array<std::size_t, 2>{3, 40}, factor);
    CHECK(mean(exact.divergence(model, Format::fp32)) < 1e-9);
  }
  const Rotation rotation(6250);
  CHECK(nats(Format::int8) > 5 * before);
  CHECK(nats(Format::int8, &rotation) < nats(Format::int8) / 5);
  CHECK(nats(Format::fp32) < 1e-9);
  CHECK(nats(Format::fp32, &rotation) < 1e-9);
}

TEST_CASE("a rotation spoils a float where loud channels meet quiet ones, and helps where they meet loud ones") {
  const Rotation rotation(6250);
  const auto check = [&](double x_factor, double w_factor, double expected) {
    const std::vector<double> x = rows_with_loud_channels(1, x_factor), w = rows_with_loud_channels(3, w_factor);
    const double predicted = rotated_noise_predicted(x, w);
    CHECK(predicted == doctest::Approx(expected).epsilon(0.3));
    CHECK(product_noise(x, w, &rotation) / product_noise(x, w, nullptr) == doctest::Approx(predicted).epsilon(0.5));
  };
  // Two of 256 channels: the loud ones have 2 · 1024 of a power of 254 + 2 · 1024.
  check(1.0 / 32, 32, 254 * 2302.0 / 256 / 256);
  check(32, 1, 1);
  check(32, 32, 2302 * 2302.0 / 256 / (254 + 2 * 1024 * 1024));
}

TEST_CASE("the noise of weights is what Student's t leaves each format") {
  workload::Transformer model({1, 256, 4, 64, 8});
  fill_as_trained(model);
  CHECK(weight_noise(model, Format::fp32) == 0);
  CHECK(10 * std::log10(weight_noise(model, Format::fp8_e4m3)) == doctest::Approx(-31.5).epsilon(0.01));
  CHECK(weight_noise(model, Format::nvfp4) < weight_noise(model, Format::q4_0));  // other than on N(0, 1)
}

}  // namespace
}  // namespace hf::precision

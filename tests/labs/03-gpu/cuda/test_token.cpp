// The kernels of one token, run on the processor (see cuda_on_cpu.hpp), compared with chapter 00's model and, one by
// one, with references in double precision.
#include "cuda_on_cpu.hpp"
// The kernels are included after the declarations that they need.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "03-gpu/kernels/cuda/token.cuh"
#include "kit/random.hpp"
#include "token_cases.hpp"

namespace hf::gpu {
namespace {

std::size_t size_of(int numbers) { return static_cast<std::size_t>(numbers); }

std::vector<Bf16> random_bf16(int count, std::uint32_t sequence) {
  std::vector<Bf16> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(to_bf16(random_number(sequence, size_of(i))));
  return numbers;
}

/// Runs one token, and says what it left.
TokenResult run(ReferenceText& text, int token, int position, int first, int last) {
  const workload::TransformerShape& shape = text.model.shape();
  const std::size_t c = shape.width;
  TextEnd end = {token, position};
  std::vector<float> x(c, NAN), query(c, NAN);
  std::vector<Bf16> normed(c, {0xffff}), attended(normed), active(4 * c, {0xffff});
  TokenResult result = {std::vector<float>(shape.vocabulary, NAN), text.keys_or_values(0), text.keys_or_values(1), 0,
                        0};
  const TokenMemory memory = {&end,
                              x.data(),
                              query.data(),
                              result.logits.data(),
                              normed.data(),
                              attended.data(),
                              active.data(),
                              result.keys.data(),
                              result.values.data(),
                              static_cast<int>(text.cache.capacity())};
  Token(shape, {text.weights.data(), text.model.weights()}, memory).launch(nullptr, first, last);
  result.token = end.token;
  result.position = end.position;
  return result;
}

void check(const workload::TransformerShape& shape, int position, int next) {
  CAPTURE(shape.width);
  CAPTURE(position);
  ReferenceText text(shape, shape.context);
  const TokenResult result = run(text, 7, position, 3, static_cast<int>(shape.context));
  check_token(text, result, 7, position, next);
}

TEST_CASE("one token: the logits of chapter 00's model, its keys and values, and the next token") {
  check({1, 64, 1, 50, 40}, 0, 1);
  check({1, 64, 1, 50, 40}, 39, 3);
  check({2, 128, 2, 301, 70}, 40, 41);
}

TEST_CASE("attention covers every position up to the latest, and no other") {
  const int capacity = 300;
  const std::vector<Bf16> keys = random_bf16(2 * capacity * head_width, 1),
                          values = random_bf16(2 * capacity * head_width, 2);
  std::vector<float> query(2 * head_width);
  fill_random(query, 3, 3.0f);
  for (const int position : {0, 1, 31, 32, 255, 256, 299}) {
    CAPTURE(position);
    const TextEnd end = {0, position};
    std::vector<Bf16> to(2 * head_width, {0xffff});
    HF_LAUNCH_IN(nullptr, attend_kernel, 2, row_threads, &end, query.data(), keys.data(), values.data(), capacity,
                 to.data());
    for (int i = 0; i < 2 * head_width; ++i) {
      const int head = i / head_width * head_width;
      double sum = 0, mixed = 0, magnitudes = 0;
      for (int p = 0; p <= position; ++p) {
        const std::size_t row = size_of((head / head_width * capacity + p) * head_width);
        double score = 0;
        for (int j = 0; j < head_width; ++j)
          score += double{query[size_of(head + j)]} * to_float(keys[row + size_of(j)]);
        const double weight = std::exp(score / 8), value = to_float(values[row + size_of(i - head)]);
        sum += weight;
        mixed += weight * value;
        magnitudes += weight * std::abs(value);
      }
      // One rounding to bf16; scores of at most 24 in sum, each of 64 products in fp32, shift weights by their error.
      const double right = mixed / sum, bound = 0x1p-8 * std::abs(right) + 100 * 24 * 0x1p-24 * magnitudes / sum;
      REQUIRE(std::abs(to_float(to[size_of(i)]) - right) <= bound);
    }
  }
}

TEST_CASE("layer norm, in rows shorter and longer than a block") {
  for (const int width : {8, 64, 768, 1000}) {
    CAPTURE(width);
    std::vector<float> x(size_of(width));
    fill_random(x, 5, 2.0f, 10.0f);  // far from zero
    const std::vector<Bf16> gain = random_bf16(width, 6), bias = random_bf16(width, 7);
    std::vector<Bf16> to(size_of(width) + 1, {0x1234});
    HF_LAUNCH_IN(nullptr, layer_norm_kernel, 1, row_threads, x.data(), gain.data(), bias.data(), width, to.data());
    double mean = 0, variance = 0;
    for (const float each : x) mean += each / double(width);
    for (const float each : x) variance += (each - mean) * (each - mean) / width;
    for (int i = 0; i < width; ++i) {
      const double normed = (x[size_of(i)] - mean) / std::sqrt(variance + 1e-5) * to_float(gain[size_of(i)]);
      const double right = normed + to_float(bias[size_of(i)]);
      // A rounding to bf16, and a mean that is off by some roundings of 12.
      REQUIRE(std::abs(to_float(to[size_of(i)]) - right) <= 0x1p-8 * std::abs(right) + 1e-5);
    }
    CHECK(to.back().bits == 0x1234);
  }
}

TEST_CASE("the first of the highest logits is chosen, wherever it lies") {
  for (const int vocabulary : {1, 5000}) {
    for (const int at : {0, vocabulary / 3, vocabulary - 1}) {
      std::vector<float> logits(size_of(vocabulary), -3.0f);
      logits[size_of(at)] = logits.back() = -2.0f;
      TextEnd end = {-1, 8};
      HF_LAUNCH_IN(nullptr, choose_kernel, 1, choice_threads, logits.data(), vocabulary, 4, 10, &end);
      CHECK(end.token == at);
      CHECK(end.position == 9);
      HF_LAUNCH_IN(nullptr, choose_kernel, 1, choice_threads, logits.data(), vocabulary, 4, 10, &end);
      CHECK(end.position == 4);
    }
  }
}

}  // namespace
}  // namespace hf::gpu

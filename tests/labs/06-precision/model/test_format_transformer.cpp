// The transformer that decodes with its weights in few bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/gemv/tile_kernels.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/transformer/loops.hpp"
#include "kit/transformer/reference.hpp"
#include "kit/transformer/tensors.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace {

using workload::KvCache;
using workload::Transformer;
using workload::TransformerShape;

constexpr TransformerShape small = {2, 64, 4, 97, 16};
const std::vector<int> text = {5, 96, 0, 41, 41, 12};

/// Weights large enough for every part of a small network to matter.
void make_lively(Transformer& model) {
  for (std::size_t i = 0; i < model.weights().list().size(); ++i) {
    const workload::Tensor& tensor = model.weights().list()[i];
    const bool gain = tensor.name.find("gain") != std::string::npos;
    fill_random(model.weights().all().subspan(tensor.offset, tensor.size), i, gain ? 0.5f : 0.2f, gain ? 1.0f : 0.0f);
  }
}

/// Replaces the matrices by the numbers that a format encodes.
void round_matrices(Transformer& model, Format format) {
  const auto rounded = [&](float* weight, std::size_t rows, std::size_t columns) {
    const std::vector<float> values = decode(encode(format, {weight, rows * columns}, rows, columns));
    std::copy(values.begin(), values.end(), weight);
  };
  const std::size_t c = model.shape().width;
  for (const auto& layer : model.weights().layers) {
    rounded(layer.qkv_weight, 3 * c, c);
    rounded(layer.out_weight, c, c);
    rounded(layer.up_weight, 4 * c, c);
    rounded(layer.down_weight, c, 4 * c);
  }
  rounded(model.weights().token_embedding, model.shape().vocabulary, c);
}

/// Logits after each token of the text, decoded one by one, and the expected ones from the decoded weights.
struct Comparison {
  std::vector<std::vector<float>> logits;
  std::vector<std::vector<Rounded>> right;
};

Comparison compare(Format format) {
  Transformer model(small);
  make_lively(model);
  FormatTransformer writer(model, format);
  KvCache cache(small, 1, text.size());
  Comparison comparison;
  for (std::size_t t = 0; t < text.size(); ++t) {
    const std::span<const float> logits = writer.decode(text[t], t, cache);
    comparison.logits.emplace_back(logits.begin(), logits.end());
  }
  round_matrices(model, format);
  comparison.right = workload::reference_transformer<Rounded>(small, {model.weights().all().data()}, text);
  return comparison;
}

TEST_CASE("formats that leave activations alone: logits within what rounding in fp32 allows") {
  for (Format format : all_formats) {
    if (is_whole(format) || is_bf16(format)) continue;
    CAPTURE(id(format));
    const Comparison comparison = compare(format);
    for (std::size_t t = 0; t < text.size(); ++t) {
      CHECK(worst_error_share(comparison.logits[t], comparison.right[t]) <= 1);
    }
  }
}

// A block of 32 activations with the largest a is rounded to multiples of a / 127, so each is wrong by a / 254 at most.
// Since a² is at most the sum of the block's squares, the error of a vector is at most √32 / 254 of its length. The
// relative error of a product is about the same, because no direction of the error is special; and there are 4 products
// in a layer and one at the end, with independent errors. In bf16 each number is wrong by at most 2^-8 of itself.
TEST_CASE("formats that round activations: logits within what that allows") {
  for (Format format : all_formats) {
    if (!is_whole(format) && !is_bf16(format)) continue;
    CAPTURE(id(format));
    const double bound = std::sqrt(4.0 * small.layers + 1) * (is_whole(format) ? std::sqrt(32.0) / 254 : 0x1p-8);
    const Comparison comparison = compare(format);
    for (std::size_t t = 0; t < text.size(); ++t) {
      double error = 0, all = 0;
      for (std::size_t i = 0; i < small.vocabulary; ++i) {
        const double right = comparison.right[t][i].value;
        error += std::pow(comparison.logits[t][i] - right, 2);
        all += right * right;
      }
      CHECK(std::sqrt(error / all) <= bound);
    }
  }
}

std::vector<int> greedy_text(FormatTransformer& writer, std::size_t length) {
  KvCache cache(writer.shape(), 1, length);
  std::vector<int> tokens = {1};
  for (std::size_t t = 0; t < length; ++t) {
    const std::span<const float> logits = writer.decode(tokens.back(), t, cache);
    tokens.push_back(workload::index_of_highest(logits.data(), logits.size()));
  }
  return tokens;
}

TEST_CASE("one core writes the same text as all of them") {
  constexpr TransformerShape shared = {2, 256, 4, 1003, 64};  // products and attention run on several threads
  Transformer model(shared);
  make_lively(model);
  for (Format format : all_formats) {
    CAPTURE(id(format));
    FormatTransformer writer(model, format);
    const std::vector<int> tokens = greedy_text(writer, shared.context);
    const OneCore here;
    CHECK(greedy_text(writer, shared.context) == tokens);
  }
}

TEST_CASE("without its products a token leaves the logits of the one before") {
  Transformer model(small);
  make_lively(model);
  FormatTransformer writer(model, Format::q4_0);
  KvCache cache(small, 1, 4);
  const auto decode = [&](int token, std::size_t position, Products products) {
    const std::span<const float> logits = writer.decode(token, position, cache, products);
    return std::vector<float>(logits.begin(), logits.end());
  };
  const std::vector<float> first = decode(5, 0, Products::run);
  CHECK(decode(96, 1, Products::leave_out) == first);
  CHECK(decode(5, 0, Products::run) == first);  // and nothing of it remains
}

TEST_CASE("a token of no vocabulary and a position past the cache or the context are refused") {
  Transformer model(small);
  FormatTransformer writer(model, Format::q8_0);
  KvCache cache(small, 1, 3), large(small, 1, small.context + 1);
  CHECK_NOTHROW(writer.decode(96, 2, cache));
  CHECK_THROWS_WITH_AS(writer.decode(97, 0, cache), "decode: token 97 is not in the vocabulary of 97",
                       std::invalid_argument);
  CHECK_THROWS_AS(writer.decode(-1, 0, cache), std::invalid_argument);
  CHECK_THROWS_WITH_AS(writer.decode(0, 3, cache), "decode: position 3 is past a cache of 3 tokens or a context of 16",
                       std::invalid_argument);
  CHECK_NOTHROW(writer.decode(0, 15, large));
  CHECK_THROWS_AS(writer.decode(0, 16, large), std::invalid_argument);
}

TEST_CASE("layers that share their weights write as layers with equal ones do") {
  Transformer one({1, 64, 4, 97, 16}), two(small);
  make_lively(one);
  std::copy_n(one.weights().token_embedding, 97 * 64, two.weights().token_embedding);
  std::copy_n(one.weights().position_embedding, 16 * 64, two.weights().position_embedding);
  const auto& from = one.weights().layers[0];
  for (const auto& to :
       two.weights().layers)  // a layer's tensors are stored one after the other, from norm 1 to the end of down
    std::copy(from.norm1_gain, from.down_bias + 64, to.norm1_gain);
  std::copy_n(one.weights().norm_gain, 64, two.weights().norm_gain);
  std::copy_n(one.weights().norm_bias, 64, two.weights().norm_bias);
  one.weights().layers.resize(2, from);
  for (const Format format : {Format::fp32, Format::int8_channel, Format::q4_0}) {
    CAPTURE(id(format));
    FormatTransformer shared({small, one.weights()}, format), own(two, format);
    CHECK(greedy_text(shared, 16) == greedy_text(own, 16));
    CHECK(shared.bytes_per_token(3) == own.bytes_per_token(3));
  }
}

TEST_CASE("a token reads all matrices, norms and biases, a position and the cache") {
  Transformer model(small);
  FormatTransformer fp32(model, Format::fp32), q4(model, Format::q4_0);
  const std::size_t weights = small.layers * 12 * 64 * 64 + 97 * 64;
  CHECK(fp32.matrix_bytes() >= 4 * weights);
  CHECK(q4.matrix_bytes() * 4 * 8 >= fp32.matrix_bytes() * 9 / 2);  // 4.5 bits each, or more with padding
  CHECK(q4.matrix_bytes() < fp32.matrix_bytes() / 4);
  const std::size_t beside_matrices = small.parameters() - weights - 15 * 64;  // of 16 positions, one is read
  CHECK(fp32.bytes_per_token(0) == fp32.matrix_bytes() + 4 * beside_matrices + small.cache_bytes_per_token());
  CHECK(q4.bytes_per_token(9) - q4.bytes_per_token(4) == 5 * small.cache_bytes_per_token());
}

}  // namespace
}  // namespace hf::precision

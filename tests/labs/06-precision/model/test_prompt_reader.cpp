// A prompt that is read at once leaves the network where its tokens leave it one by one.
#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "06-precision/kernels/formats/formats.hpp"
#include "06-precision/kernels/model/format_transformer.hpp"
#include "06-precision/kernels/model/prompt_reader.hpp"
#include "kit/loop_team.hpp"
#include "kit/random.hpp"
#include "kit/relative_distance.hpp"
#include "kit/transformer/tensors.hpp"
#include "kit/transformer/transformer.hpp"

namespace hf::precision {
namespace {

using workload::KvCache;
using workload::Transformer;
using workload::TransformerShape;

constexpr TransformerShape small = {3, 96, 2, 97, 64};

/// A model with weights large enough for every part of it to matter.
Transformer lively() {
  Transformer model(small);
  for (std::size_t i = 0; i < model.weights().list().size(); ++i) {
    const workload::Tensor& tensor = model.weights().list()[i];
    const bool gain = tensor.name.find("gain") != std::string::npos;
    fill_random(model.weights().all().subspan(tensor.offset, tensor.size), i, gain ? 0.5f : 0.2f, gain ? 1.0f : 0.0f);
  }
  return model;
}

std::vector<int> text(std::size_t length) {
  std::vector<int> tokens;
  for (std::size_t i = 0; i < length; ++i) tokens.push_back(static_cast<int>((7919 * i + 1) % small.vocabulary));
  return tokens;
}

std::vector<float> copy_of(std::span<const float> numbers) { return {numbers.begin(), numbers.end()}; }

TEST_CASE("a prompt gives the logits of its tokens one by one, and a cache to go on from") {
  const Transformer model = lively();
  for (const Format format : {Format::fp32, Format::bf16, Format::q8_0, Format::q4_0}) {
    FormatTransformer writer(model, format);
    PromptReader reader(writer);
    CAPTURE(id(format));
    for (const std::size_t length : {1, 2, 15, 40}) {
      CAPTURE(length);
      const std::vector<int> tokens = text(length + 1);
      KvCache one_by_one(small, 1, 64), at_once(small, 1, 64);
      std::vector<float> expected;
      for (std::size_t t = 0; t < length; ++t) expected = copy_of(writer.decode(tokens[t], t, one_by_one));
      for (const bool alone : {false, true}) {
        std::optional<OneCore> one;
        if (alone) one.emplace();
        const std::vector<float> logits = copy_of(reader.read(std::span(tokens).first(length), at_once));
        CHECK(relative_distance(logits, expected) < 0.03);
      }
      const std::vector<float> next = copy_of(writer.decode(tokens[length], length, one_by_one));
      CHECK(relative_distance(copy_of(writer.decode(tokens[length], length, at_once)), next) < 0.03);
    }
  }
}

TEST_CASE("layers that share their weights are read like others") {
  TransformerShape one_layer = small;
  one_layer.layers = 1;
  workload::TransformerTensors weights(one_layer);
  weights.randomise();
  weights.layers.resize(small.layers, weights.layers.front());
  FormatTransformer writer(ModelView(small, weights), Format::q8_0);
  PromptReader reader(writer);
  const std::vector<int> tokens = text(20);
  KvCache one_by_one(small, 1, 64), at_once(small, 1, 64);
  std::vector<float> expected;
  for (std::size_t t = 0; t < tokens.size(); ++t) expected = copy_of(writer.decode(tokens[t], t, one_by_one));
  CHECK(relative_distance(copy_of(reader.read(tokens, at_once)), expected) < 0.03);
}

}  // namespace
}  // namespace hf::precision

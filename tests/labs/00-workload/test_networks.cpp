// The networks compared with their double-precision references, and the backward pass with finite differences.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "00-workload/check/checks.hpp"
#include "00-workload/check/reference.hpp"
#include "00-workload/kernels/account.hpp"
#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/tensors.hpp"
#include "00-workload/kernels/training.hpp"
#include "00-workload/kernels/transformer.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/work.hpp"

namespace hf::workload {
namespace {

std::vector<int> random_tokens(std::size_t count, std::size_t vocabulary, std::uint64_t sequence = 7) {
  std::vector<int> tokens(count);
  fill_random(tokens, sequence, static_cast<int>(vocabulary));
  return tokens;
}

/// Weights large enough for every part of a small network to matter.
Transformer lively(const TransformerShape& shape, float spread = 0.5f) {
  Transformer model(shape);
  for (float& weight : model.weights().all()) weight *= spread / 0.035f;
  for (std::size_t i = 0; const Tensor& tensor : model.weights().list()) {
    if (tensor.name.find("gain") != std::string::npos) {
      fill_random(model.weights().all().subspan(tensor.offset, tensor.size), 100 + i, 0.5f, 1);
    }
    ++i;
  }
  return model;
}

const std::vector<TransformerShape> shapes = {
    {2, 16, 4, 23, 12}, {1, 6, 1, 5, 9}, {3, 12, 3, 40, 20}, {2, 33, 3, 17, 11}, {1, 1, 1, 2, 3}};

TEST_CASE("logits agree with a plain transformer in double precision") {
  for (const TransformerShape& shape : shapes) {
    CAPTURE(shape.width);
    const Transformer model = lively(shape);
    for (std::size_t length : {std::size_t{1}, std::size_t{2}, shape.context}) {
      const std::vector<int> tokens = random_tokens(length, shape.vocabulary, length);
      KvCache cache(shape, 1, length);
      Activations activations(shape, 1, length, length, Activations::Keep::latest_layer);
      Ledger ledger;
      const auto expected = reference_transformer<Rounded>(shape, {model.weights().all().data()}, tokens, length - 1);
      const auto logits = model.forward({tokens, 1, 0}, cache, activations, ledger);
      REQUIRE(logits.size() == shape.vocabulary);
      CHECK(worst_error_share(logits, expected.front()) <= 1);
    }
  }
}

TEST_CASE("decoding with the KV cache gives what the whole text would give, whatever the batch") {
  for (const TransformerShape& shape : shapes) {
    CAPTURE(shape.width);
    const Transformer model = lively(shape);
    const std::size_t sequences = 3, length = shape.context, prompt = length - 2;
    const std::vector<int> tokens = random_tokens(sequences * length, shape.vocabulary);
    KvCache cache(shape, sequences, length);
    Activations prefill(shape, sequences, prompt, prompt, Activations::Keep::latest_layer);
    Activations decode(shape, sequences, 1, length, Activations::Keep::latest_layer);
    Ledger ledger;
    const auto columns = [&](std::size_t first, std::size_t count) {  // of (sequences, length)
      std::vector<int> part;
      for (std::size_t s = 0; s < sequences; ++s)
        for (std::size_t t = first; t < first + count; ++t) part.push_back(tokens[s * length + t]);
      return part;
    };
    const std::vector<int> first = columns(0, prompt);
    std::span<const float> logits = model.forward({first, sequences, 0}, cache, prefill, ledger);
    for (std::size_t t = prompt; t <= length; ++t) {
      for (std::size_t s = 0; s < sequences; ++s) {
        const std::span<const int> text = std::span(tokens).subspan(s * length, t);
        const auto expected = reference_transformer<Rounded>(shape, {model.weights().all().data()}, text, t - 1);
        CHECK(worst_error_share(logits.subspan(s * shape.vocabulary, shape.vocabulary), expected.front()) <= 1);
      }
      if (t == length) break;
      const std::vector<int> next = columns(t, 1);
      logits = model.forward({next, sequences, t}, cache, decode, ledger);
    }
  }
}

TEST_CASE("a chunk of one text and a token of two others go through together as they would alone") {
  for (const TransformerShape& shape : shapes) {
    CAPTURE(shape.width);
    const Transformer model = lively(shape);
    const std::size_t length = shape.context, before = length / 3, v = shape.vocabulary;
    const std::vector<int> text = random_tokens(length, v, 1), others = random_tokens(2 * length, v, 2);
    KvCache cache(shape, 1, length), other_cache(shape, 2, length);
    Activations activations(shape, 2 * length, 1, length, Activations::Keep::latest_layer);
    Ledger ledger;
    const auto all = std::span(text);
    const std::vector<int> begun = [&] {  // of the others, all but their last token
      std::vector<int> tokens = others;
      tokens.erase(tokens.end() - 1);
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(length) - 1);
      return tokens;
    }();
    model.forward({all.first(before), 1, 0}, cache, activations, ledger);
    model.forward({begun, 2, 0}, other_cache, activations, ledger);

    const std::vector<int> last = {others[length - 1], others[2 * length - 1]};
    const Part parts[] = {{{all.subspan(before), 1, before}, &cache}, {{last, 2, length - 1}, &other_cache}};
    const std::span<const float> logits = model.forward(parts, activations, ledger);
    REQUIRE(logits.size() == 3 * v);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto of = i == 0 ? all : std::span(others).subspan((i - 1) * length, length);
      const auto expected = reference_transformer<Rounded>(shape, {model.weights().all().data()}, of, length - 1);
      CHECK(worst_error_share(logits.subspan(i * v, v), expected.front()) <= 1);
    }
  }
}

TEST_CASE("the FLOPs of a text are those that its products report") {
  for (const TransformerShape& shape : shapes) {
    CAPTURE(shape.width);
    const Transformer model(shape);
    for (std::size_t length : {std::size_t{1}, shape.context}) {
      const std::vector<int> tokens = random_tokens(length, shape.vocabulary);
      KvCache cache(shape, 1, length);
      Activations activations(shape, 1, length, length, Activations::Keep::latest_layer);
      Ledger ledger;
      ledger.begin_pass();
      model.forward({tokens, 1, 0}, cache, activations, ledger);
      const Work work = ledger.end_pass().work(
          [](OperatorClass c) { return c == OperatorClass::gemm || c == OperatorClass::attention_product; });
      CHECK(work.flops == shape.product_flops(length));
    }
  }
}

TEST_CASE("a token costs every weight but the table of positions, and two rows in each layer for each token before") {
  CHECK(gpt2_small.decode_bytes(0) == 4.0 * (124439808 - 1024 * 768));
  CHECK(gpt2_small.decode_bytes(100) - gpt2_small.decode_bytes(0) == 4.0 * 2 * 12 * 768 * 100);
}

TEST_CASE("a wrong weight is seen in the logits") {
  const TransformerShape shape = shapes.front();
  Transformer model = lively(shape);
  const std::vector<int> tokens = random_tokens(6, shape.vocabulary);
  const auto expected = reference_transformer<Rounded>(shape, {model.weights().all().data()}, tokens, 5);
  model.weights().layers[0].down_weight[3] += 1e-3f;
  KvCache cache(shape, 1, 6);
  Activations activations(shape, 1, 6, 6, Activations::Keep::latest_layer);
  Ledger ledger;
  CHECK(worst_error_share(model.forward({tokens, 1, 0}, cache, activations, ledger), expected.front()) > 1);
}

TEST_CASE("gradients agree with finite differences of the reference's loss, for every kind of weight") {
  for (const TransformerShape& shape : shapes) {
    if (shape.width == 1) continue;  // the layer norm of one number is 0, so no gradient flows back through it
    CAPTURE(shape.width);
    CHECK(error_share_of_gradients(shape, std::min<std::size_t>(shape.context, 5)) <= 1);
  }
}

TEST_CASE("the checks that the lab makes before it times anything") {
  CHECK(error_share_of_mlp(Mlp({33, 65, 10}, 4)) <= 1);
  CHECK(error_share_of_resnet(Resnet({64, 4, 10}), 32) <= 1);
  CHECK(error_share_of_transformer(Transformer(shapes.front())) <= 1);
}

TEST_CASE("gradients of several sequences are the mean of theirs") {
  const TransformerShape shape = shapes[0];
  const Transformer model = lively(shape, 0.3f);
  const auto tokens = random_tokens(10, shape.vocabulary), targets = random_tokens(10, shape.vocabulary, 8);
  const auto half = [](const std::vector<int>& all, std::size_t which) { return std::span(all).subspan(5 * which, 5); };
  Training both(shape, 2, 5), first(shape, 1, 5), second(shape, 1, 5);
  Ledger ledger;
  const double loss = both.loss_and_gradients(model, tokens, targets, ledger);
  const double first_loss = first.loss_and_gradients(model, half(tokens, 0), half(targets, 0), ledger);
  const double second_loss = second.loss_and_gradients(model, half(tokens, 1), half(targets, 1), ledger);
  CHECK(loss == doctest::Approx((first_loss + second_loss) / 2));
  for (std::size_t i = 0; i < both.gradients().all().size(); ++i) {
    const float mean = (first.gradients().all()[i] + second.gradients().all()[i]) / 2;
    CHECK(std::abs(both.gradients().all()[i] - mean) <= 1e-5f);
  }
}

TEST_CASE("training learns: the loss on the same text falls at every step") {
  const TransformerShape shape = {2, 32, 4, 50, 16};
  Transformer model = lively(shape, 0.1f);
  const auto text = random_tokens(17, shape.vocabulary);
  const std::span<const int> tokens = std::span(text).first(16), targets = std::span(text).last(16);
  Training training(shape, 1, 16);
  Ledger ledger;
  double before = training.step(model, tokens, targets, 0.003f, ledger);
  for (int step = 0; step < 20; ++step) {
    const double after = training.step(model, tokens, targets, 0.003f, ledger);
    CHECK(after < before);
    before = after;
  }
}

TEST_CASE("what training says it needs is what it takes") {
  const TransformerShape shape = {2, 32, 4, 50, 16};
  CHECK(Training::bytes(shape, 2, 8) >= 4 * shape.parameters());
  CHECK(Transformer(shape).weights().all().size() == shape.parameters());
  CHECK(KvCache(shape, 3, 7).all().size_bytes() == 3 * 7 * shape.cache_bytes_per_token());
  CHECK(gpt2_small.parameters() == 124'439'808);  // known properties of GPT-2 small
}

TEST_CASE("the MLP's probabilities agree with their reference, picture by picture") {
  for (const MlpShape& shape : {MlpShape{7, 12, 3}, MlpShape{1, 1, 2}, MlpShape{33, 65, 10}}) {
    const std::size_t batch = 4;
    const Mlp mlp(shape, batch);
    const std::vector<float> x = random_floats(batch * shape.inputs, 1);
    Ledger ledger;
    const auto probabilities = mlp.forward(x.data(), ledger);
    for (std::size_t i = 0; i < batch; ++i) {
      const auto expected = reference_mlp(mlp, x.data() + i * shape.inputs);
      CHECK(worst_error_share(probabilities.subspan(i * shape.classes, shape.classes), expected) <= 1);
    }
  }
}

TEST_CASE("ResNet through im2col agrees with convolutions as they are defined") {
  for (std::size_t width : {3, 4}) {
    const Resnet resnet({64, width, 10});
    for (std::size_t side : {32, 64}) {
      const std::vector<float> x = random_floats(3 * side * side, side);
      Ledger ledger;
      CHECK(worst_error_share(resnet.forward(x.data(), side, ledger), reference_resnet(resnet, x.data(), side)) <= 1);
    }
  }
}

}  // namespace
}  // namespace hf::workload

// The transformer compared with its double-precision reference.
#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "kit/rounded.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/reference.hpp"
#include "kit/transformer/transformer.hpp"
#include "kit/work.hpp"
#include "labs/kit/transformer/networks.hpp"

namespace hf::workload {
namespace {

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

}  // namespace
}  // namespace hf::workload

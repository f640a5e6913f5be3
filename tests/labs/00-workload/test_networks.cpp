// The networks compared with their double-precision references, and the backward pass with finite differences.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "00-workload/check/checks.hpp"
#include "00-workload/check/reference.hpp"
#include "00-workload/kernels/mlp.hpp"
#include "00-workload/kernels/resnet.hpp"
#include "00-workload/kernels/training.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/transformer/account.hpp"
#include "kit/transformer/transformer.hpp"
#include "labs/kit/transformer/networks.hpp"

namespace hf::workload {
namespace {

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

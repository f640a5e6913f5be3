// The layer that chapter 05 times: its panels, its attention with shared keys, the counts that predict it, and what the
// roofs say before it runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "05-scaling/check/reference.hpp"
#include "05-scaling/kernels/chip/layer.hpp"
#include "kit/product.hpp"
#include "kit/random.hpp"
#include "kit/rounded.hpp"
#include "kit/work.hpp"

namespace hf::scaling {
namespace {

/// Heads as wide as a panel on any machine: 64 is a multiple of 8, 16 and 32.
LayerShape small_layer(std::size_t heads, std::size_t kv_heads) { return {heads * 64, heads, kv_heads}; }

/// The larger error share of the first and the last reader's token.
double worst_of(const LayerWeights& weights, const GroupedCache* cache, std::size_t context, const LayerStep& step) {
  const std::size_t c = weights.shape().width, last = step.input().size() / c - 1;
  double worst = 0;
  for (std::size_t reader : {std::size_t{0}, last}) {
    const std::vector<Rounded> right =
        reference_layers(weights, cache, reader, context, step.input().subspan(reader * c, c));
    worst = std::max(worst, worst_error_share(step.output().subspan(reader * c, c), right));
  }
  return worst;
}

TEST_CASE("a product with panels is the product, whatever the rows and the depth") {
  const std::size_t columns = 3 * panel_columns;
  for (std::size_t rows : {1, 2, 5, 6, 7, 11, 12, 13, 14, 15, 28, 29, 43}) {
    for (std::size_t depth : {1, 16, 100, 768, 769, 1600}) {
      CAPTURE(rows);
      CAPTURE(depth);
      std::vector<float> numbers = random_floats(depth * columns, 1), plain(depth * columns), y(rows * columns, NAN);
      const std::vector<float> x = random_floats(rows * depth, 2), zeros(columns);
      const Panels panels = {numbers.data(), depth, columns};
      for (std::size_t p = 0; p < depth; ++p)
        for (std::size_t j = 0; j < columns; ++j) plain[p * columns + j] = panels.at(p, j);
      multiply_panels({x.data(), rows, depth}, panels, zeros.data(), nullptr, y.data(), columns);
      CHECK(worst_product_error(rows, columns, depth, x.data(), plain.data(), y.data(), 1000) <= 1);
    }
  }
}

TEST_CASE("bias and start are added once, and nothing between the rows is touched") {
  const std::size_t rows = 15, depth = 8, columns = 2 * panel_columns, stride = columns + 3;
  std::vector<float> ones(depth * columns, 1), y(rows * stride, -1);
  const std::vector<float> x(rows * depth, 1), bias(columns, 10), start(rows * stride, 100);
  multiply_panels({x.data(), rows, depth}, {ones.data(), depth, columns}, bias.data(), start.data(), y.data(), stride);
  for (std::size_t i = 0; i < rows * stride; ++i) CHECK(y[i] == (i % stride < columns ? 118 : -1));
}

TEST_CASE("every number of the panels has a place of its own") {
  const std::size_t depth = 5, columns = 2 * panel_columns;
  std::vector<float> numbers(depth * columns);
  const Panels panels = {numbers.data(), depth, columns};
  for (std::size_t p = 0; p < depth; ++p)
    for (std::size_t j = 0; j < columns; ++j) panels.at(p, j) += 1;
  CHECK(std::all_of(numbers.begin(), numbers.end(), [](float number) { return number == 1; }));
}

TEST_CASE("layers compute what they should, for any number of groups, readers and tokens before") {
  for (const auto& groups : {std::pair{3, 3}, {4, 2}, {5, 1}}) {
    const int heads = groups.first;
    const LayerShape shape = small_layer(groups.first, groups.second);
    const LayerWeights weights(shape, 2);
    GroupedCache cache(shape, 2, 5, 70);
    for (std::size_t context : {0, 1, 31, 32, 69}) {
      CAPTURE(heads);
      CAPTURE(context);
      LayerStep step(weights, cache, 5, context);
      step.run();
      CHECK(worst_of(weights, &cache, context, step) <= 1);
    }
  }
}

TEST_CASE("a group may have more heads than the kernel has rows") {
  const LayerShape shape = small_layer(16, 1);
  const LayerWeights weights(shape, 1);
  GroupedCache cache(shape, 1, 2, 40);
  LayerStep step(weights, cache, 2, 33);
  step.run();
  CHECK(worst_of(weights, &cache, 33, step) <= 1);
}

TEST_CASE("the same step again gives the same") {
  const LayerShape shape = small_layer(4, 2);
  const LayerWeights weights(shape, 2);
  GroupedCache cache(shape, 2, 3, 40);
  LayerStep step(weights, cache, 3, 39);
  step.run();
  const std::vector<float> first(step.output().begin(), step.output().end());
  step.run();
  CHECK(std::equal(first.begin(), first.end(), step.output().begin()));
}

TEST_CASE("a token without a cache is one that looks at itself alone") {
  for (std::size_t kv_heads : {4, 2, 1}) {
    const LayerShape shape = small_layer(4, kv_heads);
    const LayerWeights weights(shape, 2);
    for (std::size_t readers : {1, 13, 33}) {
      LayerStep step(weights, readers);
      step.run();
      CHECK(worst_of(weights, nullptr, 0, step) <= 1);
    }
  }
}

TEST_CASE("the check finds an error in a cached key, in a cached value and in a weight") {
  const LayerShape shape = small_layer(4, 2);
  LayerWeights weights(shape, 1);
  GroupedCache cache(shape, 1, 2, 33);
  LayerStep step(weights, cache, 2, 33 - 1);
  const auto worst_after = [&](float& number, float by) {
    number += by;
    step.run();
    number -= by;
    return worst_of(weights, &cache, 32, step);
  };
  CHECK(worst_after(cache.keys(0, 1, 1).at(63, 31), 1) > 1);
  CHECK(worst_after(cache.values(0, 1, 1).at(0, 7), 1) > 1);
  CHECK(worst_after(weights.layers()[0].down.at(255, 255), 1) > 1);
}

TEST_CASE("GPT-2's layer has 7.1 million parameters, and 6 KiB of keys and values for each token") {
  CHECK(gpt2_layer.parameters() == 12 * 768 * 768 + 13 * 768);
  CHECK(gpt2_layer.cached_per_token() * 4 == 6 * 1024);
  CHECK(LayerShape{768, 12, 4}.cached_per_token() * 3 == gpt2_layer.cached_per_token());
}

TEST_CASE("more readers raise the intensity of the weights, and only sharing keys raises that of attention") {
  const Work one = token_work(gpt2_layer, 1), many = token_work(gpt2_layer, 256);
  CHECK(many.flops == doctest::Approx(256 * one.flops));
  CHECK(one.intensity() == doctest::Approx(0.5).epsilon(0.02));
  CHECK(many.intensity() == doctest::Approx(128).epsilon(0.1));
  for (std::size_t kv_heads : {12, 4, 1}) {
    const LayerShape shape = {768, 12, kv_heads};
    const double of_one = attention_work(shape, 1, 1000).intensity();
    CHECK(attention_work(shape, 64, 500).intensity() == doctest::Approx(of_one));
    CHECK(of_one == doctest::Approx(static_cast<double>(shape.group()) / 2).epsilon(0.12));  // the rest is softmax
  }
}

constexpr Roofline roofs = {500, 40};

TEST_CASE("at the ridge's batch, arithmetic takes as long as reading") {
  const double batch = ridge_batch(gpt2_layer, roofs);
  CHECK(batch == doctest::Approx(2 * roofs.ridge()).epsilon(0.05));  // in fp32, half a FLOP for each byte
  const auto below = static_cast<std::size_t>(std::floor(batch)), above = below + 1;
  CHECK(roofs.side(token_work(gpt2_layer, below)) == Side::memory);
  CHECK(roofs.side(token_work(gpt2_layer, above)) == Side::compute);
}

TEST_CASE("below the ridge readers ride along; past it each costs its arithmetic") {
  const LayerRun one = {gpt2_layer, 1, 0}, four = {gpt2_layer, 4, 0}, many = {gpt2_layer, 256, 0},
                 twice = {gpt2_layer, 512, 0};
  CHECK(four.predicted_seconds(roofs) == doctest::Approx(one.predicted_seconds(roofs)).epsilon(0.01));
  CHECK(twice.predicted_seconds(roofs) == doctest::Approx(2 * many.predicted_seconds(roofs)));
}

TEST_CASE("caches of their own keep a layer below the ridge, however many read") {
  const auto limit = [](std::size_t kv_heads) { return LayerRun{{768, 12, kv_heads}, 1 << 20, 1024}.intensity(); };
  CHECK(limit(12) < roofs.ridge() / 4);
  CHECK(limit(4) > 2.5 * limit(12));
  CHECK(limit(1) > roofs.ridge());
  // Each reader costs at least its own bytes.
  const LayerRun many = {gpt2_layer, 512, 1024};
  CHECK(many.predicted_seconds(roofs) > 512 * 1024 * 6144.0 / (roofs.bandwidth_gbs * 1e9));
}

TEST_CASE("no runs share a name") {
  CHECK(LayerRun{gpt2_layer, 1, 0}.id() != LayerRun{gpt2_layer, 1, 1}.id());
  CHECK(LayerRun{gpt2_layer, 4, 1024}.id() != LayerRun{{768, 12, 4}, 4, 1024}.id());
}

}  // namespace
}  // namespace hf::scaling

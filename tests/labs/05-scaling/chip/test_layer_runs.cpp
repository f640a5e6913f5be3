// The roofs' predictions for a layer before it runs.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "05-scaling/kernels/chip/layer.hpp"
#include "common/work.hpp"

using namespace hf;
using namespace hf::scaling;

namespace {
constexpr Roofline roofs = {500, 40};
}

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

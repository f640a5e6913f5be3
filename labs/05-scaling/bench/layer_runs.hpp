/// \file
/// Layers of GPT-2's width, predicted and timed: for so many readers, with so much behind each of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "05-scaling/kernels/chip/layer.hpp"
#include "harness/lab.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/work.hpp"

namespace hf::scaling {

/// One token for each of some readers.
struct LayerRun {
  LayerShape shape;
  std::size_t readers;
  std::size_t positions;  ///< that each new token looks at, itself among them; 0 for one with nothing before it

  std::string id() const;
  Work tokens() const { return token_work(shape, readers); }
  Work attention() const { return attention_work(shape, readers, positions); }
  double intensity() const;  ///< FLOP/byte, all together

  /// Seconds for one layer: its products with weights and its attention come one after the other, each against the roof
  /// that is lower for it.
  double predicted_seconds(const Roofline& roofs) const { return roofs.seconds(tokens()) + roofs.seconds(attention()); }
};

/// The batch at which arithmetic on the weights takes as long as reading them.
double ridge_batch(const LayerShape& shape, const Roofline& roofs);

/// How many layers, one after the other, make sure that weights come from memory and not from a cache: four times the
/// largest cache, as in a whole network; at most GPT-2 small's twelve.
std::size_t layers_past_caches(const LayerShape& shape);

/// What runs took, beside the roofs of the same rounds.
struct LayerTimes {
  Sampling sampling;              ///< ids are those of the runs
  std::vector<Estimate> seconds;  ///< for one layer, in the order of the runs
  Estimate peak_gflops, read_gbs;

  Roofline roofs() const { return {peak_gflops.median, read_gbs.median}; }
};

/// Checks the last reader's token of every run, then times them all, interleaved, in the present step of the lab.
/// \throws std::runtime_error, one line, when a token is wrong
/// \throws OutOfMemory
LayerTimes time_layers(Lab& lab, const std::vector<LayerRun>& runs);

}  // namespace hf::scaling

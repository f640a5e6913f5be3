/// \file
/// The lab's steps, in the order of the chapter, and what they share.
#pragma once

#include <memory>
#include <vector>

#include "08-your-model/bench/roofs.hpp"
#include "08-your-model/peers/model_tool.hpp"
#include "harness/report/lab.hpp"

namespace hf::your_model {

struct Shared {
  std::vector<Roofs> roofs;         ///< of one thread, and of all if there are more
  std::unique_ptr<ModelTool> tool;  ///< null without PyTorch
};

void measure_roofs(Lab& lab, Shared& shared);        ///< how fast do this machine's cores compute and read?
void predict_networks(Lab& lab, Shared& shared);     ///< how long should each operation of five networks take?
void measure_networks(Lab& lab, Shared& shared);     ///< how long does it take?
void measure_products(Lab& lab, Shared& shared);     ///< why do products of few rows take longer?
void measure_pooling(Lab& lab, Shared& shared);      ///< why does max pooling take longer than its bytes?
void measure_activations(Lab& lab, Shared& shared);  ///< which GELU is faster in a near cache?
void measure_told(Lab& lab, Shared& shared);         ///< one network, from its first version to its last

// ---- For tests ----

/// Returns the share of the time that was spent in operations whose prediction is off by at most a factor.
double share_within(const Report& report, double factor);

}  // namespace hf::your_model

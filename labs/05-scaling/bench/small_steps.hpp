/// \file
/// The planner's formulas for the lab's own small network, with a core of this machine as the chip.
#pragma once

#include "05-scaling/kernels/planner/chips.hpp"

namespace hf::scaling {

/// Sizes of what is trained, in elements; it computes in fp32.
struct SmallNetwork {
  double rows;  ///< of a batch
  double width, blocks, weights;
};

/// What matters of a chip once it is known how long it takes alone.
struct SmallChip {
  double bandwidth;  ///< of memory, bytes per second
  Wire wire;
};

/// Seconds of a step, cut as the name says.
struct SmallSteps {
  double data, tensor;
};

/// Products at the rate that makes one chip take `alone` seconds, the optimiser at the memory's bandwidth, sums by ring
/// over the wire; nothing overlaps.
SmallSteps predict_small_steps(const SmallChip& chip, const SmallNetwork& network, int chips, double alone);

}  // namespace hf::scaling

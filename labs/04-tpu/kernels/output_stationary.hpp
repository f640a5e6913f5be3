/// \file
/// The array whose cells hold a sum, and the sequencer around it: output stationary.
#pragma once

#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/kernels/weight_stationary.hpp"

namespace hf::tpu {

/// \param a  (m, k), flows from left to right  \param b  (k, n), flows from top to bottom
ArrayRun run_output_stationary(const ArrayShape& array, const ProductShape& shape, MatrixView a, MatrixView b,
                               const ArrayOptions& options, const Observer& observe);

}  // namespace hf::tpu

/// \file
/// How much of an array works, simulated: by shape, dataflow and size.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "harness/results.hpp"

namespace hf::tpu {

/// 1, `step`, `step`² … up to `last`.
std::vector<std::size_t> powers(std::size_t step, std::size_t last);

/// Utilisation of 128 × 128 cells, %, while the first matrix gets more rows; the other sides are 512. Where an operand
/// stays, the next tile of it is loaded while one is in use.
/// \param between  called after each size
Series utilisation_by_rows(Dataflow dataflow, const std::vector<std::size_t>& rows,
                           const std::function<void()>& between);

/// The same, while the sums get longer.
Series utilisation_by_depth(Dataflow dataflow, const std::vector<std::size_t>& depths,
                            const std::function<void()>& between);

/// Utilisation of side × side cells in which the weights stay, %, over the batch, on a layer of 1024 × 1024 weights.
Series utilisation_by_batch(std::size_t side, bool double_buffered, const std::vector<std::size_t>& batches,
                            const std::function<void()>& between);

/// The point of a series at this x. \throws std::out_of_range
double at(const Series& series, double x);

}  // namespace hf::tpu

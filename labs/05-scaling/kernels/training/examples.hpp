/// \file
/// Something to learn: made here, the same on every rank and in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "05-scaling/kernels/training/matrix.hpp"

namespace hf::scaling {

struct Batch {
  Matrix x;  ///< a row for each example
  std::vector<int> labels;

  std::size_t rows() const { return labels.size(); }
};

/// Each class is two clouds of points, on opposite sides of the origin: no single matrix can tell the classes apart.
/// \param index  of the batch: each has other points of the same clouds
Batch make_batch(std::size_t rows, std::size_t width, std::size_t classes, std::uint64_t index);

/// Which expert is to have an example: the one whose number, of the first `experts` in the row, is largest. A gate that
/// learns nothing, so that it decides alike on every rank and in every step. \pre experts <= x.columns
std::vector<int> choose_experts(View x, std::size_t experts);

}  // namespace hf::scaling

/// \file
/// The kernels of kernels.hpp, ready to predict, check and time: each with its data, its work and its reference.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "kit/work.hpp"

namespace hf::roofline {

/// A kernel on given data.
struct Workload {
  std::string label;     ///< its name in figures: "vector add"
  Work work;             ///< of one call
  double written_bytes;  ///< of work.bytes
  std::function<void()> call;

  /// Compares the outputs of the latest call with the double-precision reference. Returns the largest error as a share
  /// of what rounding allows: the outputs are right if it is at most 1. If there are very many outputs computed in the
  /// same way, compares about a thousand rows or stretches, including the first and the last.
  std::function<double()> error_share;
};

/// Bytes of memory for three (n, n) matrices and the gaps between them.
std::size_t matrices_bytes(std::size_t n);

/// All kernels over the same memory, one after the other: a call overwrites another's inputs with its own outputs,
/// which serve equally well. The memory should be random at first.
/// \param vectors  memory of the kernels on vectors, which use all of it
/// \param matrices, n  memory of the matrix products, matrices_bytes(n), and rows and columns of their matrices
/// \throws std::invalid_argument if three matrices do not fit, or there are fewer than 4096 floats for vectors
std::vector<Workload> workloads(const KernelSet& set, std::span<float> vectors, std::span<float> matrices,
                                std::size_t n);

/// vector add, one number at a time and as wide as the set's registers: the same work.
std::vector<Workload> narrow_and_wide_add(const KernelSet& set, std::span<float> memory);

}  // namespace hf::roofline

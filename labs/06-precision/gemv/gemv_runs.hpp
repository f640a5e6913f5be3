/// \file
/// Products of a matrix and a vector in every format, timed beside reading alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "01-roofline/kernel_set.hpp"
#include "01-roofline/stream_runs.hpp"
#include "06-precision/formats/formats.hpp"
#include "06-precision/gemv/weight_matrix.hpp"
#include "harness/machine.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"
#include "harness/threads.hpp"

namespace hf::precision {

/// Rows and columns of a matrix that no cache of this machine holds even at 4 bits: that often larger than the largest
/// cache, where there is memory for it in every format.
struct GemvShape {
  std::size_t rows, columns;
};
GemvShape shape_past_caches(const Machine& machine, double times);

/// The same matrix in every format, far larger than the caches, and memory to read for comparison.
class GemvRuns {
 public:
  /// The matrix is a few random rows again and again.
  /// \throws OutOfMemory
  /// \throws std::runtime_error where a product is wrong
  explicit GemvRuns(const GemvShape& shape);

  /// Each format and reading alone, by one thread and by all.
  std::vector<Variant> variants();

  /// Tries on one thread whether kernels are faster if they ask for memory ahead, in some formats of 16, 8 and 4 bits, and
  /// has all of them do so from now on if it is faster in sum.
  /// \return how many times as fast Q4_0 is without asking
  Estimate choose_to_ask_ahead(const Plan& plan) const;

  std::span<const WeightMatrix> matrices() const { return matrices_; }

  /// As variants() name them.
  static std::string one(Format format) { return id(format); }
  static std::string all(Format format) { return std::string(id(format)) + " all"; }

  Estimate read_gbs(const Sampling& sampling) const;      ///< GB/s, one thread
  Estimate read_all_gbs(const Sampling& sampling) const;  ///< GB/s, all threads

 private:
  std::vector<float> x_, y_;
  std::vector<WeightMatrix> matrices_;  ///< in the order of all_formats
  Team team_;
  const roofline::KernelSet* set_;
  std::size_t read_bytes_;
  roofline::StreamMemory memory_;
  Variant read_, read_all_;
};

/// GB/s at which one thread's kernel takes each format from half of the level-2 cache, in the order of all_formats: what
/// is left when memory is not waited for.
std::vector<Estimate> in_cache_gbs(const Machine& machine, const Plan& plan);

}  // namespace hf::precision

/// \file
/// What fusion brings over arrays of every size, on one core, beside copying as much.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/kernels/compiler/compiled.hpp"
#include "07-compilers/kernels/compiler/eager.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/threads.hpp"

namespace hf::compilers {

/// relu(x) · 0.5 + 1 over arrays of 4 KiB, `step` times as much, and so on up to `largest`.
class SizeRuns {
 public:
  /// \param options  with one program for all sizes
  /// \throws OutOfMemory
  SizeRuns(std::size_t largest_bytes, std::size_t step, CompileOptions options);

  /// Every size operator by operator, and compiled; and a copy over as much memory as either goes through.
  std::vector<Variant> variants();

  std::span<const std::size_t> sizes() const { return sizes_; }  ///< bytes of one array

  /// How many times as fast the compiled loop was, in pairs.
  Estimate gain(const Sampling& sampling, std::size_t bytes) const;

  /// How many times as fast it should be: three copies through four arrays, against one through two.
  double predicted_gain(const Sampling& sampling, std::size_t bytes) const;

 private:
  float* array(std::size_t i) const { return memory_[i].as<float>().data(); }
  double copy_gbs(const Sampling& sampling, std::size_t working_set) const;

  std::vector<std::size_t> sizes_;
  std::vector<Buffer> memory_;  ///< x, y
  std::vector<Eager> by_operators_;
  Compiled compiled_;
  Team one_;
  const roofline::KernelSet* set_;
  roofline::StreamMemory copied_;
};

}  // namespace hf::compilers

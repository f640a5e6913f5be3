/// \file
/// Every schedule of a blur, timed on one core beside copying.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "07-compilers/kernels/fusion/blur.hpp"
#include "harness/machine.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"

namespace hf::compilers {

/// A picture so many times as large as the largest cache of this machine, where there is memory for it; to be blurred with
/// so many taps.
BlurShape picture_past_caches(const Machine& machine, double times, std::size_t taps);

/// A picture, and memory for its blur under any schedule.
class BlurRuns {
 public:
  /// \param step  from one height of tiles to the next
  /// \throws OutOfMemory
  /// \throws std::runtime_error where a schedule gives wrong numbers
  BlurRuns(const BlurShape& shape, std::size_t step);

  /// Tiles of one row, of `step` times as many, and so on up to all of them; the last one slides.
  std::span<const Schedule> schedules() const { return schedules_; }

  /// Every schedule on one core, named by name().
  std::vector<Variant> variants();
  std::string name(const Schedule& schedule) const;

  const BlurShape& shape() const { return shape_; }

 private:
  float* array(std::size_t i) const { return memory_[i].as<float>().data(); }

  BlurShape shape_;
  std::vector<Schedule> schedules_;
  std::vector<Buffer> memory_;  ///< input, rows in between, result
};

/// What a blur takes where memory is not waited for: with all of it in the first cache, nothing kept. GFLOP/s, one core.
Estimate blur_gflops_near(std::size_t taps, const Plan& plan);

}  // namespace hf::compilers

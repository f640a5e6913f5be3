/// \file
/// The two roofs with all cores, timed side by side with the kernels compared with them, since a machine's speed
/// changes from second to second.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/measure/threads.hpp"
#include "kit/work.hpp"

namespace hf {

/// Arithmetic and memory reads on every core, as the variants "peak" and "read" of a sampling.
class RoofRuns {
 public:
  /// \param bytes  to read: as many as the compared kernels read, since a shared cache may still hold part of them
  /// \throws OutOfMemory
  explicit RoofRuns(std::size_t bytes);

  /// The variants' ids, for Lab::in_one_state().
  static std::vector<std::string> ids() { return {"peak", "read"}; }

  /// The variants use this object, which must outlive them.
  std::vector<Variant> variants();

  Estimate peak_gflops(const Sampling& sampling) const;  ///< GFLOP/s, fp32
  Estimate read_gbs(const Sampling& sampling) const;     ///< GB/s
  Roofline roofs(const Sampling& sampling) const;        ///< the medians of both

 private:
  Team team_;
  PeakVariant peak_;
  SharedArray array_;
};

}  // namespace hf

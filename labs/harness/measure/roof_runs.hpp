/// \file
/// The two roofs of all cores, timed among what is held against them: a machine is faster in one second than in the next.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "peaks.hpp"
#include "sampling.hpp"
#include "shared_array.hpp"
#include "statistics.hpp"
#include "threads.hpp"
#include "work.hpp"

namespace hf {

/// Arithmetic and reading memory with every core, as variants "peak" and "read" of a sampling.
class RoofRuns {
 public:
  /// \param bytes  to be read: as many as what is compared reads, since a shared cache may still hold a part of them
  /// \throws OutOfMemory
  explicit RoofRuns(std::size_t bytes);

  /// Of the variants, for Lab::in_one_state().
  static std::vector<std::string> ids() { return {"peak", "read"}; }

  /// It must outlive them.
  std::vector<Variant> variants();

  Estimate peak_gflops(const Sampling& sampling) const;  ///< GFLOP/s, fp32
  Estimate read_gbs(const Sampling& sampling) const;     ///< GB/s
  Roofline roofs(const Sampling& sampling) const;        ///< their medians

 private:
  Team team_;
  PeakVariant peak_;
  SharedArray array_;
};

}  // namespace hf

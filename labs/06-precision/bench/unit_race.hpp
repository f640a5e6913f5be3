/// \file
/// Square products in fp32, bf16 and int8, and oneDNN's of the narrow ones, side by side.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "01-roofline/kernels/dot_product.hpp"
#include "harness/machine.hpp"
#include "harness/sampling.hpp"
#include "harness/statistics.hpp"

namespace hf::precision {

/// What one size showed on so many threads, everything sampled in one interleaved run: our products "bf16" and "int8";
/// "onednn_bf16" and "onednn_int8" where it is installed; and on one thread "fp32", chapter 02's product, "peak_bf16", where
/// there is the instruction, and "peak_int8": the instructions alone. Narrow weights are packed beforehand, ours and oneDNN's.
struct UnitTimes {
  std::size_t n;
  Sampling sampling;
  std::vector<double> operations;  ///< of one call, in the order of sampling.ids

  bool has(std::string_view id) const;
  /// 10^9 operations in a second. \throws std::out_of_range for an id that was not sampled
  Estimate gops(std::string_view id) const;
  /// Speed over speed, in pairs. \throws std::out_of_range
  Estimate over(std::string_view id, std::string_view other) const;
  /// Of one call of each, one after another.
  double seconds() const;
};

/// The products of one size.
class UnitRace {
 public:
  /// \param n  at least 1
  /// \throws OutOfMemory
  UnitRace(const Machine& machine, std::size_t n);
  ~UnitRace();

  /// Every product is held against a reference in some places before it is timed. A peer that computes something else, or
  /// refuses, is left out.
  /// \pre a PinnedOpenMp lives that has as many threads
  /// \throws std::runtime_error, one line, when a product of ours is wrong
  UnitTimes run(int threads, const Plan& plan);

  /// Which peer was left out and why, and which of its kernels oneDNN took: one line each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Memory that a race takes.
  static double bytes(std::size_t n);

 private:
  class Entries;
  struct Operands;
  void enter_ours(Entries& entries, int threads) const;
  template <class Left, class Right, class Sum>
  void enter_onednn(Entries& entries, const std::string& id, const Left* a, const Right* b, Sum* c, int threads);
  void enter_peaks(Entries& entries) const;

  std::vector<const roofline::DotProductLoop*> dot_products_;
  std::unique_ptr<const Operands> operands_;
  std::vector<std::string> notes_;
};

}  // namespace hf::precision

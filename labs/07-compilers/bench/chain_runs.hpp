/// \file
/// The loops written by hand, timed beside copying.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "01-roofline/kernels/kernel_set.hpp"
#include "01-roofline/kernels/stream_runs.hpp"
#include "07-compilers/kernels/fusion/chain_by_hand.hpp"
#include "harness/memory.hpp"
#include "harness/sampling.hpp"
#include "harness/threads.hpp"

namespace hf::compilers {

constexpr ByHand ways_by_hand[] = {ByHand::three_passes, ByHand::one_pass, ByHand::one_pass_nontemporal,
                                   ByHand::in_place};

/// Which cores a variant runs on, as its name says.
enum class Cores { all, one };

/// "three passes", or "three passes, one core"
std::string on(Cores cores, const std::string& name);

/// relu(x) · 0.5 + 1 by hand over `count` numbers.
class ByHandRuns {
 public:
  /// \param count  a multiple of 32
  /// \throws OutOfMemory
  explicit ByHandRuns(std::size_t count);

  /// Every way, by all cores and by one.
  std::vector<Variant> variants(Cores cores);

  static std::string id(ByHand how, Cores cores) { return on(cores, name(how)); }

 private:
  Variant variant(ByHand how) const;

  std::vector<Buffer> memory_;
  std::size_t count_;
};

/// Copying: what any kernel that reads one array and writes another is held against, since it does nothing else.
class CopyRuns {
 public:
  /// \param bytes  of both arrays together
  /// \throws OutOfMemory
  explicit CopyRuns(std::size_t bytes);

  /// With ordinary and with non-temporal stores.
  std::vector<Variant> variants(Cores cores);
  static std::string id(roofline::Stream stream, Cores cores) { return on(cores, roofline::id(stream)); }

  /// GB/s at which bytes cross, those of write-allocate among them.
  Estimate traffic_gbs(const Sampling& sampling, roofline::Stream stream, Cores cores) const;

 private:
  double program_bytes(roofline::Stream stream, Cores cores) const;

  Team team_;
  const roofline::KernelSet* set_;
  std::size_t bytes_;
  roofline::StreamMemory memory_;
};

}  // namespace hf::compilers

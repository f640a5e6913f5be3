/// \file
/// How long the fp32 ladder's kernels wait for registers: counts in their machine code, made by 03-gpu/count-ports, which
/// explains them.
#pragma once

#include <string>
#include <vector>

namespace hf::gpu {

struct PortCounts {
  std::string id;
  double conflicts;             ///< the share of FMAs that read two or three registers of one bank
  double ticks, ticks_at_once;  ///< of a scheduler, per FMA: as modelled, and on a stricter machine
};

/// In the order of the ladder.
std::vector<PortCounts> port_counts();

/// \throws std::out_of_range if there is no such kernel
PortCounts port_counts(const std::string& id);

}  // namespace hf::gpu

/// \file
/// Timing on a machine whose memory is faster in one tenth of a second than in the next.
#pragma once

#include <vector>

#include "sampling.hpp"

namespace hf {

/// As sample_interleaved(), in rounds, but the variants of a group follow each other at once, in a new random order: what is
/// compared in pairs saw the same machine. Each is run once untimed just before its sample.
/// \return all variants, one group after the other
Sampling sample_side_by_side(const std::vector<std::vector<Variant>>& groups, const Plan& plan);

}  // namespace hf

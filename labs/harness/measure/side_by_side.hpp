/// \file
/// Times variants on a machine whose memory changes its speed within 0.1 s.
#pragma once

#include <vector>

#include "sampling.hpp"

namespace hf {

/// Like sample_interleaved(), but the variants of a group run directly one after the other, in a new random order each
/// round, so that pairs see the machine in the same state. Runs each variant once untimed just before its sample.
/// \return all variants, one group after the other
Sampling sample_side_by_side(const std::vector<std::vector<Variant>>& groups, const Plan& plan);

}  // namespace hf

/// \file
/// The lab's step: numbers that are not there at all
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// Numbers that are not there at all
void measure_sparsity(Lab& lab);

}  // namespace hf::precision

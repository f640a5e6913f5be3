/// \file
/// The lab's step: many small numbers, one sum
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// Many small numbers, one sum
void measure_sums(Lab& lab);

}  // namespace hf::precision

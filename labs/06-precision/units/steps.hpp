/// \file
/// The lab's step: int8 and bf16 on the units made for them
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// Int8 and bf16 on the units made for them
void measure_units(Lab& lab);

}  // namespace hf::precision

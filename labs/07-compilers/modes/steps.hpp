/// \file
/// The lab's step: eager, compiled, compiled again when a shape changes
#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

/// Eager, compiled, compiled again when a shape changes, and compiled in part
void measure_modes(Lab& lab);

}  // namespace hf::compilers

/// \file
/// The lab's step: which loops may be exchanged
#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

/// Which loops may be exchanged, and what else a compiler must be allowed
void measure_legality(Lab& lab);

}  // namespace hf::compilers

/// \file
/// The lab's step: a network learns in 32, 16 and 8 bits
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// A network learns in 32, 16 and 8 bits
void measure_training(Lab& lab);

}  // namespace hf::precision

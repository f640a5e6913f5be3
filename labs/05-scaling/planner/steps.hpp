/// \file
/// The lab's step about machines that are not here.
#pragma once

#include "harness/lab.hpp"

namespace hf::scaling {

/// What would many chips do?
void plan_many_chips(Lab& lab);

}  // namespace hf::scaling

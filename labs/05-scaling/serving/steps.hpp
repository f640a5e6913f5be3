/// \file
/// The lab's step about serving.
#pragma once

#include "harness/lab.hpp"

namespace hf::scaling {

/// Many readers, who come and go.
void measure_serving(Lab& lab);

}  // namespace hf::scaling

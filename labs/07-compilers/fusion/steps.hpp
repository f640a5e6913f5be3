#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_fusion(Lab& lab);

}  // namespace hf::compilers

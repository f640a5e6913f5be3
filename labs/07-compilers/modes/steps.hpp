#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_modes(Lab& lab);

}  // namespace hf::compilers

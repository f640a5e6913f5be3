#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_layers(Lab& lab);

}  // namespace hf::compilers

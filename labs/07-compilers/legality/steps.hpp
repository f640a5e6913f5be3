#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_legality(Lab& lab);

}  // namespace hf::compilers

#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_search(Lab& lab);

}  // namespace hf::compilers

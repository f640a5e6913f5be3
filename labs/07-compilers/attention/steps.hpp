#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

void measure_attention(Lab& lab);

}  // namespace hf::compilers

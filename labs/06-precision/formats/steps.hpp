/// \file
/// The lab's step: what does a number lose in so few bits?
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// What does a number lose in so few bits?
void measure_formats(Lab& lab);

}  // namespace hf::precision

/// \file
/// The lab's step: what does the language model lose?
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// What does the language model lose?
void measure_accuracy(Lab& lab);

}  // namespace hf::precision

/// \file
/// The lab's step: a language model writes, in every format, and against llama.cpp
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// A language model writes, in every format, and against llama.cpp
void measure_decode(Lab& lab);

}  // namespace hf::precision

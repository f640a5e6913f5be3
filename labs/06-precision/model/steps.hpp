/// \file
/// The lab's step: a language model writes, in every format, and against llama.cpp
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// A language model writes, in every format, and against llama.cpp
void measure_decode(Lab& lab);

/// Accuracy against speed, from the values of this step and of the one that measures accuracy: nothing where one of them
/// was left out.
void add_pareto(Lab& lab);

}  // namespace hf::precision

/// \file
/// The lab's steps, in the order of the chapter.
#pragma once

#include "harness/lab.hpp"

namespace hf::precision {

/// A product of a matrix and a vector takes as long as its bytes.
void measure_gemv(Lab& lab);

}  // namespace hf::precision

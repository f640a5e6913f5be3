/// \file
/// The lab's steps, in the order of the chapter.
#pragma once

#include "harness/lab.hpp"

namespace hf::compilers {

/// From model(x) to instructions: what each translation costs.
void measure_layers(Lab& lab);

/// Several operators, one pass over memory.
void measure_fusion(Lab& lab);

/// Eager, compiled, compiled again when a shape changes, and compiled in part.
void measure_modes(Lab& lab);

/// Attention without its matrix.
void measure_attention(Lab& lab);

/// A machine looks for the tile.
void measure_search(Lab& lab);

/// Which loops may be exchanged, and what else a compiler must be allowed.
void measure_legality(Lab& lab);

}  // namespace hf::compilers

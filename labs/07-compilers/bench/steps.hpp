/// \file
/// The lab's steps, in the order of the chapter, and their functions that tests call.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "harness/measure/as_double.hpp"  // IWYU pragma: export
#include "harness/report/lab.hpp"         // IWYU pragma: export

namespace hf::compilers {

void measure_layers(Lab& lab);     ///< from model(x) to instructions: the cost of each translation
void measure_fusion(Lab& lab);     ///< several operators in one pass over memory
void measure_new_shape(Lab& lab);  ///< recompilation when a shape changes
void measure_attention(Lab& lab);  ///< attention without its matrix
void measure_search(Lab& lab);     ///< automatic search for the best tile
void measure_legality(Lab& lab);   ///< a sweep in other orders, and a dot product whose additions may be reordered

// ---- For tests ----

/// Bytes by which this process grows while `work` runs on a new thread, whose memory is new. Counts only memory that is
/// still held when `work` returns. nullopt if the system does not report it.
/// \throws what `work` throws
std::optional<std::size_t> resident_growth(const std::function<void()>& work);

}  // namespace hf::compilers

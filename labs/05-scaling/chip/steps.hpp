/// \file
/// The lab's steps on one chip.
#pragma once

#include "harness/lab.hpp"
#include "harness/work.hpp"

namespace hf::scaling {

/// How fast does this chip compute, and how fast does it read?
void measure_roofs(Lab& lab);

/// As measure_roofs() found them.
Roofline roofs_of(const Lab& lab);

/// How many readers fill it?
void measure_batches(Lab& lab);

/// And what do their caches cost?
void measure_kv_caches(Lab& lab);

/// What do more cores bring, and what do they not?
void measure_threads(Lab& lab);

}  // namespace hf::scaling

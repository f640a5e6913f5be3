/// \file
/// The lab's steps, in the order of the chapter, and the data they share.
#pragma once

#include <optional>

#include "00-workload/kernels/passes.hpp"
#include "harness/measure/blas.hpp"
#include "harness/report/lab.hpp"
#include "kit/roof_runs.hpp"
#include "kit/work.hpp"

namespace hf::workload {

struct Shared {
  explicit Shared(Lab& lab);

  Blas& blas = Blas::get();  // before any thread is started
  std::optional<RoofRuns> roof_runs;
  Roofline roofs;
  std::optional<Networks> networks;
};

void measure_roofs(Lab& lab, Shared& shared);
void compare_triple_loops(Lab& lab, Shared& shared);
void check_networks(Lab& lab, Shared& shared);
void measure_passes(Lab& lab, Shared& shared);
void measure_batches(Lab& lab, Shared& shared);
void measure_kv_cache(Lab& lab, Shared& shared);

}  // namespace hf::workload

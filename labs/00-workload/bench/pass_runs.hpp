/// \file
/// The five passes: what they are asked to do, what that should take, and what it takes.
#pragma once

#include <span>
#include <vector>

#include "00-workload/kernels/passes.hpp"
#include "harness/lab.hpp"
#include "harness/roof_runs.hpp"
#include "harness/work.hpp"

namespace hf::workload {

/// Runs every pass once, with no eye on the clock, to see what it is asked to do: "flops_decode", "bytes_decode",
/// "intensity_decode". Shows how long it should take, as a table.
void predict_passes(Lab& lab, std::vector<PassRunner>& runners, const Roofline& roofs);

/// Times every pass, and beside them "reading": all weights read by all cores, with nothing done to them; and
/// the roofs. Interleaved, in the present step of the lab.
Sampling time_passes(const Lab& lab, std::vector<PassRunner>& runners, std::span<const float> weights, RoofRuns& roofs);

/// Records what their accounts say of the passes that were timed: for each its operators; then all passes side by side,
/// with what share each kind of work has of their FLOPs and of their time, and how long each should take, as the
/// series "pass_predicted". And of these the numbers that the chapter puts into words.
/// \param roofs  of the same rounds
void add_passes(Lab& lab, const std::vector<PassRunner>& runners, const Roofline& roofs);

}  // namespace hf::workload

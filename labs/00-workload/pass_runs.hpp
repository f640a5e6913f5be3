/// \file
/// The five passes: what they are asked to do, what that should take, and what it takes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "00-workload/passes.hpp"
#include "harness/lab.hpp"
#include "harness/roof_runs.hpp"
#include "harness/work.hpp"

namespace hf::workload {

/// Runs every pass once, with no eye on the clock, to see what it is asked to do, and records that: "flops_decode",
/// "bytes_decode", "intensity_decode". Shows how long it should take, as a table.
void predict_passes(Lab& lab, std::vector<PassRunner>& runners, const Roofline& roofs);

/// Times every pass, and beside them "reading": all weights read by all cores, with nothing done to them; and
/// the roofs. Interleaved, in the present step of the lab.
Sampling time_passes(const Lab& lab, std::vector<PassRunner>& runners, std::span<const float> weights, RoofRuns& roofs);

/// Milliseconds for each part of a pass, by its accounts. \throws std::out_of_range for an id that no pass has
Estimate pass_ms(const std::vector<PassRunner>& runners, std::string_view id);

/// Records what their accounts say of the passes that were timed: for each its operators, its time and speed, and what
/// share each kind of work has of its FLOPs and of its time; then all passes side by side, and how long each
/// should take, as the series "pass_predicted".
/// \param roofs  of the same rounds
void add_passes(Lab& lab, const std::vector<PassRunner>& runners, const Roofline& roofs);

}  // namespace hf::workload

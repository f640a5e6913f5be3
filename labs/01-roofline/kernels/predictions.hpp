/// \file
/// The roofline's predictions for the kernels before they run, and their errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "01-roofline/kernels/workloads.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/terminal.hpp"
#include "kit/work.hpp"

namespace hf::roofline {

/// The measured limits of one core, from which predictions are made.
struct Roofs {
  double peak_gflops;  ///< fp32
  double read_gbs;     ///< from DRAM
  double copy_gbs;     ///< through DRAM with ordinary stores; program bytes, so two thirds of the traffic
};

/// The roofline that predicts a kernel's time, with the bandwidth for its own mix of reading and writing. Bytes are
/// those that really move: a copy reads a line, reads the line it will write (write-allocate), and writes that one
/// back, three for every two that the program requested. Two mixes were measured: only reading, and copying, where 1/3
/// of the traffic is written back. The times per byte of other mixes are on the straight line through these two.
Roofline roofline_for(const Workload& kernel, const Roofs& roofs);

/// The roofline's prediction for a kernel, before it runs.
struct Prediction {
  std::string label;
  Work work;
  double seconds;
  Side side;

  double gflops() const { return work.flops / seconds * 1e-9; }
};

std::vector<Prediction> predict(const std::vector<Workload>& kernels, const Roofs& roofs);

/// The share of its roof that a kernel reached, round by round: the least time that a peak and that round's memory
/// allow, divided by the time that the kernel took.
/// \param memory_gbs  of the same rounds, in bytes that cross
Estimate share_of_roof(const Workload& kernel, const Estimate& seconds, double peak_gflops, const Estimate& memory_gbs);

/// The measurements of a kernel.
struct Measurement {
  Estimate seconds;  ///< of a call with its data in DRAM
  Estimate gflops;
  Estimate gflops_in_cache;                    ///< the same code on data in a nearer cache
  std::optional<Estimate> share_of_roof = {};  ///< of the same rounds, if those were timed

  /// The speed-up from data in a nearer cache.
  double gain_in_cache() const { return gflops_in_cache.median / gflops.median; }

  /// The side found by experiment, without counting: memory, if nearer data makes the kernel at least 1.5× as fast.
  Side side() const { return gain_in_cache() >= 1.5 ? Side::memory : Side::compute; }
};

/// In the form of a roofline's dots: intensity and speed, with a name.
Series prediction_series(const std::vector<Prediction>& predictions);

/// The predictions, for the terminal, before anything is timed.
Table prediction_table(const std::vector<Prediction>& predictions);

/// A prediction beside the measurement.
struct Outcome {
  Prediction predicted;
  Measurement measured;

  /// The difference between the predicted and the measured time, as a share of the measured time.
  double error() const { return std::abs(predicted.seconds - measured.seconds.median) / measured.seconds.median; }

  /// The factor by which the predicted time was too long or too short.
  double missed() const {
    const double ratio = predicted.seconds / measured.seconds.median;
    return std::max(ratio, 1 / ratio);
  }

  /// Whether it ran at less than 1/4 of what both roofs allow: then it waits for neither arithmetic nor memory.
  bool waits_for_neither() const { return predicted.gflops() > 4 * measured.gflops.median; }

  bool side_is_right() const { return !waits_for_neither() && predicted.side == measured.side(); }
};

/// \param measurements  of the same kernels in the same order
std::vector<Outcome> outcomes(const std::vector<Prediction>& predictions, const std::vector<Measurement>& measurements);

Series outcome_series(const std::vector<Outcome>& outcomes);

/// The outcomes, kernel by kernel, for the terminal.
Table outcome_table(const std::vector<Outcome>& outcomes);

/// The outcome of the kernel with this label.
/// \throws std::out_of_range
const Outcome& outcome_of(const std::vector<Outcome>& outcomes, std::string_view label);

/// The textbook's figure: 100 TFLOP/s and 1 TB/s, with vector add where it really belongs.
Series canonical_roof();
Series canonical_kernels();

}  // namespace hf::roofline

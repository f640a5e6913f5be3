/// \file
/// The first TPU, predicted: two models beside its published counters.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "harness/results.hpp"
#include "harness/terminal.hpp"

namespace hf::tpu::v1 {

/// What the models say of the six applications.
struct Predictions {
  std::vector<Series> counters;  ///< for each counter: published, one-line model, simulator
  Table table;                   ///< the same, for the terminal
  /// Largest distance of the simulator from a counter, in points; of shift where weights are the limit.
  double active_error = 0, shift_error = 0;
  double lstm0_active_missed = 0;  ///< counted over simulated
  double cnn1_active_missed = 0;   ///< simulated over counted
};

/// \param tiles  see simulate()
/// \param between  called after each application
Predictions predict_applications(std::size_t tiles, const std::function<void()>& between);

/// The roof, and the six applications under it as published.
std::vector<Series> roofline_series();

/// The ridge: multiplications for each byte of weights.
double ridge();

}  // namespace hf::tpu::v1

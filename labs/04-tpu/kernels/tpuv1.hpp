/// \file
/// The first TPU: the published measurements (Jouppi et al., ISCA 2017), and two models that predict them.
#pragma once

#include <array>
#include <cstddef>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu::v1 {

constexpr ArrayShape array = {256, 256};
constexpr double clock_hz = 700e6, weight_bytes_per_s = 34e9;
constexpr double bytes_per_cycle = weight_bytes_per_s / clock_hz;
constexpr double peak_tops = 2 * 256 * 256 * clock_hz * 1e-12;

/// Tables 1 and 3 of the paper; shares are percentages of all cycles.
struct Application {
  const char* name;
  int intensity;  ///< multiplications per byte of weights; for fully connected layers, the batch size
  double active, useful, stall, shift, other;
  double tops;

  /// True if the weights arrive more slowly than they are used up.
  bool weight_bound() const { return intensity * bytes_per_cycle < array.cells(); }
};
extern const std::array<Application, 6> applications;

/// How the cycles are spent, in per cent.
struct Shares {
  double active, stall, shift;
};

/// Predicts each share in one line: a tile of weights takes cells / bytes_per_cycle cycles to arrive, one cycle per row
/// to shift in, and is used for one cycle per row of the batch.
Shares one_line_model(const Application& application);

/// Simulates the array of systolic.hpp with two weight registers, four tiles fetched ahead and the TPU's bandwidth, on
/// layers whose tiles are all full. Returns the difference between a long layer and a short one, so that the first and
/// the last tile do not count.
/// \param tiles  how many more tiles the long layer has, a multiple of 4
Shares simulate(const Application& application, std::size_t tiles);

/// Returns the speed that the published roofline allows, in 10^12 operations per second.
double roofline_tops(double intensity);

}  // namespace hf::tpu::v1

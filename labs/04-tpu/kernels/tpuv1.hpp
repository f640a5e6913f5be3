/// \file
/// The first TPU: what its makers published about it (Jouppi et al., ISCA 2017), and what two models say.
#pragma once

#include <array>
#include <cstddef>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu::v1 {

constexpr ArrayShape array = {256, 256};
constexpr double clock_hz = 700e6, weight_bytes_per_s = 34e9;
constexpr double bytes_per_cycle = weight_bytes_per_s / clock_hz;
constexpr double peak_tops = 2 * 256 * 256 * clock_hz * 1e-12;

/// Tables 1 and 3 of the paper; shares in per cent of all cycles.
struct Application {
  const char* name;
  int intensity;  ///< multiplications for each byte of weights; for the layers that are matrices, the batch
  double active, useful, stall, shift, other;
  double tops;

  /// Whether the weights arrive more slowly than they are used up.
  bool weight_bound() const { return intensity * bytes_per_cycle < array.cells(); }
};
extern const std::array<Application, 6> applications;

/// Where the cycles go, in per cent.
struct Shares {
  double active, stall, shift;
};

/// One line for each: a tile of weights takes so many cycles to arrive, is shifted in by rows, and is used by as many
/// cycles as the batch has rows.
Shares one_line_model(const Application& application);

/// The array of systolic.hpp, with two weight registers, four tiles ahead, and this bandwidth, on a layer whose tiles are
/// all full. Counted between a short layer and a long one, so that the first and the last tile do not weigh in.
/// \param tiles  by how many tiles the layers differ, a multiple of 4
Shares simulate(const Application& application, std::size_t tiles);

/// What the published roofline allows, 10^12 operations per second.
double roofline_tops(double intensity);

}  // namespace hf::tpu::v1

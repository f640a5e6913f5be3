/// \file
/// The speedup from more threads when part of the work stays serial.
#pragma once

namespace hf::scaling {

// [begin: amdahl]
/// Returns the speedup of `threads` threads over one if a share of one thread's
/// time stays serial (Amdahl, 1967).
constexpr double amdahl_speedup(double serial_share, double threads) {
  return 1 / (serial_share + (1 - serial_share) / threads);
}
// [end: amdahl]

}  // namespace hf::scaling

/// \file
/// What more threads bring where some of the work is not shared.
#pragma once

namespace hf::scaling {

// [begin: amdahl]
/// How many times as fast n threads are where a share of one thread's time
/// is not shared (Amdahl, 1967).
constexpr double amdahl_speedup(double serial_share, double threads) {
  return 1 / (serial_share + (1 - serial_share) / threads);
}
// [end: amdahl]

}  // namespace hf::scaling

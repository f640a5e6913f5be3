/// \file
/// The clock for all timing.
#pragma once

#include <chrono>
#include <cstdint>

namespace hf {

/// Reads the monotonic clock.
/// \return nanoseconds since an arbitrary start; never decreases
inline std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

/// The smallest step between two successive readings of now_ns(), including the cost of reading.
/// \return nanoseconds, at least 1; measured once per process
double clock_resolution_ns();

}  // namespace hf

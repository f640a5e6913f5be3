/// \file
/// The clock that everything here is timed by.
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

/// The smallest step that two readings of now_ns() in a row can show, the cost of reading included.
/// \return nanoseconds, at least 1; measured once per process
double clock_resolution_ns();

}  // namespace hf

/// \file
/// How long a message takes: α, whatever its size, and its bytes at β.
#pragma once

namespace hf {

struct AlphaBeta {
  double seconds_per_message = 0;  ///< α
  double seconds_per_byte = 0;     ///< 1 / β

  double seconds(double steps, double bytes) const { return steps * seconds_per_message + bytes * seconds_per_byte; }
};

}  // namespace hf

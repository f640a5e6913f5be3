/// \file
/// The time of a message: α, whatever its size, plus its bytes at bandwidth β.
#pragma once

namespace hf {

struct AlphaBeta {
  double seconds_per_message = 0;  ///< α
  double seconds_per_byte = 0;     ///< 1 / β

  double seconds(double steps, double bytes) const { return steps * seconds_per_message + bytes * seconds_per_byte; }
};

}  // namespace hf

/// \file
/// A reader's loop, as its trial sees it.
#pragma once

#include <cstddef>

#include "01-roofline/yours/tallied.hpp"

namespace hf::roofline {

/// The loop for each type of number, and what the reader declares of it.
struct ReadersLoop {
  double flops, bytes;  ///< for each element
  void (*floats)(std::size_t n, const float* x, float* y);
  void (*doubles)(std::size_t n, const double* x, double* y);
  /// \return the FLOPs that were counted
  double (*tallied)(std::size_t n, const Tallied* x, Tallied* y);
};

}  // namespace hf::roofline

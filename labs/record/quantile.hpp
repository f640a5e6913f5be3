/// \file
/// The one definition of a quantile.
#pragma once

#include <vector>

namespace hf {

/// The `q` quantile (0 to 1) of `samples` (in any order, at least one), linear between the two nearest order
/// statistics: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), which is also
/// NumPy's default. The record's median, low and high are the quantiles 0.5, 0.05 and 0.95, and `record check`
/// holds them to it, so labs take them from here.
double quantile(std::vector<double> samples, double q);

}  // namespace hf

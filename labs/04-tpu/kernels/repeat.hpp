/// \file
/// The same work, again and again: how much the time of one call varies.
#pragma once

#include <functional>
#include <vector>

namespace hf::tpu {

/// Seconds of single calls, sorted. The first tenth, while caches and clock warm up, is not among them.
/// \param between  called now and then, outside the timed calls
std::vector<double> time_calls(const std::function<void()>& call, int calls, const std::function<void()>& between);

/// The value below which this share of the sorted numbers lie; between two neighbours, on the line that joins them.
/// \param share  0 to 1
double percentile(const std::vector<double>& sorted, double share);

}  // namespace hf::tpu

/// \file
/// Little's law for memory: bytes in flight = latency × bandwidth (Little, 1961).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

namespace hf::gpu {

/// Bytes that arrive with one line, the unit in which memory is fetched.
constexpr double line_bytes = 64;

/// Lines that must be in flight to reach a bandwidth.
/// \param latency_ns  from the request of a line to its arrival
/// \param gbs  10^9 bytes per second, which is bytes per nanosecond
constexpr double lines_in_flight(double latency_ns, double gbs) { return latency_ns * gbs / line_bytes; }

/// GB/s that this many lines in flight deliver, unless something else is the limit.
constexpr double little_gbs(double lines, double latency_ns, double limit_gbs) {
  const double gbs = lines * line_bytes / latency_ns;
  return gbs < limit_gbs ? gbs : limit_gbs;
}

/// The corner of a curve that first rises in proportion and then stays level: the x at which it first reaches 90% of
/// its highest point, on the straight line between two adjacent points, divided by 0.9. Exact if the rise is straight.
/// \param x  increasing
/// \param y  positive, one for each x
/// \throws std::invalid_argument without points, or if x and y differ in length
inline double knee(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.empty() || x.size() != y.size()) throw std::invalid_argument("knee: expected as many x as y, and at least one");
  constexpr double share = 0.9;
  const double level = share * *std::max_element(y.begin(), y.end());
  const auto first = static_cast<std::size_t>(
      std::find_if(y.begin(), y.end(), [=](double each) { return each >= level; }) - y.begin());
  if (first == 0) return x.front() / share * std::min(1.0, level / y.front());
  const double between = (level - y[first - 1]) / (y[first] - y[first - 1]);
  return (x[first - 1] + between * (x[first] - x[first - 1])) / share;
}

/// The places of a queue that `rows` rows fill, if each keeps x places: rows · x, for the x at which y falls from rows + 1
/// to rows. (The load of the next row takes hardly any place, so it is on its way until the rows before it leave none.)
/// Of all places between two points, we take the one with the fewest points on the wrong side of the geometric mean of
/// rows and rows + 1, so that a few outliers change nothing.
/// \param x  increasing
/// \param y  the rows in flight, one for each x
/// \return nothing if the fall would be before the first point or after the last
inline std::optional<double> places_filled(int rows, const std::vector<double>& x, const std::vector<double>& y) {
  const auto is_low = [level = std::sqrt(rows * (rows + 1.0))](double each) { return each < level; };
  std::size_t fall = 0, fewest = y.size();
  for (std::size_t split = 0; split <= y.size(); ++split) {
    const auto middle = y.begin() + static_cast<std::ptrdiff_t>(split);
    const auto wrong = static_cast<std::size_t>(std::count_if(y.begin(), middle, is_low) + (y.end() - middle) -
                                                std::count_if(middle, y.end(), is_low));
    if (wrong < fewest || split == 0) fall = split, fewest = wrong;
  }
  if (fall == 0 || fall == y.size()) return std::nullopt;
  return rows * (x[fall - 1] + x[fall]) / 2;
}

}  // namespace hf::gpu
